//! The rules about an environment that need no catalogue.

use std::collections::HashMap;

use super::{Bound, Mode, PolicyDocument, Selection, codes, gateway, smtp};
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::document::Document;
use crate::name::{HostName, Network, Origin, Port};

/// The rules that a policy shares with an edge environment.
pub(super) fn judge(selection: &Selection<'_>, findings: &mut Findings) {
    let Some(edge) = &selection.edge else { return };
    for bound in &edge.bound {
        if selection.mode == Mode::Distributed {
            distributed_origin(bound.origin, selection.place_of(bound), findings);
        }
    }
    distinct_hosts(selection, &edge.bound, findings);
    for pointer in everyone(edge.management_networks) {
        let place = selection.place(&format!("{}/management_networks{pointer}", edge.pointer));
        findings.push(
            Diagnostic::error(codes::MANAGEMENT_EVERYONE, "this lets everyone use the management routes")
                .at(place, "every address")
                .help("write the networks of the operators, or `[]` for the edge host alone"),
        );
    }
    gateway::judge(selection, edge, findings);
}

/// The rules that a policy alone has.
pub(super) fn judge_policy(policy: &Document<PolicyDocument>, findings: &mut Findings) {
    environment_name(policy, findings);
    if let (Mode::Distributed, Some(identity)) = (policy.value.mode, &policy.value.identity) {
        distributed_origin(&identity.issuer, policy.place("/identity/issuer"), findings);
    }
    if let Some(edge) = &policy.value.edge {
        for service in edge.bindings.keys().filter(|service| edge.origins.contains_key(*service)) {
            findings.push(
                Diagnostic::error(codes::BOUND_TWICE, format!("service `{service}` has two origins"))
                    .at(policy.place(&format!("/edge/bindings/{service}")), "")
                    .at(policy.place(&format!("/edge/origins/{service}")), "the other one")
                    .help("keep one of the two"),
            );
        }
    }
    smtp::judge(policy, findings);
}

fn distributed_origin(origin: &Origin, place: Place, findings: &mut Findings) {
    if origin.is_https() && origin.port() == Port::HTTPS {
        return;
    }
    findings.push(
        Diagnostic::error(codes::DISTRIBUTED_ORIGIN, format!("`{origin}` is not HTTPS on port 443"))
            .at(place, "")
            .help(format!("write `https://{}`; other schemes and ports are for development", origin.host())),
    );
}

fn distinct_hosts(selection: &Selection<'_>, bound: &[Bound<'_>], findings: &mut Findings) {
    let mut first: HashMap<&HostName, &Bound<'_>> = HashMap::with_capacity(bound.len());
    for one in bound {
        let earlier = *first.entry(one.origin.host()).or_insert(one);
        if earlier.service == one.service {
            continue;
        }
        findings.push(
            Diagnostic::error(
                codes::DUPLICATE_HOST,
                format!(
                    "services `{}` and `{}` have the same host `{}`",
                    earlier.service,
                    one.service,
                    one.origin.host()
                ),
            )
            .at(selection.place_of(one), "")
            .at(selection.place_of(earlier), "the same host")
            .help("give each service a host name of its own"),
        );
    }
}

/// The environment whose policy a file of this name holds: `environments/<ENV>/policy.yaml`.
fn folder_of(path: &str) -> Option<&str> {
    let mut parts = path.rsplit('/');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("policy.yaml"), Some(folder), Some("environments")) => Some(folder),
        _ => None,
    }
}

/// Whether a file of this name is the policy of an environment.
pub fn is_policy_path(path: &str) -> bool {
    folder_of(path).is_some()
}

/// A policy that lies in `environments/<ENV>/policy.yaml` is about that environment.
fn environment_name(policy: &Document<PolicyDocument>, findings: &mut Findings) {
    let Some(folder) = folder_of(policy.source().name()) else { return };
    let name = &policy.value.environment;
    if name.as_str() != folder {
        findings.push(
            Diagnostic::error(codes::ENVIRONMENT_NAME, format!("the policy of `{folder}` says that it is `{name}`'s"))
                .at(policy.place("/environment"), "")
                .help(format!("write `environment: {folder}`, or move the file to `environments/{name}/`")),
        );
    }
}

/// Where a list of networks holds every address of a family: the pointers of its default routes, or that of the list
/// itself if it is one only in parts.
pub(crate) fn everyone(networks: &[Network]) -> Vec<String> {
    let single: Vec<String> = (0..)
        .zip(networks)
        .filter(|(_, network): &(usize, _)| network.is_default_route())
        .map(|(index, _)| format!("/{index}"))
        .collect();
    let nets: Vec<ipnet::IpNet> = networks.iter().map(Network::net).collect();
    if single.is_empty() && ipnet::IpNet::aggregate(&nets).iter().any(|net| net.prefix_len() == 0) {
        return vec![String::new()];
    }
    single
}

#[cfg(test)]
mod tests {
    use super::everyone;

    #[test]
    fn everyone_in_one_and_in_parts() {
        let found = |texts: &[&str]| everyone(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>());
        assert_eq!(found(&["192.0.2.0/24", "0.0.0.0/0", "::/0"]), ["/1", "/2"]);
        assert_eq!(found(&["0.0.0.0/1", "192.0.2.0/24", "128.0.0.0/1"]), [""]);
        assert!(found(&["0.0.0.0/1", "8000::/1"]).is_empty());
        assert!(found(&[]).is_empty());
    }
}
