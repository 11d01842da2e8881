//! What must be there only once: names of services and routes, paths of a host, joined names.

use std::collections::HashMap;
use std::hash::Hash;

use super::{RouteAt, ServiceAt, services};
use crate::catalogue::{CatalogueDocument, codes};
use crate::diagnostic::{Diagnostic, Findings};
use crate::document::Document;
use crate::name::{DnsLabel, PathMatch};

/// The longest joined name: it becomes a DNS label.
const LONGEST: usize = 63;

/// `<owner>-<name>`; `None` if that is longer than a DNS label may be.
pub(in crate::catalogue) fn joined_name(owner: &str, name: &DnsLabel) -> Option<DnsLabel> {
    format!("{owner}-{name}").parse().ok()
}

pub(super) fn judge(catalogue: &Document<CatalogueDocument>, findings: &mut Findings) {
    let count = catalogue.value.services.len();
    let mut names = HashMap::with_capacity(count);
    let mut joined =
        JoinedNames::with_capacity(catalogue.value.services.iter().map(|service| service.routes.len()).sum());
    for at in services(catalogue) {
        let name = &at.service.name;
        if let Some(first) = first_of(&mut names, name.as_str(), at) {
            findings.push(
                Diagnostic::error(codes::DUPLICATE_SERVICE, format!("there are two services `{name}`"))
                    .at(at.place("/name"), "")
                    .at(first.place("/name"), "the first one")
                    .help("rename one of them, or join their routes"),
            );
            // Their routes would collide for this one reason: one finding is enough.
            continue;
        }
        judge_service(at, &mut joined, findings);
    }
}

fn judge_service<'a>(at: ServiceAt<'a>, joined: &mut JoinedNames<'a>, findings: &mut Findings) {
    let mut names = HashMap::with_capacity(at.service.routes.len());
    let mut paths = HashMap::with_capacity(at.service.routes.len());
    for route in at.routes() {
        match first_of(&mut names, route.route.name.as_str(), route) {
            None => {
                judge_length(route, findings);
                joined.add(route, findings);
            }
            Some(first) => findings.push(
                Diagnostic::error(
                    codes::DUPLICATE_ROUTE,
                    format!("service `{}` has two routes `{}`", at.service.name, route.route.name),
                )
                .at(route.place("/name"), "")
                .at(first.place("/name"), "the first one")
                .help("give each route of a service a name of its own"),
            ),
        }
        if let Some(first) = first_of(&mut paths, taken(&route.route.path), route) {
            findings.push(
                route
                    .refuse(
                        codes::DUPLICATE_PATH,
                        "/match",
                        format_args!("takes the same path as `{}`", first.route.name),
                        "leave one of them out, or give them different paths",
                    )
                    .at(first.place("/match"), "taken here"),
            );
        }
    }
}

/// What a match takes away from others of its kind: the prefixes `/a` and `/a/` are one to nginx and to people.
pub(in crate::catalogue) fn taken(path: &PathMatch) -> (bool, &str) {
    match path {
        PathMatch::Exact(path) => (true, path.as_str()),
        PathMatch::Prefix(path) => (false, path.as_str().trim_end_matches('/')),
    }
}

/// The one who came first with this key; `None` if it is this one.
pub(in crate::catalogue) fn first_of<K: Eq + Hash, V: Copy>(seen: &mut HashMap<K, V>, key: K, value: V) -> Option<V> {
    let mut first = None;
    seen.entry(key).and_modify(|found| first = Some(*found)).or_insert(value);
    first
}

/// The joined names of all owners. The owner's and the route's part are compared where they stand, so that nothing is
/// copied: two pairs join to one name if and only if they are equal as the sequence `owner - name`.
pub(in crate::catalogue) struct JoinedNames<'a>(HashMap<Joined<'a>, RouteAt<'a>>);

#[derive(Clone, Copy)]
struct Joined<'a>(&'a str, &'a str);

impl<'a> Joined<'a> {
    fn of(route: RouteAt<'a>) -> Self {
        Self(route.owner.name(), route.route.name.as_str())
    }

    fn bytes(&self) -> impl Iterator<Item = u8> {
        self.0.bytes().chain(std::iter::once(b'-')).chain(self.1.bytes())
    }

    fn len(&self) -> usize {
        self.0.len() + 1 + self.1.len()
    }
}

impl PartialEq for Joined<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.bytes().eq(other.bytes())
    }
}

impl Eq for Joined<'_> {}

impl Hash for Joined<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write(self.0.as_bytes());
        state.write(b"-");
        state.write(self.1.as_bytes());
    }
}

/// Refuses a route whose joined name is longer than a DNS label.
pub(in crate::catalogue) fn judge_length(route: RouteAt<'_>, findings: &mut Findings) {
    let joined = Joined::of(route);
    if joined.len() > LONGEST {
        findings.push(route.refuse(
            codes::JOINED_NAME_LENGTH,
            "/name",
            format_args!("has a joined name of {} characters", joined.len()),
            format!("shorten one of the two names: joined by a hyphen they have {LONGEST} characters at most"),
        ));
    }
}

impl<'a> JoinedNames<'a> {
    pub(in crate::catalogue) fn with_capacity(routes: usize) -> Self {
        Self(HashMap::with_capacity(routes))
    }

    /// Those of the routes given, whatever is wrong with them.
    pub(in crate::catalogue) fn of(routes: impl Iterator<Item = RouteAt<'a>>) -> Self {
        let mut names = Self::with_capacity(routes.size_hint().0);
        routes.for_each(|route| {
            first_of(&mut names.0, Joined::of(route), route);
        });
        names
    }

    /// Adds a route; one whose joined name is there already is refused.
    pub(in crate::catalogue) fn add(&mut self, route: RouteAt<'a>, findings: &mut Findings) {
        if let Some(first) = first_of(&mut self.0, Joined::of(route), route) {
            findings.push(taken_by(route, first));
        }
    }

    /// Refuses a route whose joined name is there; one that is not there is not added.
    pub(in crate::catalogue) fn judge(&self, route: RouteAt<'a>, findings: &mut Findings) {
        if let Some(first) = self.0.get(&Joined::of(route)) {
            findings.push(taken_by(route, *first));
        }
    }
}

fn taken_by(route: RouteAt<'_>, first: RouteAt<'_>) -> Diagnostic {
    let Joined(owner, name) = Joined::of(route);
    route
        .refuse(
            codes::JOINED_NAME_TAKEN,
            "/name",
            format_args!("has the joined name `{owner}-{name}`, as {} has", first.words()),
            "rename one of the routes: the joined name is the upstream's, log's and object's name",
        )
        .at(first.place("/name"), format!("the same with {}", first.owner.words()))
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher, RandomState};

    use super::{Joined, joined_name};

    #[test]
    fn joined_names_are_compared_as_joined() {
        let state = RandomState::new();
        let (a, b) = (Joined("a-b", "c"), Joined("a", "b-c"));
        assert!(a == b && state.hash_one(a) == state.hash_one(b));
        assert!(Joined("a", "bc") != Joined("ab", "c"));
    }

    #[test]
    fn a_joined_name_is_a_label() {
        let long = "x".repeat(61);
        assert_eq!(joined_name("a", &long.parse().unwrap()).unwrap().as_str().len(), 63);
        assert!(joined_name("ab", &long.parse().unwrap()).is_none());
    }
}
