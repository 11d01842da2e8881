//! The development authority: made once, kept byte for byte, never replaced; its certificate follows what is wanted.

use std::collections::BTreeSet;

use openssl::x509::X509;
use pharos_core::certificate::development::{
    AuthorityAction, DevelopmentDecision, IssueReasonKind, LEAF_DAYS, LeafAction, OnHost, authority_validity, decide,
    judge_issued, leaf_validity,
};
use pharos_core::certificate::{Input, UnixTime};
use pharos_core::diagnostic::Report;
use pharos_core::name::HostName;

use super::cases::{MIDDLE, ROOT, WORLD, pem};
use super::draft::{AT, Draft, Issuer, constraints};

const HOSTS: [&str; 2] = ["a.box.test", "b.box.test"];
const DAY: i64 = 86_400;

/// A box whose authority is the root of the cases.
#[derive(Clone)]
struct Machine {
    authority: Option<Vec<u8>>,
    authority_key: Option<Vec<u8>>,
    published: Option<Vec<u8>>,
    leaf: Option<Vec<u8>>,
    leaf_key: Option<Vec<u8>>,
    hosts: BTreeSet<HostName>,
    at: i64,
}

impl Machine {
    /// One where everything is as it should be.
    fn new() -> Self {
        let root_key = WORLD.root_key.private_key_to_pem_pkcs8().unwrap();
        Self {
            authority: Some(pem(&[&WORLD.root])),
            authority_key: Some(root_key),
            published: Some(pem(&[&WORLD.root])),
            leaf: Some(pem(&[&issued(&Draft::server(&HOSTS))])),
            leaf_key: Some(WORLD.key.private_key_to_pem_pkcs8().unwrap()),
            hosts: HOSTS.iter().map(|host| host.parse().unwrap()).collect(),
            at: AT,
        }
    }

    fn empty() -> Self {
        Self { authority: None, authority_key: None, published: None, leaf: None, leaf_key: None, ..Self::new() }
    }

    fn leaf(self, draft: &Draft) -> Self {
        Self { leaf: Some(pem(&[&issued(draft)])), ..self }
    }

    /// The same with this authority, of the root's key and signed with it.
    fn authority(self, draft: &Draft) -> Self {
        let by_itself = Issuer { name: ROOT, key: &WORLD.root_key };
        let authority = Some(pem(&[&draft.issue(&WORLD.root_key, by_itself)]));
        Self { published: authority.clone(), authority, ..self }
    }

    fn there(&self) -> OnHost<'_> {
        OnHost {
            authority: input("ca.pem", self.authority.as_ref()),
            authority_key: input("ca-key.pem", self.authority_key.as_ref()),
            published: input("published/ca.pem", self.published.as_ref()),
            leaf: input("fullchain.pem", self.leaf.as_ref()),
            leaf_key: input("privkey.pem", self.leaf_key.as_ref()),
        }
    }

    fn decide(&self) -> Result<(DevelopmentDecision, Report), Report> {
        decide(&self.there(), &self.hosts, UnixTime::new(self.at))
    }

    /// The kinds of reason; none if the certificate stays.
    fn reasons(&self) -> Vec<IssueReasonKind> {
        let (decision, _) = self.decide().unwrap();
        assert!(matches!(decision.authority, AuthorityAction::Keep(_)));
        decision.reasons().iter().map(|reason| reason.kind).collect()
    }
}

fn input<'a>(name: &'static str, bytes: Option<&'a Vec<u8>>) -> Option<Input<'a>> {
    bytes.map(|bytes| Input { name, bytes })
}

/// Issued by the authority for the shared key.
fn issued(draft: &Draft) -> X509 {
    draft.issue(&WORLD.key, WORLD.by_root())
}

#[test]
fn an_authority_is_made_where_nothing_is() {
    let (decision, report) = Machine::empty().decide().unwrap();
    assert_eq!((&decision.authority, report), (&AuthorityAction::Create, Report::default()));
    assert_eq!(decision.reasons()[0].kind, IssueReasonKind::Missing);
    assert!(!decision.is_settled());
}

#[test]
fn what_is_wanted_stays() {
    let (decision, report) = Machine::new().decide().unwrap();
    assert!(decision.is_settled(), "{decision:?}");
    assert!(report.is_empty(), "{report}");
    let LeafAction::Leave(leaf) = decision.leaf else { panic!("it stays") };
    assert_eq!(leaf.dns_names, HOSTS);
}

#[test]
fn each_difference_is_a_reason_and_the_authority_is_kept() {
    let wanted = Draft::server(&HOSTS);
    let other_key = Some(WORLD.other_key.private_key_to_pem_pkcs8().unwrap());
    let machine = Machine::new;
    let by_another = pem(&[&wanted.issue(&WORLD.key, Issuer { name: MIDDLE, key: &WORLD.middle_key })]);
    let same_name = pem(&[&wanted.issue(&WORLD.key, Issuer { name: ROOT, key: &WORLD.other_key })]);
    let rows = [
        ("no certificate", Machine { leaf: None, ..machine() }, IssueReasonKind::Missing),
        ("no key", Machine { leaf_key: None, ..machine() }, IssueReasonKind::Missing),
        ("another's key", Machine { leaf_key: other_key, ..machine() }, IssueReasonKind::KeyMismatch),
        ("a host less", machine().leaf(&Draft::server(&HOSTS[..1])), IssueReasonKind::Names),
        (
            "a host more",
            machine().leaf(&Draft::server(&["a.box.test", "b.box.test", "c.box.test"])),
            IssueReasonKind::Names,
        ),
        ("a wildcard", machine().leaf(&Draft::server(&["*.box.test"])), IssueReasonKind::Names),
        ("a third left", machine().leaf(&wanted.clone().days(-300, 97)), IssueReasonKind::Expiring),
        ("over", machine().leaf(&wanted.clone().days(-300, -1)), IssueReasonKind::Expired),
        ("not begun", machine().leaf(&wanted.clone().days(2, 200)), IssueReasonKind::Unfit),
        ("damaged", Machine { leaf: Some(b"nothing".to_vec()), ..machine() }, IssueReasonKind::Unfit),
        ("key damaged", Machine { leaf_key: Some(b"nothing".to_vec()), ..machine() }, IssueReasonKind::Unfit),
        ("another authority's", Machine { leaf: Some(by_another), ..machine() }, IssueReasonKind::Unfit),
        ("an authority of this name", Machine { leaf: Some(same_name), ..machine() }, IssueReasonKind::Unfit),
    ];
    for (what, machine, kind) in rows {
        assert_eq!(machine.reasons(), [kind], "{what}");
    }
}

#[test]
fn renewal_follows_the_instant() {
    let machine = Machine::new().leaf(&Draft::server(&HOSTS).days(0, LEAF_DAYS));
    let at = |day: i64| Machine { at: AT + day * DAY, ..machine.clone() }.reasons();
    assert_eq!(at(0), []);
    assert_eq!(at(264), []);
    assert_eq!(at(265), [IssueReasonKind::Expiring]);
    assert_eq!(at(LEAF_DAYS + 1), [IssueReasonKind::Expired]);
}

#[test]
fn a_certificate_does_not_outlive_its_authority() {
    let at = UnixTime::new(AT);
    assert_eq!(leaf_validity(at, authority_validity(at).to).to, at.plus(397 * DAY));
    assert_eq!(leaf_validity(at, at.plus(DAY)).to, at.plus(DAY));
    assert!(leaf_validity(at, at.plus(DAY)).from < at);
}

#[test]
fn an_authority_that_ends_soon_issues_and_is_warned_of() {
    let machine = Machine::new().authority(&Draft::authority(ROOT, None).days(-3000, 396));
    let (decision, report) = machine.decide().unwrap();
    assert!(decision.is_settled(), "{decision:?}");
    assert_eq!(report.diagnostics()[0].code.name(), "certificate/development-authority-ends");
    let machine = machine.authority(&Draft::authority(ROOT, None).days(-3000, 398));
    assert!(machine.decide().unwrap().1.is_empty());
}

#[test]
fn the_authority_is_published_where_it_is_not() {
    let (decision, _) = Machine { published: None, ..Machine::new() }.decide().unwrap();
    assert!(decision.publishes && !decision.is_settled());
    assert!(decision.reasons().is_empty());
}

#[test]
fn what_was_issued_is_judged_before_it_is_put_in_place() {
    let machine = Machine::new();
    assert_eq!(judge_issued(&machine.there(), &machine.hosts, UnixTime::new(AT)), Ok(()));
    let short = machine.leaf(&Draft::server(&HOSTS[..1]));
    let report = judge_issued(&short.there(), &short.hosts, UnixTime::new(AT)).unwrap_err();
    assert_eq!(report.diagnostics()[0].code.name(), "certificate/development-leaf-unfit");
}

/// The report on a machine that a fixture describes: a line `what: how` for everything that is not as it should be.
pub(super) fn judge(text: &str) -> Report {
    let mut machine = Machine::new();
    let root_key = || WORLD.root_key.private_key_to_pem_pkcs8().unwrap();
    for line in text.lines() {
        let root = Draft::authority(ROOT, None).days(-30, 3650);
        machine = match line {
            "certificate: none" => Machine { authority: None, ..machine },
            "certificate: damaged" => {
                Machine { authority: Some(b"-----BEGIN CERTIFICATE-----\n".to_vec()), published: None, ..machine }
            }
            "certificate: two" => {
                Machine { authority: Some(pem(&[&WORLD.root, &WORLD.middle])), published: None, ..machine }
            }
            "certificate: with its key" => {
                Machine { authority: Some([pem(&[&WORLD.root]), root_key()].concat()), published: None, ..machine }
            }
            "certificate: of a server" => machine.authority(&Draft::server(&HOSTS).subject(ROOT)),
            "certificate: of an intermediate" => Machine {
                authority: Some(pem(&[&WORLD.middle])),
                published: None,
                authority_key: Some(WORLD.middle_key.private_key_to_pem_pkcs8().unwrap()),
                ..machine
            },
            "certificate: over" => machine.authority(&root.days(-300, -3)),
            "certificate: not begun" => machine.authority(&root.days(3, 300)),
            "certificate: ends" => machine.authority(&root.days(-3000, 90)),
            "certificate: constrained" => {
                machine.authority(&root.extension("2.5.29.30", true, &constraints(&["elsewhere.test"], &[])))
            }
            "copy: alone" => Machine { published: Some(pem(&[&WORLD.root])), ..Machine::empty() },
            "copy: another" => Machine { published: Some(pem(&[&WORLD.middle])), ..machine },
            "key: none" => Machine { authority_key: None, ..machine },
            "key: another" => {
                Machine { authority_key: Some(WORLD.other_key.private_key_to_pem_pkcs8().unwrap()), ..machine }
            }
            "key: damaged" => Machine { authority_key: Some(root_key()[..60].to_vec()), ..machine },
            "issued" => {
                let at = UnixTime::new(machine.at);
                return judge_issued(&machine.there(), &machine.hosts, at).err().unwrap_or_default();
            }
            other => panic!("no such line: {other}"),
        };
    }
    machine.decide().map_or_else(|report| report, |(_, report)| report)
}
