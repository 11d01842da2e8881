//! Documents that were given in each other's place.

use std::sync::Arc;

use super::{Kind, codes};
use crate::diagnostic::{Diagnostic, Findings, Report, Source};
use crate::document;

impl Kind {
    /// What it is, for people.
    const fn words(self) -> &'static str {
        match self {
            Self::Catalogue => "a service catalogue",
            Self::EdgeEnvironment => "an edge environment",
            Self::Policy => "a policy",
            Self::Extension => "the extension of a laboratory",
        }
    }
}

/// `site/wrong-document` for each source that is sound enough to be told, and is of another kind than the first that is meant.
pub(super) fn judge(given: &[(&Arc<Source>, &[Kind])]) -> Result<(), Report> {
    let mut findings = Findings::new();
    for (source, meant) in given {
        if let Some(misplaced) = misplaced(source, meant) {
            findings.push(misplaced);
        }
    }
    findings.conclude(()).map(drop)
}

/// A source of another kind than those that are meant; the first of them is named.
pub(super) fn misplaced(source: &Arc<Source>, meant: &[Kind]) -> Option<Diagnostic> {
    let parsed = document::parse(source);
    let tree = parsed.tree()?;
    let (kind, key) = Kind::told(tree)?;
    let wanted = meant.first().filter(|_| !meant.contains(&kind))?;
    let named = tree.text_at("/environment").filter(|name| name.parse::<crate::name::EnvironmentName>().is_ok());
    let message = format!("this is {}, and {} is meant here", kind.words(), wanted.words());
    let diagnostic = Diagnostic::error(codes::WRONG_DOCUMENT, message);
    Some(
        diagnostic.at(tree.key_place(key), format!("{} has this key", kind.words())).help(remedy(kind, *wanted, named)),
    )
}

fn remedy(kind: Kind, wanted: Kind, environment: Option<&str>) -> String {
    let environment = environment.unwrap_or("ENV");
    match (kind, wanted) {
        (Kind::Policy, Kind::EdgeEnvironment) => {
            format!(
                "render one from it with `pharos edge environment --env {environment} > edge.json`, and name that file"
            )
        }
        (_, Kind::EdgeEnvironment) => {
            "name what `pharos edge environment --env ENV > edge.json` renders; the catalogue has an option of its own"
                .to_owned()
        }
        (_, Kind::Catalogue) => "name the catalogue of the site, for example `catalogue/services.yaml`".to_owned(),
        (_, Kind::Extension) => "name the file of the laboratory's routes".to_owned(),
        (_, Kind::Policy) => {
            format!("name the policy, `environments/{environment}/policy.yaml`: the other is rendered from it")
        }
    }
}
