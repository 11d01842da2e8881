//! The rendered gateway: each site's objects beside its documents, and what they are refused for.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

use pharos_core::catalogue::{self, CatalogueDocument, RouteTable};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::{self, Document};
use pharos_core::gateway::{self, GatewaySettings};
use pharos_core::policy::PolicyDocument;
use pharos_core::site::Kind;

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

/// A fixture is a catalogue or a policy; the other one is the workshop's.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let source: Arc<Source> = fixture.source();
    let mut site = Site::workshop();
    match Kind::of_source(&source).unwrap() {
        Kind::Catalogue => site.catalogue = document::read(&source).unwrap_or_else(|report| panic!("{report}")),
        _ => site.policy = document::read(&source).unwrap_or_else(|report| panic!("{report}")),
    }
    let rendered = site.resolved().and_then(|(table, settings)| gateway::render(&table, &settings).map(drop));
    refused(rendered)
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
