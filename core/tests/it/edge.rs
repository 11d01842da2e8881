//! The edge: configurations of nginx that are refused.

use pharos_core::diagnostic::Report;
use pharos_core::edge::inspect::{Observed, Ours, report};

use crate::rejected::Fixture;

/// A folder is a case for the renderer (see [`crate::edge_case`]). A `.json` fixture is what was observed by a transaction. A
/// `.conf` fixture is what `pharos edge inspect` is given; its first lines may say what else is known: `#! ours {json}` and
/// `#! observed {json}`.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    if fixture.path().is_dir() {
        return crate::edge_render::judge(fixture);
    }
    if fixture.path().extension().is_some_and(|extension| extension == "json") {
        return crate::edge_install::judge(fixture);
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
