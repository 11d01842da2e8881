//! Making, keeping and issuing, in a folder of the test's own.

use std::os::unix::fs::PermissionsExt;

use pharos_core::certificate::UnixTime;
use pharos_core::certificate::development::{AuthorityAction, IssueReasonKind};

use super::{Store, Wanted};

const AT: i64 = 1_780_272_000;
const DAY: i64 = 86_400;

struct Machine {
    _folder: tempfile::TempDir,
    wanted: Wanted,
}

impl Machine {
    fn new(hosts: &[&str]) -> Self {
        // Beside this program: below the system's temporary folder nothing is private.
        let program = std::env::current_exe().unwrap();
        let folder = tempfile::tempdir_in(program.parent().unwrap()).unwrap();
        let path = folder.path().join("tls").display().to_string().parse().unwrap();
        let wanted = Wanted {
            store: Store::new(&path),
            hosts: hosts.iter().map(|host| host.parse().unwrap()).collect(),
            at: UnixTime::new(AT),
        };
        Self { _folder: folder, wanted }
    }

    /// What a run does, and why it issues.
    fn run(&self) -> Vec<IssueReasonKind> {
        let (stored, decision, _) = self.wanted.decide().unwrap();
        self.wanted.perform(stored, &decision).unwrap();
        let (_, again, _) = self.wanted.decide().unwrap();
        assert!(again.is_settled(), "{again:?}");
        decision.reasons().iter().map(|reason| reason.kind).collect()
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        std::path::Path::new(&self.wanted.store.trust()).with_file_name(name)
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    fn mode(&self, name: &str) -> u32 {
        std::fs::metadata(self.path(name)).unwrap().permissions().mode() & 0o777
    }

    /// Both files of the authority.
    fn authority(&self) -> [Vec<u8>; 2] {
        ["private/authority/ca.pem", "private/authority/ca-key.pem"].map(|name| self.bytes(name))
    }
}

#[test]
fn the_authority_is_made_once_and_the_certificate_follows() {
    let mut machine = Machine::new(&["a.box.test", "b.box.test"]);
    assert_eq!(machine.run(), [IssueReasonKind::Missing]);
    let authority = machine.authority();
    assert_eq!(machine.bytes("ca.pem"), authority[0]);
    assert_eq!(machine.run(), []);

    let served = machine.bytes("private/live/fullchain.pem");
    machine.wanted.hosts.insert("c.box.test".parse().unwrap());
    assert_eq!(machine.run(), [IssueReasonKind::Names]);
    assert_ne!(machine.bytes("private/live/fullchain.pem"), served);

    machine.wanted.at = UnixTime::new(AT + 300 * DAY);
    assert_eq!(machine.run(), [IssueReasonKind::Expiring]);
    assert_eq!(machine.authority(), authority);
    assert_eq!(std::fs::read_dir(machine.path("private/issued")).unwrap().count(), 2, "this one and the one before");
}

#[test]
fn what_is_private_is_private_and_what_is_public_is_public() {
    let machine = Machine::new(&["a.box.test"]);
    machine.run();
    for name in ["private/authority/ca-key.pem", "private/live/privkey.pem", "private/live/fullchain.pem"] {
        assert_eq!(machine.mode(name), 0o600, "{name}");
    }
    assert_eq!(machine.mode("private"), 0o700);
    assert_eq!(machine.mode("ca.pem"), 0o644);
    assert_eq!(machine.path("private/live").read_link().unwrap().parent().unwrap().to_str(), Some("issued"));
}

#[test]
fn what_an_interruption_leaves_is_completed() {
    let machine = Machine::new(&["a.box.test"]);
    // killed while the authority was written
    std::fs::create_dir_all(machine.path("private")).unwrap();
    std::fs::set_permissions(machine.path("private"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let unfinished = machine.path("private/.authority.pharos-new");
    std::fs::create_dir(&unfinished).unwrap();
    std::fs::write(unfinished.join("ca-key.pem"), "half a k").unwrap();
    let (_, decision, _) = machine.wanted.decide().unwrap();
    assert_eq!(decision.authority, AuthorityAction::Create);
    machine.run();
    assert!(!unfinished.exists());
    let authority = machine.authority();
    // killed between authority and certificate
    std::fs::remove_file(machine.path("private/live")).unwrap();
    std::fs::remove_file(machine.path("ca.pem")).unwrap();
    assert_eq!(machine.run(), [IssueReasonKind::Missing]);
    // killed before the authority was published
    std::fs::remove_file(machine.path("ca.pem")).unwrap();
    assert_eq!(machine.run(), []);
    assert_eq!((machine.authority(), machine.bytes("ca.pem")), (authority.clone(), authority[0].clone()));
}

#[test]
fn a_damaged_authority_is_refused_and_nothing_is_touched() {
    let machine = Machine::new(&["a.box.test"]);
    machine.run();
    let key = machine.path("private/authority/ca-key.pem");
    let (kept, served) = (std::fs::read(&key).unwrap(), machine.bytes("private/live/fullchain.pem"));
    for (damage, code) in [
        (Some("nothing\n"), "certificate/development-authority-unreadable"),
        (None, "certificate/development-authority-incomplete"),
    ] {
        match damage {
            Some(text) => std::fs::write(&key, text).unwrap(),
            None => std::fs::remove_file(&key).unwrap(),
        }
        let report = machine.wanted.decide().map(drop).unwrap_err();
        assert!(report.diagnostics().iter().any(|found| found.code.name() == code), "{report}");
    }
    assert_eq!(machine.bytes("private/live/fullchain.pem"), served);
    std::fs::write(&key, kept).unwrap();
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    let report = machine.wanted.decide().map(drop).unwrap_err();
    assert_eq!(report.diagnostics()[0].code.room(), "file", "a key that others read is refused: {report}");
}

#[test]
fn the_change_that_check_mode_tells_is_the_one_that_is_made() {
    let machine = Machine::new(&["a.box.test"]);
    let told = || {
        let (_, decision, _) = machine.wanted.decide().unwrap();
        machine.wanted.outcome(&decision, pharos_core::diagnostic::Findings::new())
    };
    let before = told().change.unwrap();
    assert!(before.is_change());
    machine.run();
    let after = told().change.unwrap();
    assert!(!after.is_change());
    assert_eq!(before.after, after.after);
}
