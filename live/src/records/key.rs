//! The key of keyed fingerprints.

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::plan::{FingerprintKey, KEY_BYTES, codes};
use rustix::rand::{GetRandomFlags, getrandom};

use crate::error::io;
use crate::private::PrivateDir;

const FOLDER: &str = "keys";
const FILE: &str = "fingerprint.key";

/// The key of an environment, from the folder `keys` of its private directory; a random one is made at the first use. It never lies
/// beside the records, so that whoever reads those can try no values against their fingerprints.
///
/// # Errors
/// `file/*`, `plan/key-damaged`
pub fn fingerprint_key(private: &PrivateDir) -> Result<FingerprintKey, Report> {
    let folder = private.make(FOLDER)?;
    let path = folder.path().join(FILE);
    if let Some(bytes) = folder.read(FILE)? {
        return FingerprintKey::new(&bytes).ok_or_else(|| damaged(&path.to_string_lossy(), bytes.len()));
    }
    let mut bytes = [0; KEY_BYTES];
    let got = getrandom(&mut bytes, GetRandomFlags::empty()).map_err(|error| io(&path, "make", &error))?;
    // The kernel gives 256 bytes or less whole (getrandom(2)).
    let key = FingerprintKey::new(bytes.get(..got).unwrap_or_default())
        .ok_or_else(|| damaged(&path.to_string_lossy(), got))?;
    folder.write(FILE, &bytes)?;
    Ok(key)
}

fn damaged(path: &str, length: usize) -> Report {
    Diagnostic::error(codes::KEY_DAMAGED, format!("a key of {KEY_BYTES} bytes is expected here, not one of {length}"))
        .at(Place::named(path), "")
        .help("restore it from a copy; without one remove it, and a new key is made")
        .into()
}
