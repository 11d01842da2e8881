//! A plan as a report for a browser: one file that loads nothing, runs nothing, and shows the same as the record.

mod certificates;
mod edge;
mod nodes;
mod parts;

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Grade, Plan, Recorded, moved};

const STYLE: &str = include_str!("style.css");

/// A plan as an HTML document that stands alone: it works from a file, without a network and without scripts.
pub fn html(plan: &Plan) -> String {
    known(plan).into_string()
}

/// A record as such a document; a plan of a newer release is shown as what it is.
pub fn html_record(recorded: &Recorded) -> String {
    match recorded {
        Recorded::Known(plan) => html(plan),
        Recorded::Newer { version, document } => newer(*version, document).into_string(),
    }
}

/// The frame of every report. Its policy forbids the browser everything but this one style.
fn document(title: &str, body: &Markup) -> Markup {
    let digest = openssl::base64::encode_block(&Sha256::digest(STYLE));
    let policy = format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'");
    markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

fn known(plan: &Plan) -> Markup {
    let title = format!("{} of {}", plan.operation.word(), plan.environment);
    let body = markup! {
        a.skip href="#main" { "To the content" }
        header.page {
            h1 { "Plan of " (plan.operation.word()) " for " (plan.environment) }
            p.about {
                "Made " time datetime=(plan.at.to_string()) { (plan.at) } ", "
                (if plan.offline { "offline" } else { "online" }) ", from commit "
                code { (moved::short(&plan.revision.commit)) }
                @if plan.revision.dirty { ", and uncommitted changes, which are no part of it" }
                "."
            }
            (parts::verdict(plan))
            (parts::tiles(plan))
        }
        nav aria-label="Sections" {
            ul.page {
                @for (id, name) in sections(plan) { li { a href=(format!("#{id}")) { (name) } } }
            }
        }
        main.page #main {
            (parts::findings(plan))
            (nodes::topology(plan))
            (parts::layers(plan))
            @if let Some(served) = &plan.edge { (edge::names(served)) }
            @if !plan.certificates.is_empty() { (certificates::certificates(plan)) }
            @if let Some(served) = &plan.edge { (edge::routes(served)) }
            @if !plan.unseen.is_empty() { (parts::unseen(plan)) }
            (parts::bound(plan))
        }
        footer.page { "Plan " code { (plan.fingerprint()) } }
    };
    document(&title, &body)
}

/// The sections that a plan has, in order.
fn sections(plan: &Plan) -> Vec<(&'static str, &'static str)> {
    let all = [
        (true, "findings", "Findings"),
        (true, "topology", "Topology"),
        (true, "layers", "Layers"),
        (plan.edge.is_some(), "names", "Public names"),
        (!plan.certificates.is_empty(), "certificates", "Certificates"),
        (plan.edge.is_some(), "routes", "Routes"),
        (!plan.unseen.is_empty(), "unseen", "Not seen"),
        (true, "bound", "Bound to"),
    ];
    all.into_iter().filter(|(there, ..)| *there).map(|(_, id, name)| (id, name)).collect()
}

/// The class of a grade's colours.
fn class(grade: Grade) -> &'static str {
    match grade {
        Grade::Error => "bad",
        Grade::Warning => "warn",
        Grade::Note => "note",
    }
}

/// A section with its heading.
fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    markup! {
        section id=(id) aria-labelledby=(format!("{id}-heading")) {
            h2 id=(format!("{id}-heading")) { (heading) }
            (content)
        }
    }
}

fn newer(version: u64, record: &Value) -> Markup {
    let title = format!("A plan of version {version}");
    let body = markup! {
        header.page {
            h1 { (title) }
            div.verdict.warn {
                strong { "Version " (version) " is newer than this release: the record is shown as it is, and authorises no change." }
            }
        }
        main.page #main {
            (section("record", "The record", &markup! {
                dl.facts {
                    @for (key, value) in record.as_object().into_iter().flatten() {
                        dt { (key) }
                        dd { code { (short_form(value)) } }
                    }
                }
            }))
        }
    };
    document(&title, &body)
}

fn short_form(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("{} items", items.len()),
        Value::Object(entries) => format!("{} keys", entries.len()),
        other => other.to_string(),
    }
}
