//! The rules about an environment that need no catalogue.

use std::collections::HashMap;

use ipnet::IpNet;

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
    for wide in too_wide(edge.management_networks) {
        let place = selection.place(&format!("{}/management_networks{}", edge.pointer, wide.pointer));
        findings.push(
            Diagnostic::error(
                codes::MANAGEMENT_EVERYONE,
                format!("this lets {} use the management routes", wide.who()),
            )
            .at(place, wide.what())
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

/// Whose requests management routes take: those of the edge host itself, which operators reach by ssh, and those of the management
/// networks. Edge and gateway both ask for this.
pub fn admitted(management_networks: &[Network]) -> Vec<Network> {
    let more = management_networks.iter().filter(|network| !Network::LOOPBACK.contains(network));
    Network::LOOPBACK.iter().chain(more).copied().collect()
}

/// The shortest prefixes of a network that is anybody's own: no registry assigned more to one holder, and the private blocks of IPv4 are
/// no wider.
const SHORTEST_IPV4: u8 = 8;
const SHORTEST_IPV6: u8 = 16;

/// A network, or a list of them, that holds more addresses than anyone has.
#[derive(Debug, Eq, PartialEq)]
pub(crate) struct Wide {
    /// Of the network in its list; empty for the list itself, where only its parts together are too wide.
    pub(crate) pointer: String,
    /// Whether it holds every address of a family.
    pub(crate) everyone: bool,
}

impl Wide {
    /// Whom it lets in.
    pub(crate) fn who(&self) -> &'static str {
        if self.everyone { "everyone" } else { "a large part of the internet" }
    }

    /// What it is.
    pub(crate) fn what(&self) -> &'static str {
        if self.everyone { "every address" } else { "more addresses than any one network has" }
    }
}

/// Where a list of networks is meant for somebody and holds nearly everybody: its single networks that do, or the list if it does only
/// in parts.
pub(crate) fn too_wide(networks: &[Network]) -> Vec<Wide> {
    let nets: Vec<IpNet> = networks.iter().map(Network::net).collect();
    let whole = IpNet::aggregate(&nets).into_iter().filter(|net| is_wide(*net)).min_by_key(IpNet::prefix_len);
    let list = whole.map(|net| Wide { pointer: String::new(), everyone: net.prefix_len() == 0 });
    let single: Vec<Wide> = (0..)
        .zip(networks)
        .filter(|(_, network): &(usize, _)| is_wide(network.net()))
        .map(|(index, network)| Wide { pointer: format!("/{index}"), everyone: network.is_default_route() })
        .collect();
    let graver = list.as_ref().is_some_and(|list| list.everyone && single.iter().all(|single| !single.everyone));
    if single.is_empty() || graver { list.into_iter().collect() } else { single }
}

fn is_wide(net: IpNet) -> bool {
    match net {
        IpNet::V4(net) => net.prefix_len() < SHORTEST_IPV4,
        // Unique local and link-local addresses are nobody's on the internet.
        IpNet::V6(net) => {
            let own = net.addr().is_unique_local() && net.prefix_len() >= 7 || net.addr().is_unicast_link_local();
            net.prefix_len() < SHORTEST_IPV6 && !own
        }
    }
}

#[cfg(test)]
mod tests {
    use super::too_wide;

    #[test]
    fn everyone_and_nearly_everyone_in_one_and_in_parts() {
        let found = |texts: &[&str]| -> Vec<(String, bool)> {
            let wide = too_wide(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<_>>());
            wide.into_iter().map(|wide| (wide.pointer, wide.everyone)).collect()
        };
        let one = |pointer: &str, everyone| (pointer.to_owned(), everyone);
        assert_eq!(found(&["192.0.2.0/24", "0.0.0.0/0", "::/0"]), [one("/1", true), one("/2", true)]);
        assert_eq!(found(&["0.0.0.0/1", "192.0.2.0/24", "128.0.0.0/1"]), [one("", true)]);
        assert_eq!(found(&["10.0.0.0/8", "2000::/3"]), [one("/1", false)]);
        let eighths: Vec<String> = (0..=255).map(|first| format!("{first}.0.0.0/8")).collect();
        let eighths: Vec<&str> = eighths.iter().map(String::as_str).collect();
        assert_eq!(found(&eighths), [one("", true)]);
        assert_eq!(found(&eighths[..128]), [one("", false)]);
        assert!(found(&["10.0.0.0/8", "172.16.0.0/12", "fc00::/7", "fe80::/10", "2001:db8::/32"]).is_empty());
        assert!(found(&[]).is_empty());
    }
}
