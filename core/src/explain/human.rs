//! An answer for people.

use std::fmt::Write as _;

use super::answer::{Answer, Hop, Verdict, text};
use crate::diagnostic::{Label, Place};

/// The verdict, the paths, and each hop with its rule and the lines that it comes from.
pub fn render(answer: &Answer) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}", summary(answer));
    let paths = [
        ("raw", Some(&answer.paths.raw)),
        ("at the edge", answer.paths.edge.as_ref()),
        ("at the gateway", answer.paths.gateway.as_ref()),
    ];
    for (name, path) in paths {
        if let Some(path) = path {
            let _ = writeln!(out, "  path {name:<15} {}", text(path));
        }
    }
    for hop in &answer.hops {
        push_hop(&mut out, hop);
    }
    out
}

/// One line: the verdict, and where a refusal was decided.
fn summary(answer: &Answer) -> String {
    let route = answer.route.as_ref().map(|route| format!(", route {route}")).unwrap_or_default();
    match answer.refusal() {
        None => {
            let upgrade = if answer.upgraded == Some(false) { ", and no WebSocket comes of it" } else { "" };
            let end = if answer.to_backend { "" } else { " at the edge, and no gateway is described behind it" };
            format!("{}{end}{route}, from {}{upgrade}", Verdict::Allow.word(), answer.from)
        }
        Some(hop) => {
            let seen = hop.refused.map(super::Answered::words).unwrap_or_default();
            format!("{} at {}: {seen}{route}, from {}", Verdict::Deny.word(), hop.name.word(), answer.from)
        }
    }
}

fn push_hop(out: &mut String, hop: &Hop) {
    let _ = writeln!(out, "\n{} {}: {}", hop.verdict().word(), hop.name.word(), hop.rule);
    let _ = writeln!(out, "  in {}", hop.object);
    for label in &hop.places {
        push_place(out, label);
    }
}

fn push_place(out: &mut String, label: &Label) {
    let note = if label.text.is_empty() { String::new() } else { format!("  ({})", label.text) };
    let _ = writeln!(out, "  at {}{note}", label.place.to_text());
    if let Some(line) = line(&label.place) {
        let _ = writeln!(out, "     | {}", line.trim());
    }
}

/// The first line of a place, where it may be shown.
fn line(place: &Place) -> Option<&str> {
    let (text, range) = place.excerpt()?;
    let start = text.get(..range.start)?.rfind('\n').map_or(0, |at| at + 1);
    text.get(start..)?.lines().next()
}
