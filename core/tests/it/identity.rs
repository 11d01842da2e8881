//! The external identity of a site: what it must hold, and what it is refused for.

use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::Report;
use pharos_core::document::Document;
use pharos_core::identity::{Requirement, missing, read};
use pharos_core::policy::PolicyDocument;

use crate::committed;
use crate::rejected::{Fixture, refused};

fn requirement(policy: &Document<PolicyDocument>) -> Option<Requirement> {
    Requirement::of(&committed::catalogue().value, policy)
}

fn site() -> Requirement {
    requirement(&committed::policy("example")).unwrap()
}

fn policy_text(environment: &str) -> String {
    std::fs::read_to_string(committed::repository().join(format!("environments/{environment}/policy.yaml"))).unwrap()
}

fn at() -> UnixTime {
    "2026-06-01".parse().unwrap()
}

/// The authority of the tests: a certificate that is one, valid until 2036.
fn authority() -> String {
    std::fs::read_to_string(committed::repository().join("core/tests/identity/authority.pem")).unwrap()
}

/// A fixture is the file, in which `@AUTHORITY@` and the like stand for certificates; what is missed has no file.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.what() == "file-missing" {
        let named = std::fs::read_to_string(fixture.path()).unwrap();
        let named = named.trim();
        return missing(&site(), "n1", Some(named).filter(|named| !named.is_empty()));
    }
    let text = std::fs::read_to_string(fixture.path()).unwrap();
    let text = ["authority", "server", "expired"].iter().fold(text, |text, name| {
        let path = committed::repository().join(format!("core/tests/identity/{name}.pem"));
        let pem = std::fs::read_to_string(path).unwrap().replace('\n', "\\n");
        text.replace(&format!("@{}@", name.to_uppercase()), &pem)
    });
    let requirement = if fixture.what() == "policy-issuer" {
        let policy = policy_text("example").replace("identity:\n  issuer: https://aai.example.org\n", "");
        requirement(&committed::parsed("environments/example/policy.yaml", &policy)).unwrap()
    } else {
        site()
    };
    let report = refused(read("/private/aai.json", text.as_bytes(), &requirement, at()));
    for secret in ["hunter2", "PRIVATE KEY-----"] {
        assert!(!report.to_string().contains(secret), "a secret is shown:\n{report}");
    }
    report
}

fn fit() -> serde_json::Value {
    let client = |id: &str| serde_json::json!({"client_id": id, "client_secret": format!("hunter2-{id}")});
    serde_json::json!({
        "version": 1,
        "issuer": "https://aai.example.org/realms/site",
        "ca_certificate": authority(),
        "clients": {
            "pharos-control-plane": client("a"),
            "pharos-tools": client("b"),
            "pharos-gitlab": client("c"),
            "pharos-open-webui": client("d"),
        },
    })
}

/// An authority that is about to end is told while there is time to replace it.
#[test]
fn an_authority_that_ends_soon_is_a_warning() {
    let at = |day: &str| read("aai.json", fit().to_string().as_bytes(), &site(), day.parse().unwrap());
    assert!(at("2034-06-01").unwrap().1.is_empty());
    let (_, report) = at("2035-12-20").unwrap();
    assert!(report.to_string().contains("warning[certificate/issuer-expires-soon]"), "{report}");
    assert!(report.to_string().contains("aai.json:1"), "{report}");
}

#[test]
fn a_site_needs_the_clients_of_the_services_that_it_binds() {
    let names = |requirement: Option<Requirement>| {
        requirement.map(|needed| needed.clients.keys().map(ToString::to_string).collect::<Vec<_>>())
    };
    let all = ["pharos-control-plane", "pharos-gitlab", "pharos-open-webui", "pharos-tools"];
    assert_eq!(names(Some(site())).unwrap(), all);
    assert_eq!(names(requirement(&committed::policy("icarus-cloud"))).unwrap(), all);
    assert_eq!(names(requirement(&committed::policy("icaruscloudlab"))), None, "a foundation alone");
    assert_eq!(names(requirement(&committed::policy("devbox"))), None, "its issuer is a service of its own");
    let without_chat = policy_text("example").replace("    llm-chat: https://llm-chat.example.org\n", "");
    let policy = committed::parsed("environments/example/policy.yaml", &without_chat);
    assert_eq!(names(requirement(&policy)).unwrap(), ["pharos-control-plane", "pharos-gitlab", "pharos-tools"]);
}

/// Kept as it was released: every later release reads it.
#[test]
fn version_1_is_read() {
    let path = committed::repository().join("core/tests/external-aais/version-1.json");
    let (identity, report) = read("version-1.json", &std::fs::read(path).unwrap(), &site(), at()).unwrap();
    assert!(report.is_empty(), "{report}");
    assert_eq!(identity.value().version, 1);
}

#[test]
fn a_fit_file_is_read_however_it_is_indented() {
    let tabs = serde_json::to_string_pretty(&fit()).unwrap().replace("  ", "\t");
    for text in [fit().to_string(), tabs] {
        let (identity, report) = read("aai.json", text.as_bytes(), &site(), at()).unwrap();
        assert!(report.is_empty(), "{report}");
        assert_eq!(identity.canonical(), &fit());
        assert_eq!(identity.value().clients.len(), 4);
        let shown = format!("{identity:?} {:?}", identity.value());
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

/// A site whose services have no clients of the issuer needs the file all the same, with none.
#[test]
fn a_site_without_clients_is_told_so() {
    let mut requirement = site();
    requirement.clients.clear();
    let text = missing(&requirement, "n1", None).to_string();
    assert!(text.contains("and `clients: {}`: no service of the site signs people in"), "{text}");
}
