//! Who may use which route: Istio's `AuthorizationPolicy` as Envoy's RBAC filter carries it out.

use std::collections::HashMap;

use super::Peer;
use crate::explain::answer::Divided;
use crate::explain::vantage::{Lies, Vantage};
use crate::gateway::kind::{AuthorizationPolicySpec, Object};
use crate::name::{DnsLabel, Network};

/// A text of a policy: equal, or with a `*` at one of its ends.
enum Pattern {
    Exact(Box<str>),
    Prefix(Box<str>),
    Suffix(Box<str>),
}

impl Pattern {
    fn of(text: &str) -> Self {
        match (text.strip_suffix('*'), text.strip_prefix('*')) {
            (Some(prefix), _) => Self::Prefix(prefix.into()),
            (None, Some(suffix)) => Self::Suffix(suffix.into()),
            (None, None) => Self::Exact(text.into()),
        }
    }

    fn takes(&self, text: &[u8]) -> bool {
        match self {
            Self::Exact(exact) => text == exact.as_bytes(),
            Self::Prefix(prefix) => text.starts_with(prefix.as_bytes()),
            Self::Suffix(suffix) => text.ends_with(suffix.as_bytes()),
        }
    }
}

/// Where a request must come from: the client, and the connection that brings it.
struct Source {
    remote: Vec<Network>,
    direct: Vec<Network>,
}

/// An `ALLOW` policy.
pub(in crate::explain) struct Policy {
    /// `namespace/name`.
    pub(in crate::explain) object: Box<str>,
    /// The route that it is there for.
    pub(in crate::explain) route: Option<DnsLabel>,
    paths: Vec<Pattern>,
    not_paths: Vec<Pattern>,
    sources: Vec<Source>,
}

/// What the policies say of a request.
pub(in crate::explain) enum Decision<'a> {
    /// This one allows it; with it, whether by its sender.
    Allowed(&'a Policy, bool),
    /// This one would, but not for its sender.
    Sender(&'a Policy),
    /// None takes the host and path.
    Nobody,
    /// There is no policy at all: everything is allowed.
    Unguarded,
}

/// Every policy, by the hosts that it takes.
#[derive(Default)]
pub(in crate::explain) struct Policies {
    all: Vec<Policy>,
    by_host: HashMap<Box<str>, Vec<usize>>,
}

fn networks(texts: &[crate::gateway::kind::Text<'_>]) -> Vec<Network> {
    // Each was a network before it became a text.
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}

impl Policies {
    pub(super) fn of(objects: &[Object<'_, AuthorizationPolicySpec<'_>>]) -> Self {
        let mut policies = Self::default();
        for object in objects {
            let [rule] = &object.spec.rules;
            let [to] = &rule.to;
            let patterns =
                |texts: &[crate::gateway::kind::Text<'_>]| texts.iter().map(|text| Pattern::of(text)).collect();
            let source = |from: &crate::gateway::kind::From<'_>| Source {
                remote: networks(&from.source.remote_ip_blocks),
                direct: networks(&from.source.ip_blocks),
            };
            for host in to.operation.hosts.iter() {
                policies.by_host.entry(host.to_ascii_lowercase().into()).or_default().push(policies.all.len());
            }
            policies.all.push(Policy {
                object: super::named(&object.metadata),
                route: object.routes.iter().next().map(|route| route.id.clone()),
                paths: patterns(&to.operation.paths),
                not_paths: patterns(&to.operation.not_paths),
                sources: rule.from.iter().map(source).collect(),
            });
        }
        policies
    }

    /// Asks them: hosts without regard to case and with their port, paths without their query; within a policy everything that it
    /// states must hold; one policy that allows is enough, and where there is any, none that allows is a refusal.
    pub(super) fn decide(
        &self,
        host: &str,
        path: &[u8],
        remote: Vantage,
        peer: &Peer,
    ) -> Result<Decision<'_>, Divided> {
        if self.all.is_empty() {
            return Ok(Decision::Unguarded);
        }
        let candidates = self.by_host.get(host.to_ascii_lowercase().as_str()).map_or(&[][..], Vec::as_slice);
        let mut decision = Decision::Nobody;
        for policy in candidates.iter().filter_map(|at| self.all.get(*at)) {
            let takes = |patterns: &[Pattern]| patterns.iter().any(|pattern| pattern.takes(path));
            if !takes(&policy.paths) || takes(&policy.not_paths) {
                continue;
            }
            if policy.sources.is_empty() {
                return Ok(Decision::Allowed(policy, false));
            }
            for source in &policy.sources {
                if within(remote, &source.remote, &policy.object)? && peer.within(&source.direct, &policy.object)? {
                    return Ok(Decision::Allowed(policy, true));
                }
            }
            decision = Decision::Sender(policy);
        }
        Ok(decision)
    }
}

/// Whether a sender is in one of the networks; no list admits everybody.
pub(super) fn within(from: Vantage, networks: &[Network], rule: &str) -> Result<bool, Divided> {
    if networks.is_empty() {
        return Ok(true);
    }
    let mut partly = false;
    for network in networks {
        match from.lies(network) {
            Lies::Inside => return Ok(true),
            Lies::Partly => partly = true,
            Lies::Outside => {}
        }
    }
    if partly { Err(Divided { from, rule: rule.to_owned() }) } else { Ok(false) }
}
