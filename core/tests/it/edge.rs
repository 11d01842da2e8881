//! The edge: configurations of nginx that are refused.

use pharos_core::diagnostic::Report;
use pharos_core::edge::inspect::{Observed, Ours, report};

use crate::rejected::Fixture;

/// A folder is a case for the renderer (see [`crate::edge_case`]). A `.json` fixture is what was observed by a transaction, a
/// `.challenge` fixture what the inventory says of the edges, or what was fetched through a name. A
/// `.conf` fixture is what `pharos edge inspect` is given; its first lines may say what else is known: `#! ours {json}` and
/// `#! observed {json}`.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.path().is_dir() {
        return crate::edge_render::judge(fixture);
    }
    match fixture.path().extension().and_then(|extension| extension.to_str()) {
        Some("json") => return crate::edge_install::judge(fixture),
        Some("challenge") => return crate::edge_challenge::judge(fixture),
        _ => {}
    }
    let source = fixture.source();
    let said = |what: &str| {
        source.text().lines().find_map(|line| line.strip_prefix(&format!("#! {what} ")).map(str::to_owned))
    };
    let ours: Ours = said("ours").map_or_else(Ours::default, |json| serde_json::from_str(&json).unwrap());
    let observed: Observed =
        said("observed").map_or_else(Observed::default, |json| serde_json::from_str(&json).unwrap());
    let file = (source.name().to_owned(), std::fs::read(fixture.path()).unwrap());
    report(&[file], &ours, &observed).1
}
