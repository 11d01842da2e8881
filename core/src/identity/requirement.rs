//! What a site needs of its external identity.

use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use crate::catalogue::CatalogueDocument;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::document::Document;
use crate::name::{DnsLabel, Origin, ServiceName};
use crate::policy::{Environment, Mode, PolicyDocument};

/// What the external identity of a site must hold. A site whose foundation is all there is needs none, and neither does a
/// development box, whose issuer is a service of its own.
#[derive(Clone, Debug)]
pub struct Requirement {
    /// The issuer's origin, as the policy states it.
    pub issuer: Option<Origin>,
    /// The place of that, or of the edge that needs one.
    pub(super) issuer_place: Place,
    /// The clients that must be bound, each with the services that sign people in with it.
    pub clients: BTreeMap<DnsLabel, Vec<ServiceName>>,
    /// Every client that a service of the catalogue has.
    pub known: BTreeSet<DnsLabel>,
}

impl Requirement {
    /// What this site needs; `None` if delivery is not enabled: a policy without an edge, or one of development.
    pub fn of(catalogue: &CatalogueDocument, policy: &Document<PolicyDocument>) -> Option<Self> {
        if policy.value.edge.is_none() || policy.value.mode != Mode::Distributed {
            return None;
        }
        let selection = policy.selection();
        let bound: BTreeSet<&ServiceName> = selection.bound().iter().map(|bound| bound.service).collect();
        let mut clients: BTreeMap<DnsLabel, Vec<ServiceName>> = BTreeMap::new();
        for service in catalogue.services.iter().filter(|service| bound.contains(&service.name)) {
            for client in &service.aai_clients {
                clients.entry(client.clone()).or_default().push(service.name.clone());
            }
        }
        let known = catalogue.services.iter().flat_map(|service| service.aai_clients.iter().cloned()).collect();
        let issuer = policy.value.identity.as_ref().map(|identity| identity.issuer.clone());
        let pointer = if issuer.is_some() { "/identity/issuer" } else { "/edge" };
        Some(Self { issuer, issuer_place: policy.place(pointer), clients, known })
    }

    /// What can be said without the file.
    pub(super) fn judge(&self, findings: &mut Findings) {
        if self.issuer.is_none() {
            findings.push(
                Diagnostic::error(codes::POLICY_ISSUER, "this policy has public origins and names no issuer")
                    .at(self.issuer_place.clone(), "people sign in at these")
                    .help("add `identity: {issuer: https://...}` with the origin of the site's AAI"),
            );
        }
    }
}

/// The refusal of a site without its file, `identity/file-missing`: the primary's inventory does not name one, or what it names is
/// not there.
pub fn missing(requirement: &Requirement, primary: &str, file: Option<&str>) -> Report {
    let mut findings = Findings::new();
    requirement.judge(&mut findings);
    let clients: Vec<String> = requirement.clients.keys().map(|client| format!("`{client}`")).collect();
    let holds = match clients.as_slice() {
        [] => "version, issuer, ca_certificate and `clients: {}`: no service of the site signs people in".to_owned(),
        clients => format!("version, issuer, ca_certificate and the clients {}", clients.join(", ")),
    };
    let finding = match file {
        None => {
            let message = format!("the site signs people in, and its primary `{primary}` names no file that says how");
            let help = format!("set `pharos_external_aai_file` of `{primary}` to a private file (0600) with {holds}");
            Diagnostic::error(codes::FILE_MISSING, message).at(Place::named(primary), "").help(help)
        }
        Some(file) => {
            let message = format!("the file that `pharos_external_aai_file` of `{primary}` names is not there");
            let help = format!("put it there, 0600, with {holds}");
            Diagnostic::error(codes::FILE_MISSING, message).at(Place::named(file), "").help(help)
        }
    };
    findings.push(finding);
    findings.into_report()
}
