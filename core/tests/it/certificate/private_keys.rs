//! A private key where public certificates alone may stand: refused at every entrance, and never repeated.

use pharos_core::certificate::{Input, TrustAnchors, authorities, summaries};
use pharos_core::diagnostic::{Report, Severity, json};

use super::cases::{WORLD, pem};

type Entrance = (&'static str, fn(&Input<'_>) -> Option<Report>);

/// The readers of files that hold nothing but certificates.
const ENTRANCES: [Entrance; 3] = [
    ("summaries", |input| summaries(input).err()),
    ("authorities", |input| authorities(input).err()),
    ("trust anchors", |input| TrustAnchors::read(input).err()),
];

#[test]
fn no_entrance_takes_a_private_key() {
    let certificate = pem(&[&WORLD.root]);
    let key = WORLD.root_key.private_key_to_pem_pkcs8().unwrap();
    let sec1 = WORLD.root_key.ec_key().unwrap().private_key_to_pem().unwrap();
    for (name, read) in ENTRANCES {
        let refused = |bytes: &[u8]| read(&Input { name: "ca.pem", bytes });
        assert!(refused(&certificate).is_none(), "{name}");
        for key in [&key, &sec1] {
            for bytes in [[certificate.as_slice(), key].concat(), [key.as_slice(), &certificate].concat()] {
                let report = refused(&bytes).unwrap_or_else(|| panic!("{name} takes a private key"));
                let finding = report.diagnostics().iter().find(|one| one.severity == Severity::Error).unwrap();
                assert_eq!(finding.code.to_string(), "certificate/key-in-chain", "{name}");
                assert!(finding.place().is_some_and(|place| place.file() == "ca.pem"), "{name}");
                let body = std::str::from_utf8(key).unwrap().lines().nth(1).unwrap();
                let said = [report.to_string(), json::render(&report).to_string()].concat();
                assert!(!said.contains(body) && !said.contains("-----BEGIN"), "{name}: {said}");
            }
        }
    }
}
