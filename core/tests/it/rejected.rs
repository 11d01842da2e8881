//! Refusals are rows: a file that must be refused, named after the code it raises, with the printed report beside it.
//!
//! **To add a row** for the code `room/what`, write `tests/rejected/room/what.yaml` (further ones: `what.2.yaml`,
//! `what.some-words.yaml`; any extension, or a folder, if the room's judge reads it) and run
//! `INSTA_UPDATE=always cargo test -p pharos-core --test it rejected`. The report is written to `what.yaml.snap` beside it:
//! read it as an operator would before it is committed.
//!
//! **To add a room**, write a judge, `fn(&Fixture) -> Report`, in a module of the room's name and add one line to [`JUDGES`].
//! [`Fixture::source`] gives the text under a stable name; [`refused`] turns the result of a reader into the report. A judge
//! returns whatever was found, warnings too.
//!
//! **A code that the core cannot raise** alone (it needs a host, a process, a clock) is listed in [`ELSEWHERE`] with the test
//! that raises it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pharos_core::diagnostic::{Code, Report, Source, code};

/// What a room makes of a fixture.
type Judge = fn(&Fixture) -> Report;

/// How each room judges its fixtures.
const JUDGES: &[(&str, Judge)] = &[
    ("access", crate::access::judge),
    ("ansible", crate::ansible::judge),
    ("catalogue", crate::catalogue::judge),
    ("certificate", crate::certificate::judge),
    ("document", crate::document::judge),
    ("edge", crate::edge::judge),
    ("environment", crate::environment::judge),
    ("explain", crate::explain::judge),
    ("extension", crate::extension::judge),
    ("file", crate::file::judge),
    ("foundation", crate::foundation::judge),
    ("identity", crate::identity::judge),
    ("inventory", crate::inventory::judge),
    ("gateway", crate::gateway::judge),
    ("mesh", crate::mesh::judge),
    ("name", crate::name::judge),
    ("plan", crate::plan::judge),
    ("policy", crate::policy::judge),
    ("probe", crate::probe::judge),
    ("release", crate::release::judge),
    ("site", crate::site::judge),
    ("smtp", crate::policy::judge),
    ("trust", crate::trust::judge),
];

/// Codes raised outside the core's tests: the code, and the file of the repository that holds the test.
const ELSEWHERE: &[(&str, &str)] = &[
    ("edge/certificate-to-be-issued", "tests/test_edge_config.py"),
    ("edge/file-changed", "core/tests/it/edge_assess.rs"),
    ("edge/lineage-in-the-way", "tests/test_edge_certbot.py"),
    ("gateway/backend-without-trust", "core/tests/it/gateway_proof/backends.rs"),
    ("gateway/laboratory-conflict", "core/tests/it/gateway_proof/mod.rs"),
    ("gateway/management-reachable", "core/tests/it/gateway_proof/access.rs"),
    ("gateway/policy-without-route", "core/tests/it/gateway_proof/access.rs"),
    ("gateway/route-without-policy", "core/tests/it/gateway_proof/access.rs"),
    ("gateway/shadowed-route", "core/tests/it/gateway_proof/routes.rs"),
    ("gateway/wrong-destination", "core/tests/it/gateway_proof/routes.rs"),
    ("gateway/wrong-listener", "core/tests/it/gateway_proof/listeners.rs"),
    ("gateway/object-size", "core/tests/it/gateway.rs"),
    ("gateway/trust-private-key", "core/tests/it/gateway.rs"),
    ("file/io", "live/tests/it/private.rs"),
    ("plan/key-damaged", "live/tests/it/records.rs"),
    ("plan/no-edge-host", "core/tests/it/plan/mod.rs"),
    ("module/broken-package", "tests/test_modules.py"),
    ("module/cache-failed", "tests/test_transport.py"),
    ("module/cache-path", "tests/test_transport.py"),
    ("module/damaged-collection", "tests/test_transport.py"),
    ("module/document-missing", "tests/test_transport.py"),
    ("module/killed", "tests/test_transport.py"),
    ("module/no-answer", "tests/test_transport.py"),
    ("module/no-home", "tests/test_transport_hosts.py"),
    ("module/no-program", "tests/test_transport.py"),
    ("module/noexec-cache", "tests/test_transport_hosts.py"),
    ("module/not-built", "tests/test_transport.py"),
    ("module/unsafe-cache", "tests/test_transport.py"),
    ("module/internal-fault", "ansible_modules/tests/it/frame.rs"),
    ("module/missing-option", "ansible_modules/tests/it/frame.rs"),
    ("module/option-value", "ansible_modules/tests/it/frame.rs"),
    ("module/program-failed", "ansible_modules/tests/it/frame.rs"),
    ("module/request", "ansible_modules/tests/it/frame.rs"),
    ("module/unknown-module", "ansible_modules/tests/it/frame.rs"),
    ("module/unknown-option", "ansible_modules/tests/it/frame.rs"),
    ("module/unreadable-file", "ansible_modules/tests/it/frame.rs"),
    ("module/version-skew", "ansible_modules/tests/it/frame.rs"),
];

/// A file (or folder) that must be refused.
pub(crate) struct Fixture {
    path: PathBuf,
    room: String,
}

#[allow(dead_code, reason = "each room's judge takes what it needs")]
impl Fixture {
    /// What is wrong: the name up to the first dot.
    pub(crate) fn what(&self) -> &str {
        self.name().split('.').next().unwrap_or_default()
    }

    /// Which of several fixtures of one code this is: the name between the first and the last dot, or nothing.
    pub(crate) fn variant(&self) -> &str {
        let rest = self.name().split_once('.').map_or("", |(_, rest)| rest);
        rest.rsplit_once('.').map_or("", |(variant, _)| variant)
    }

    /// Where it lies.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its text, under the name `room/file`.
    pub(crate) fn source(&self) -> Arc<Source> {
        let text = std::fs::read_to_string(&self.path).unwrap();
        Source::public(&format!("{}/{}", self.room, self.name()), &text)
    }

    /// The same, of a file that may not be a text.
    pub(crate) fn source_from_bytes(&self) -> Result<Arc<Source>, Report> {
        let bytes = std::fs::read(&self.path).unwrap();
        pharos_core::document::source_from_bytes(&format!("{}/{}", self.room, self.name()), &bytes)
    }

    fn name(&self) -> &str {
        self.path.file_name().and_then(|name| name.to_str()).unwrap()
    }
}

/// The report of a reader that must refuse; panics if it does not.
pub(crate) fn refused<T>(result: Result<T, Report>) -> Report {
    result.err().expect("a refusal")
}

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rejected")
}

/// The fixtures of a room, by name.
fn fixtures(room: &str) -> Vec<Fixture> {
    let Ok(folder) = std::fs::read_dir(root().join(room)) else {
        return Vec::new();
    };
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| !path.to_string_lossy().ends_with(".snap") && !path.to_string_lossy().ends_with(".snap.new"));
    paths.sort();
    paths.into_iter().map(|path| Fixture { path, room: room.to_owned() }).collect()
}

#[test]
fn rejected_fixtures_raise_their_code() {
    for (room, judge) in JUDGES {
        for fixture in fixtures(room) {
            let report = judge(&fixture);
            let code = format!("{room}/{}", fixture.what());
            assert!(
                report.diagnostics().iter().any(|diagnostic| diagnostic.code.name() == code),
                "{} does not raise {code}, but:\n{report}",
                fixture.path.display()
            );
            insta::with_settings!({
                snapshot_path => root().join(room),
                prepend_module_to_snapshot => false,
                omit_expression => true,
            }, {
                insta::assert_snapshot!(fixture.name(), report.to_string());
            });
        }
    }
}

#[test]
fn rejected_rooms_have_a_judge() {
    let judged: BTreeSet<String> = JUDGES.iter().map(|(room, _)| (*room).to_owned()).collect();
    let folders: BTreeSet<String> = std::fs::read_dir(root())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(folders, judged);
}

#[test]
fn every_code_is_rejected_somewhere() {
    let mut missing: BTreeSet<&str> = code::all().map(Code::name).collect();
    for (room, _) in JUDGES {
        for fixture in fixtures(room) {
            missing.remove(format!("{room}/{}", fixture.what()).as_str());
        }
    }
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for (code, file) in ELSEWHERE {
        let text = std::fs::read_to_string(repository.join(file)).unwrap();
        assert!(text.contains(code), "{file} does not name {code}");
        assert!(missing.remove(code), "{code} is no code, or has a fixture of its own");
    }
    assert!(missing.is_empty(), "codes without a fixture under tests/rejected: {missing:?}");
}
