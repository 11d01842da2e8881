//! The rendered gateway: each site's objects beside its documents, and what they are refused for.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::certificate::Input;
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::{self, Document};
use pharos_core::gateway::{self, GatewaySettings};
use pharos_core::policy::PolicyDocument;
use pharos_core::site::{self, Kind};

use crate::certificate::draft::{Draft, Issuer, Usage, p256};
use crate::committed;
use crate::rejected::{Fixture, refused};

/// The documents of a site.
pub(crate) struct Site {
    pub(crate) catalogue: Document<CatalogueDocument>,
    pub(crate) policy: Document<PolicyDocument>,
}

const WORKSHOP: &str = "core/tests/gateway/workshop";

impl Site {
    pub(crate) fn workshop() -> Self {
        let catalogue = committed::file(&format!("{WORKSHOP}/services.yaml"));
        Self { catalogue, policy: committed::file(&format!("{WORKSHOP}/policy.yaml")) }
    }

    pub(crate) fn committed(environment: &str) -> Self {
        Self { catalogue: committed::catalogue(), policy: committed::policy(environment) }
    }

    fn settings(&self) -> Result<GatewaySettings, Report> {
        GatewaySettings::of(&self.catalogue, &self.policy).map(|(settings, _)| settings)
    }

    pub(crate) fn resolved(&self) -> Result<(RouteTable, GatewaySettings), Report> {
        let (table, _) = catalogue::resolve(&self.catalogue, &self.policy)?;
        Ok((table, self.settings()?))
    }
}

/// A fixture is a catalogue or a policy; the other one is the workshop's. A folder has the extensions of laboratories, and what takes the
/// place of a document of the workshop.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.path().is_dir() {
        return judge_folder(fixture);
    }
    let source: Arc<Source> = fixture.source();
    let mut site = Site::workshop();
    if fixture.what() == "chart-schema" {
        return refused(gateway::chart::judge_schema(&site.catalogue, source.name(), source.text()));
    }
    match Kind::of_source(&source).unwrap() {
        Kind::Catalogue => site.catalogue = document::read(&source).unwrap_or_else(|report| panic!("{report}")),
        _ => site.policy = document::read(&source).unwrap_or_else(|report| panic!("{report}")),
    }
    let settings = GatewaySettings::of(&site.catalogue, &site.policy).map(|(_, warnings)| warnings);
    if let Ok(warnings) = &settings
        && !warnings.is_empty()
    {
        return warnings.clone();
    }
    let rendered = site.resolved().and_then(|(table, settings)| gateway::render(&table, &settings).map(drop));
    refused(rendered)
}

fn judge_folder(fixture: &Fixture) -> Report {
    let text = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    let workshop = |name: &str| {
        let own = fixture.path().join(name);
        text(if own.exists() { own } else { committed::repository().join(WORKSHOP).join(name) })
    };
    let mut sources: Vec<Arc<Source>> =
        ["services.yaml", "policy.yaml"].map(|name| Source::public(name, &workshop(name))).into();
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(fixture.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    for file in files {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        if !["services.yaml", "policy.yaml"].contains(&name.as_str()) {
            sources.push(Source::public(&name, &text(file)));
        }
    }
    site::check(&sources)
}

#[test]
fn gateway_snapshots() {
    let root = committed::repository().join("core/tests/gateway");
    let mut sites = vec![(root.join("workshop"), Site::workshop())];
    for environment in committed::environments() {
        sites.push((root.join(&environment), Site::committed(&environment)));
    }
    for (folder, site) in sites {
        is_rendered(folder, &site);
    }
}

fn is_rendered(folder: PathBuf, site: &Site) {
    let text = match site.resolved() {
        Ok((table, settings)) => {
            let (objects, report) = gateway::render(&table, &settings).unwrap_or_else(|report| panic!("{report}"));
            assert!(report.is_empty(), "{report}");
            document::write(&objects.mesh_config).unwrap() + &objects.yaml().unwrap()
        }
        Err(report) => report.to_string(),
    };
    insta::with_settings!({
        snapshot_path => folder,
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!("objects", text);
    });
}

/// `gateway/object-size`.
#[test]
fn a_host_must_fit_into_one_object() {
    let Site { catalogue, policy } = Site::workshop();
    let route = "      - name: web\n        match: {prefix: /}\n";
    let text = catalogue.source().text();
    let (before, after) = text.split_once(route).unwrap();
    let body = after.split_once("      - name:").unwrap().0;
    let mut more = String::new();
    for n in 0..2_000 {
        write!(more, "      - name: more-{n}\n        match: {{prefix: /more/{n}/}}\n{body}").unwrap();
    }
    let catalogue = committed::parsed("services.yaml", &format!("{before}{more}{route}{after}"));
    let (table, settings) = Site { catalogue, policy }.resolved().unwrap_or_else(|report| panic!("{report}"));
    let report = refused(gateway::render(&table, &settings));
    assert_eq!(report.diagnostics()[0].code, gateway::codes::OBJECT_SIZE, "{report}");
    insta::assert_snapshot!(report.to_string());
}

/// `gateway/trust-private-key`, and what else is no bundle of authorities.
#[test]
fn public_authorities_alone_are_published() {
    let mesh = Site::workshop().catalogue.value.mesh.unwrap();
    let (key, leaf_key) = (p256(), p256());
    let authority = Draft { usage: Usage::SignsCertificates, ..Draft::authority("Vault CA", None) };
    let own = Issuer { key: &key, name: "Vault CA" };
    let pem = authority.issue(&key, own).to_pem().unwrap();
    let leaf = Draft::server(&["vault.vault.svc"]).issue(&leaf_key, own).to_pem().unwrap();
    let vault = "vault-ca".parse().unwrap();
    let publish =
        |bytes: &[u8]| gateway::publish(&mesh, &vault, &Input { name: "ca.pem", bytes }).map(|(trust, _)| trust);

    // Surrounding text does not travel.
    let trust =
        publish(&[b"Vault CA, since May\n".as_slice(), &pem].concat()).unwrap_or_else(|report| panic!("{report}"));
    let (config_map, secret) = (serde_json::json!(trust.config_map), serde_json::json!(trust.secret));
    assert_eq!(config_map["data"], serde_json::json!({"ca.crt": String::from_utf8(pem.clone()).unwrap()}));
    let encoded = secret["data"]["ca.crt"].as_str().unwrap();
    assert_eq!(openssl::base64::decode_block(encoded).unwrap(), pem);
    for object in [&config_map, &secret] {
        let labels = serde_json::json!({gateway::TRUST_LABEL: "vault-ca"});
        assert_eq!(
            object["metadata"],
            serde_json::json!({"name": "shop-vault-ca", "namespace": "mesh", "labels": labels})
        );
    }

    let codes = |bytes: &[u8]| -> Vec<&str> {
        refused(publish(bytes)).diagnostics().iter().map(|finding| finding.code.name()).collect()
    };
    let private = leaf_key.private_key_to_pem_pkcs8().unwrap();
    let report = refused(publish(&[pem.as_slice(), &private].concat()));
    assert_eq!(report.diagnostics()[0].code.name(), "gateway/trust-private-key");
    assert!(!report.to_string().contains("BEGIN"), "{report}");
    assert_eq!(codes(&[pem.as_slice(), &leaf].concat()), ["certificate/not-an-authority"]);
    assert_eq!(codes(b""), ["certificate/empty"]);
    let unknown = gateway::publish(&mesh, &"valt-ca".parse().unwrap(), &Input { name: "ca.pem", bytes: &pem });
    assert_eq!(refused(unknown.map(drop)).diagnostics()[0].code, gateway::codes::UNPUBLISHED_TRUST);
}

/// Without a label a selector takes every pod of its namespace.
#[test]
fn pods_are_selected_by_a_label_at_least() {
    let text = std::fs::read_to_string(committed::repository().join("catalogue/services.yaml")).unwrap();
    let policy = std::fs::read_to_string(committed::repository().join("environments/example/policy.yaml")).unwrap();
    for whole in ["pods: {istio: ingressgateway}", "pods: {app.kubernetes.io/name: argocd-server}"] {
        assert!(text.contains(whole), "{whole}");
        let source = Source::public("services.yaml", &text.replace(whole, "pods: {}"));
        let report = pharos_core::site::check(&[source, Source::public("policy.yaml", &policy)]);
        let found = report.diagnostics().iter().any(|finding| finding.code.name() == "document/length");
        assert!(found, "{whole}: {report}");
    }
}
