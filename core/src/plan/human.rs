//! A plan as text, for a person at a terminal.

use std::fmt::Write;

use serde_json::Value;

use super::observed::device_words;
use super::{Finding, Grade, Plan, PlannedEdge, Recorded, SeenCertificate, moved};
use crate::catalogue::Access;
use crate::certificate::{Remaining, UnixTime};
use crate::inventory::{Node, PrimaryBecause, Topology};
use crate::name::{NodeName, PathMatch};

/// How many nodes are listed; of a larger site the first ones are.
const NODES: usize = 30;

/// A record as text: what would run and on what, what is refused, what was not seen, and what it may authorise. A plan of a newer
/// release is shown as what it is.
pub fn human(recorded: &Recorded) -> String {
    match recorded {
        Recorded::Known(plan) => known(plan),
        Recorded::Newer { version, document } => newer(*version, document),
    }
}

/// Text that is written line by line; writing to a String cannot fail.
struct Page(String);

impl Page {
    /// One line. A control character that a record brings along never reaches the terminal.
    fn line(&mut self, text: &str) {
        let text: String = text.trim_end().chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        let _ = writeln!(self.0, "{text}");
    }

    fn heading(&mut self, text: &str) {
        let _ = writeln!(self.0, "\n{text}");
    }

    /// Rows in columns, each as wide as its widest cell.
    fn table(&mut self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
        let width = |column: usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
            self.line(&format!("  {}", cells.join("  ")));
        }
    }
}

fn known(plan: &Plan) -> String {
    let mut page = Page(String::new());
    page.line(&format!(
        "Plan of {} for {}, {}, made {}",
        plan.operation.word(),
        plan.environment,
        if plan.offline { "offline" } else { "online" },
        plan.at
    ));
    let dirty = if plan.revision.dirty { ", and uncommitted changes, which are no part of it" } else { "" };
    page.line(&format!("from commit {}{dirty}", moved::short(&plan.revision.commit)));
    topology(plan, &mut page);
    devices(plan, &mut page);
    layers(plan, &mut page);
    if let Some(edge) = &plan.edge {
        names(edge, &mut page);
    }
    certificates(plan, &mut page);
    if let Some(edge) = &plan.edge {
        routes(edge, &mut page);
    }
    findings(plan, &mut page);
    unseen(plan, &mut page);
    verdict(plan, &mut page);
    page.0
}

fn topology(plan: &Plan, page: &mut Page) {
    page.heading("Topology");
    if let Some(pinned) = &plan.pinned {
        page.line(&format!(
            "  {}, Kubernetes {}, {} {}",
            pinned.mode, pinned.kubernetes, pinned.cni.name, pinned.cni.version
        ));
    }
    let Some(topology) = &plan.topology else {
        page.line(&format!("  the inventory {}", plan.no_topology()));
        return;
    };
    let mut nodes: Vec<(&NodeName, &Node)> = topology.nodes.iter().collect();
    // What the others depend on comes first.
    nodes.sort_by_key(|(name, node)| (**name != topology.primary.node, node.roles.first().copied(), *name));
    let rows: Vec<Vec<String>> = nodes.iter().take(NODES).map(|(name, node)| row(name, node, topology)).collect();
    page.table(&rows);
    if let Some(more) = nodes.len().checked_sub(NODES).filter(|more| *more > 0) {
        page.line(&format!("  and {more} more; the report has all of them"));
    }
}

fn row(name: &NodeName, node: &Node, topology: &Topology) -> Vec<String> {
    let address = node.addresses.known_by().map(|address| address.to_string());
    let mut traits: Vec<String> = Vec::new();
    if *name == topology.primary.node {
        traits.push(primary(topology).to_owned());
    }
    traits.extend(node.labels.iter().map(|(label, value)| format!("{label}={value}")));
    traits.extend(node.taints.iter().map(ToString::to_string));
    if !node.devices.is_empty() {
        let count = node.devices.len();
        traits.push(format!("{count} {}", if count == 1 { "device" } else { "devices" }));
    }
    vec![name.to_string(), address.unwrap_or_else(|| "no address".to_owned()), roles(node), traits.join(", ")]
}

/// That a node is the primary, and why where no group says so.
pub(super) fn primary(topology: &Topology) -> &'static str {
    match topology.primary.because {
        PrimaryBecause::Group => "primary",
        PrimaryBecause::FirstControlPlane => "primary: the first control plane host",
    }
}

/// The roles of a node, joined; or that it has none.
pub(super) fn roles(node: &Node) -> String {
    let words: Vec<&str> = node.roles.iter().map(|role| role.word()).collect();
    if words.is_empty() { "no role".to_owned() } else { words.join(" + ") }
}

/// What the hosts have under the references of `storage_devices`, where a fresh installation was looked at.
fn devices(plan: &Plan, page: &mut Page) {
    let hosts = plan.observations.iter().flat_map(|seen| &seen.hosts);
    let rows: Vec<Vec<String>> = hosts
        .flat_map(|(name, host)| host.devices.iter().map(move |(reference, device)| (name, reference, device)))
        .map(|(name, reference, device)| vec![name.clone(), reference.clone(), device_words(device.as_ref())])
        .collect();
    if !rows.is_empty() {
        page.heading("Devices for storage");
        page.table(&rows);
    }
}

fn layers(plan: &Plan, page: &mut Page) {
    page.heading("Layers, in this order");
    let row = |(number, planned): (usize, &super::PlannedLayer)| {
        vec![
            format!("{}", number + 1),
            planned.layer.word().to_owned(),
            planned.state.words().to_owned(),
            planned.because.clone(),
        ]
    };
    page.table(&plan.layers.iter().enumerate().map(row).collect::<Vec<_>>());
}

fn names(edge: &PlannedEdge, page: &mut Page) {
    let servers = match edge.servers.as_slice() {
        [] => "no edge host is in the inventory's group platform-edge".to_owned(),
        servers => format!("on each of {}", servers.join(", ")),
    };
    page.heading(&format!("Public names and certificates, {servers}"));
    let rows: Vec<Vec<String>> = edge
        .hosts
        .iter()
        .map(|host| {
            let certificate = if host.certificate.is_some() { "certificate not seen" } else { "no TLS" };
            vec![host.origin.to_string(), certificate.to_owned()]
        })
        .collect();
    page.table(&rows);
}

/// The certificates that were seen, and how long each lasts.
fn certificates(plan: &Plan, page: &mut Page) {
    let row = |seen: &SeenCertificate| {
        let until = format!("until {}", seen.not_after);
        vec![seen.r#use.words().to_owned(), days(seen, plan.at), until, seen.subject.clone()]
    };
    let rows: Vec<Vec<String>> = plan.certificates.iter().map(row).collect();
    if !rows.is_empty() {
        page.heading("Certificates that were seen");
        page.table(&rows);
    }
}

/// How long a certificate lasts, in words.
pub(super) fn days(seen: &SeenCertificate, at: UnixTime) -> String {
    match (seen.remaining(at), seen.days_left) {
        (Remaining::NotYet, _) => "not valid yet".to_owned(),
        (Remaining::Nothing, _) => "expired".to_owned(),
        (_, 0) => "less than a day left".to_owned(),
        (_, 1) => "1 day left".to_owned(),
        (_, days) => format!("{days} days left"),
    }
}

fn routes(edge: &PlannedEdge, page: &mut Page) {
    page.heading("Routes");
    let mut rows = Vec::new();
    for host in &edge.hosts {
        for route in &host.routes {
            rows.push(vec![
                format!("{}{}", host.origin.host(), route.path.path()),
                kind(&route.path).to_owned(),
                access(route.access).to_owned(),
                format!("{} ({})", route.backend.address, route.backend.protocol),
            ]);
        }
    }
    page.table(&rows);
}

/// How a path takes requests, in a word.
pub(super) fn kind(path: &PathMatch) -> &'static str {
    match path {
        PathMatch::Exact(_) => "exact",
        PathMatch::Prefix(_) => "prefix",
    }
}

/// Who may use a route, in a word.
pub(super) fn access(access: Access) -> &'static str {
    match access {
        Access::Public => "public",
        Access::Management => "management",
    }
}

fn findings(plan: &Plan, page: &mut Page) {
    page.heading(&format!("Findings: {}", counted(plan)));
    for Finding { grade, code, message, places, help } in &plan.findings {
        page.line(&format!("  {}[{code}]: {message}", grade.word()));
        for place in places {
            page.line(&format!("    at {place}"));
        }
        if let Some(help) = help {
            page.line(&format!("    help: {help}"));
        }
    }
}

/// `2 errors, 1 warning`, or `none`.
pub(super) fn counted(plan: &Plan) -> String {
    let parts: Vec<String> = [Grade::Error, Grade::Warning, Grade::Note]
        .into_iter()
        .filter_map(|grade| match plan.count(grade) {
            0 => None,
            1 => Some(format!("1 {}", grade.word())),
            count => Some(format!("{count} {}s", grade.word())),
        })
        .collect();
    if parts.is_empty() { "none".to_owned() } else { parts.join(", ") }
}

fn unseen(plan: &Plan, page: &mut Page) {
    if !plan.unseen.is_empty() {
        page.heading("Not seen");
        plan.unseen.iter().for_each(|part| page.line(&format!("  {}", part.words())));
    }
}

fn verdict(plan: &Plan, page: &mut Page) {
    if plan.obstacles.is_empty() {
        page.heading("Nothing stands in the way of a change that this is planned for.");
    } else {
        page.heading("This plan authorises no change:");
        plan.obstacles.iter().for_each(|obstacle| page.line(&format!("  {}", obstacle.words())));
    }
    page.line(&format!("plan {}", plan.fingerprint()));
}

/// A record that this release does not understand: its own words where it has some, and no judgement.
fn newer(version: u64, document: &Value) -> String {
    let mut page = Page(String::new());
    page.line(&format!(
        "A plan of version {version}, which is newer than this release: it is shown as it is, and authorises no change."
    ));
    let mut rows = Vec::new();
    for (key, value) in document.as_object().into_iter().flatten() {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Array(items) => format!("{} items", items.len()),
            Value::Object(entries) => format!("{} keys", entries.len()),
            other => other.to_string(),
        };
        rows.push(vec![key.clone(), text]);
    }
    page.table(&rows);
    page.0
}
