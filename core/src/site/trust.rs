//! Which findings can be trusted when parts of a document were refused.
//!
//! **The rule.** The refused parts of a document are missing where the rules look at it. A finding is kept only if it would be
//! there whatever these parts were meant to say; else it is dropped, and comes up when they have been mended. So a finding is
//! kept if
//! - each of its places is known: no part that holds it was refused, and it was not itself;
//! - all else that it rests on is known. [`RULES`] says what that is, code by code: an "unknown" rests on all that there
//!   might be, a "missing" on the key that is missed, a default on the key that would override it.
//!
//! A code that [`RULES`] does not have is dropped as soon as anything was refused: silence is better than a wrong report.

use std::sync::Arc;

use crate::catalogue::codes as catalogue;
use crate::catalogue::extension::codes as extension;
use crate::diagnostic::{Code, Diagnostic};
use crate::document::Ground;
use crate::gateway::codes as gateway;
use crate::policy::{codes as policy, smtp::codes as smtp};

/// The documents that findings were made about.
#[derive(Clone, Copy)]
pub(super) struct Trust<'a> {
    /// The catalogue, if there is one.
    pub(super) catalogue: Option<Ground<'a>>,
    /// The policy or edge environment, if it is about one.
    pub(super) environment: Option<Ground<'a>>,
    /// The pointer of what holds its `gateway`.
    pub(super) edge: &'static str,
    /// The pointers of its lists of origins.
    pub(super) lists: &'static [&'static str],
}

impl Trust<'_> {
    /// Whether a finding is kept.
    pub(super) fn keeps(&self, finding: &Diagnostic) -> bool {
        let grounds = || [self.catalogue, self.environment].into_iter().flatten();
        if grounds().all(|ground| ground.lost.is_empty()) {
            return true;
        }
        let places_are_known = finding.labels.iter().all(|label| {
            let ground = grounds().find(|ground| Arc::ptr_eq(ground.tree.source(), label.place.source()));
            // A laboratory is judged with the others only if it was read whole.
            ground.is_none_or(|ground| label.place.key().is_some_and(|key| ground.lost.knows(key)))
        });
        let rule = RULES.iter().find(|(code, _)| *code == finding.code);
        places_are_known
            && rule.is_some_and(|(_, rests_on_known)| rests_on_known(&Case { trust: self, finding }).unwrap_or(false))
    }
}

/// A finding, to be asked whether what it rests on is known.
struct Case<'a> {
    trust: &'a Trust<'a>,
    finding: &'a Diagnostic,
}

/// Whether all that a finding rests on is known, beside its places; `None` if that cannot be said.
type Rule = fn(&Case<'_>) -> Option<bool>;

/// What findings rest on, by their codes.
const RULES: &[(Code, Rule)] = &[
    // What is there twice, or too long, is so whatever else there is.
    (catalogue::DUPLICATE_SERVICE, |_| Some(true)),
    (catalogue::DUPLICATE_ROUTE, |_| Some(true)),
    (catalogue::DUPLICATE_PATH, |_| Some(true)),
    (catalogue::JOINED_NAME_TAKEN, |_| Some(true)),
    (catalogue::JOINED_NAME_LENGTH, |_| Some(true)),
    (catalogue::UNKNOWN_PROFILE, |case| case.catalogue_has_or_not("/profiles")),
    (catalogue::UNKNOWN_GATEWAY, |case| case.catalogue_all("/gateways")),
    (catalogue::UNKNOWN_NAMESPACE, |case| case.catalogue_has_or_not("/backends")),
    (catalogue::UNKNOWN_TRUST, |case| case.catalogue_all("/trust")),
    (catalogue::UNREVIEWED_BACKEND, reviewed),
    (catalogue::REQUIRED_PROFILE, |case| Some(case.catalogue_all(case.pointer(1)?)? && case.in_service("/profile")?)),
    (catalogue::EXACT_PATHS, |case| {
        let service = case.service()?;
        Some(case.catalogue_all(&format!("{service}/paths"))? && case.catalogue_all(&format!("{service}/routes"))?)
    }),
    (catalogue::BACKEND_TLS_MISSING, backend),
    (catalogue::BACKEND_TLS_SURPLUS, backend),
    (catalogue::BACKEND_PROTOCOL, backend),
    (catalogue::GRPC_WEBSOCKET, combination),
    (catalogue::GRPC_BODY, combination),
    (catalogue::GRPC_STREAM, combination),
    (catalogue::WEBSOCKET_TIMEOUT, combination),
    (catalogue::UNLIMITED_TIMEOUT, combination),
    (catalogue::UNLIMITED_STREAM, combination),
    (extension::DUPLICATE_LABORATORY, |_| Some(true)),
    (extension::NAMESPACE_TAKEN, |_| Some(true)),
    (extension::HOST_TAKEN, |_| Some(true)),
    (extension::UNKNOWN_TRUST, |case| case.catalogue_all("/trust")),
    (extension::HOST_SHARED, |_| Some(true)),
    (extension::BACKEND_SHARED, |_| Some(true)),
    (extension::NO_GATEWAY, |case| case.environment("/edge")),
    (policy::ENVIRONMENT_NAME, |_| Some(true)),
    (policy::UNKNOWN_SERVICE, no_such_service),
    (policy::UNKNOWN_PROFILE, |case| case.catalogue_has_or_not("/profiles")),
    (policy::PROFILE_MODE, |case| Some(case.environment("/mode")? && case.catalogue_all(case.pointer(1)?)?)),
    (policy::PROFILE_NOT_SELECTED, |case| {
        // The help says whether the mode may select it.
        let modes = format!("/profiles/{}/modes", case.text(1)?);
        let selected = case.environment_all("/profiles")? && case.environment("/mode")?;
        Some(selected && case.in_service("/name")? && case.catalogue_all(&modes)?)
    }),
    (policy::PROFILE_WITHOUT_ORIGIN, origins_of_profile),
    (policy::REQUIRED_SERVICE, |case| {
        Some(case.environment("/mode")? && case.in_service("/binding")? && case.origin_of(case.service()?)?)
    }),
    (policy::HOST_LABEL, |case| case.in_service("/name")),
    (policy::DISTRIBUTED_ORIGIN, |case| case.environment("/mode")),
    (policy::DUPLICATE_HOST, |_| Some(true)),
    (policy::BINDING_LIST, |case| {
        let (_, name) = case.pointer(0)?.rsplit_once('/')?;
        let mut services = case.services_where("/name", name)?.into_iter();
        let known = |service: &str, key: &str| case.catalogue(&format!("{service}/{key}")) == Some(true);
        Some(services.all(|service| known(&service, "name") && known(&service, "binding")))
    }),
    (policy::BOUND_TWICE, |_| Some(true)),
    (policy::GATEWAY_TLS_MISSING, gateway_protocol),
    (policy::GATEWAY_TLS_SURPLUS, gateway_protocol),
    (policy::GATEWAY_PLAIN, gateway_protocol),
    (policy::MANAGEMENT_EVERYONE, |_| Some(true)),
    (gateway::NOT_STATED, |_| Some(true)),
    (gateway::UNKNOWN_GATEWAY, |case| case.catalogue_all("/gateways")),
    (gateway::NODE_PORT, |_| Some(true)),
    (gateway::UPSTREAM_PORT, |_| Some(true)),
    (gateway::CERTIFICATE, |case| {
        let policy = case.environment("/edge/gateway/protocol")? && case.environment("/gateway/certificate")?;
        Some(policy && case.catalogue("/mesh/https")?)
    }),
    (gateway::EDGE_EVERYONE, |_| Some(true)),
    (gateway::EGRESS_EVERYONE, |_| Some(true)),
    (gateway::NO_EGRESS, |case| case.catalogue_all("/mesh/egress")),
    (gateway::LISTENER_PORTS, |_| Some(true)),
    (gateway::NAMESPACE_SHARED, |_| Some(true)),
    (gateway::MANAGEMENT_UNPROTECTED, |case| case.environment_all("/gateway/edges")),
    (gateway::BACKEND_PODS, stated_pods),
    (gateway::TARGET_PORT, |_| Some(true)),
    (gateway::UNREVIEWED_PODS, |case| {
        let (namespace, service) = case.pointer(0)?.strip_prefix("/mesh/backends/")?.split_once('/')?;
        case.catalogue_has("/backends", namespace, service)
    }),
    (gateway::BACKEND_DISAGREEMENT, |case| {
        let mut labels = 0..case.finding.labels.len();
        let sound = |label: usize| {
            let (route, _) = case.pointer(label)?.rsplit_once('/')?;
            Some(case.catalogue_all(&format!("{route}/backend"))? && case.catalogue(&format!("{route}/transport"))?)
        };
        Some(labels.all(|label| sound(label) == Some(true)))
    }),
    (gateway::UNKNOWN_TRUST, |case| case.catalogue_all("/trust")),
    (gateway::UNPUBLISHED_TRUST, |case| case.catalogue_has_or_not("/mesh/trust")),
    (gateway::PUBLISHED_TWICE, |_| Some(true)),
    (gateway::FINGERPRINT_MISSING, |case| {
        let lost = case.trust.environment?.lost;
        let stated = lost.knows_entry("/gateway/fingerprints", reference(case)?) && lost.knows_all(case.pointer(0)?);
        Some(stated && recognised(case)?)
    }),
    (gateway::FINGERPRINT_SURPLUS, recognised),
    (gateway::PATH_NORMALIZATION, |_| Some(true)),
    (smtp::INCOMPLETE, |case| Some(case.environment("/smtp/enabled")? && case.environment_all(case.pointer(0)?)?)),
    (smtp::DEFAULT_ROUTE, |_| Some(true)),
    (smtp::PUBLIC_API, public_api),
];

/// What is asked of the documents.
impl<'a> Case<'a> {
    /// The pointer of one of its places.
    fn pointer(&self, label: usize) -> Option<&'a str> {
        self.finding.labels.get(label)?.place.key()
    }

    /// What is written at one of its places.
    fn text(&self, label: usize) -> Option<&'a str> {
        let place = &self.finding.labels.get(label)?.place;
        let grounds = [self.trust.catalogue, self.trust.environment];
        let ground = grounds.into_iter().flatten().find(|ground| Arc::ptr_eq(ground.tree.source(), place.source()))?;
        ground.text(place.key()?)
    }

    fn catalogue(&self, pointer: &str) -> Option<bool> {
        Some(self.trust.catalogue?.lost.knows(pointer))
    }

    fn catalogue_all(&self, collection: &str) -> Option<bool> {
        Some(self.trust.catalogue?.lost.knows_all(collection))
    }

    /// Whether the mapping is certain to have, or not to have, the key that is written at the finding's place.
    fn catalogue_has_or_not(&self, mapping: &str) -> Option<bool> {
        Some(self.trust.catalogue?.lost.knows_entry(mapping, self.text(0)?))
    }

    /// Whether it is certain that one mapping of two levels has an entry, or has not.
    fn catalogue_has(&self, mapping: &str, first: &str, second: &str) -> Option<bool> {
        let lost = self.trust.catalogue?.lost;
        Some(lost.knows_entry(mapping, first) && lost.knows_entry(&format!("{mapping}/{first}"), second))
    }

    fn environment(&self, pointer: &str) -> Option<bool> {
        Some(self.trust.environment?.lost.knows(pointer))
    }

    fn environment_all(&self, collection: &str) -> Option<bool> {
        Some(self.trust.environment?.lost.knows_all(collection))
    }

    /// The pointer of the service of the catalogue that the finding is about.
    fn service(&self) -> Option<&'a str> {
        self.up_to(2)
    }

    /// The pointer of the route that the finding is about.
    fn route(&self) -> Option<&'a str> {
        self.up_to(4)
    }

    /// The first tokens of the pointer of its last place that leads into the services.
    fn up_to(&self, tokens: usize) -> Option<&'a str> {
        let keys = self.finding.labels.iter().rev().filter_map(|label| label.place.key());
        let pointer = keys.into_iter().find(|key| key.starts_with("/services/"))?;
        let end = pointer.match_indices('/').nth(tokens).map_or(pointer.len(), |(end, _)| end);
        pointer.get(..end)
    }

    fn in_service(&self, key: &str) -> Option<bool> {
        self.catalogue(&format!("{}{key}", self.service()?))
    }

    /// The services that have a text at a key, those that were refused too.
    fn services_where(&self, key: &str, text: &str) -> Option<Vec<String>> {
        let catalogue = self.trust.catalogue?;
        let has = |service: &String| catalogue.text(&format!("{service}{key}")) == Some(text);
        Some(catalogue.items("/services").filter(has).collect())
    }

    /// Whether it is certain which origin a service has, or that it has none.
    fn origin(&self, service: &str) -> Option<bool> {
        let lost = self.trust.environment?.lost;
        Some(self.trust.lists.iter().all(|list| lost.knows_entry(list, service)))
    }

    /// Whether the origin of the service at a pointer is certain.
    fn origin_of(&self, service: &str) -> Option<bool> {
        let key = format!("{service}/name");
        Some(self.catalogue(&key)? && self.origin(self.trust.catalogue?.text(&key)?)?)
    }
}

fn reviewed(case: &Case<'_>) -> Option<bool> {
    let backend = format!("{}/backend", case.route()?);
    let written = |key: &str| case.trust.catalogue?.text(&format!("{backend}/{key}"));
    let services = format!("/backends/{}", written("namespace")?);
    let ports = format!("{services}/{}", written("service")?);
    Some(case.catalogue_all(&services)? && case.catalogue_all(&ports)?)
}

/// The pods of a route's backend, and the ports that lead to them.
fn stated_pods(case: &Case<'_>) -> Option<bool> {
    let route = case.route()?;
    let written = |key: &str| {
        let key = format!("{route}/backend/{key}");
        case.catalogue(&key)?.then(|| case.trust.catalogue?.text(&key)).flatten()
    };
    let (namespace, service) = (written("namespace")?, written("service")?);
    let ports = case.catalogue_all(&format!("/mesh/backends/{namespace}/{service}/ports"))?;
    Some(ports && written("port").is_some() && case.catalogue_has("/mesh/backends", namespace, service)?)
}

/// The trust reference at the end of a finding's place.
fn reference<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.pointer(0)?.rsplit_once('/').map(|(_, reference)| reference)
}

/// How backends are recognised that the trust reference of a finding verifies.
fn recognised(case: &Case<'_>) -> Option<bool> {
    let (lost, reference) = (case.trust.catalogue?.lost, reference(case)?);
    Some(lost.knows_entry("/mesh/trust", reference) && lost.knows(&format!("/mesh/trust/{reference}/recognised_by")))
}

fn backend(case: &Case<'_>) -> Option<bool> {
    let route = case.route()?;
    Some(case.catalogue_all(&format!("{route}/backend"))? && case.catalogue(&format!("{route}/transport"))?)
}

fn combination(case: &Case<'_>) -> Option<bool> {
    let route = case.route()?;
    let mut keys = ["transport", "websocket", "timeout", "body", "stream"].into_iter();
    Some(keys.all(|key| case.catalogue(&format!("{route}/{key}")) == Some(true)))
}

/// A service that was refused is none the less there, if its name is sound.
fn no_such_service(case: &Case<'_>) -> Option<bool> {
    let (_, name) = case.pointer(0)?.rsplit_once('/')?;
    let catalogue = case.trust.catalogue?;
    let another = |service: String| {
        let key = format!("{service}/name");
        !catalogue.lost.refused(&key) && catalogue.text(&key).is_some_and(|other| other != name)
    };
    Some(catalogue.lost.knows("/services") && catalogue.items("/services").all(another))
}

fn origins_of_profile(case: &Case<'_>) -> Option<bool> {
    let profile = case.text(0)?;
    let known = case.services_where("/profile", profile)?.iter().all(|service| {
        let sound = |key: &str| case.catalogue(&format!("{service}/{key}")) == Some(true);
        sound("profile") && sound("binding") && case.origin_of(service) == Some(true)
    });
    let modes = case.catalogue_all(&format!("/profiles/{profile}/modes"))?;
    Some(known && modes && case.environment("/mode")?)
}

fn gateway_protocol(case: &Case<'_>) -> Option<bool> {
    case.environment(&format!("{}/gateway/protocol", case.trust.edge))
}

fn public_api(case: &Case<'_>) -> Option<bool> {
    let catalogue = case.trust.catalogue?;
    let known =
        |service: String| catalogue.lost.refused(&service) || catalogue.lost.knows(&format!("{service}/public_api"));
    let mut services = case.services_where("/public_api", "true")?.into_iter();
    let origins = services.all(|service| case.origin_of(&service) == Some(true));
    Some(origins && catalogue.items("/services").all(known))
}

#[cfg(test)]
mod tests {
    use super::{RULES, extension, gateway, policy};
    use crate::diagnostic::code;

    /// Silence about a code must be meant: each code that a check can raise states what it rests on.
    #[test]
    fn every_rule_of_a_site_says_what_it_rests_on() {
        let rooms = ["catalogue", "extension", "gateway", "policy", "smtp"];
        // These are raised where an edge or a chart is looked at, or of objects that were rendered from whole documents.
        let elsewhere = [
            policy::FOUNDATION_ONLY,
            extension::FILE_NAME,
            extension::REGISTERED_FILE,
            extension::NOT_SERVED,
            gateway::CHART_SCHEMA,
            gateway::OBJECT_SIZE,
            gateway::NAME_TAKEN,
            gateway::TRUST_PRIVATE_KEY,
            gateway::SHADOWED_ROUTE,
            gateway::WRONG_LISTENER,
            gateway::WRONG_DESTINATION,
            gateway::ROUTE_WITHOUT_POLICY,
            gateway::POLICY_WITHOUT_ROUTE,
            gateway::BACKEND_WITHOUT_TRUST,
            gateway::MANAGEMENT_REACHABLE,
            gateway::LABORATORY_CONFLICT,
        ];
        let raised = code::all().filter(|code| rooms.contains(&code.room()) && !elsewhere.contains(code));
        let missing: Vec<_> = raised.filter(|code| !RULES.iter().any(|(known, _)| known == code)).collect();
        assert!(missing.is_empty(), "{missing:?}");
        assert!(RULES.iter().all(|(code, _)| code::all().any(|known| known == *code)));
    }
}
