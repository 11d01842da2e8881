//! The public edge in a report: names with their certificates, and routes.

use maud::{Markup, html as markup};

use super::section;
use crate::plan::human::{access, days, kind};
use crate::plan::{Plan, PlannedCertificate, PlannedEdge, PlannedRoute};

/// Days below which a certificate that is renewed on time never falls, and days that call for action at once.
const SOON: i64 = 21;
const NOW: i64 = 7;

/// The longest life that the bar shows: that of the usual public certificate.
const FULL: i64 = 90;

pub(super) fn certificates(plan: &Plan, edge: &PlannedEdge) -> Markup {
    let servers = match edge.servers.as_slice() {
        [] => "No host of the inventory is in the group platform-edge.".to_owned(),
        servers => format!("Each is needed on {}.", servers.join(", ")),
    };
    let content = markup! {
        p.about { (servers) }
        div.scroll {
            table {
                thead { tr { @for heading in ["Public name", "Certificate", "Ends", "Chain on the edge"] { th scope="col" { (heading) } } } }
                tbody {
                    @for host in &edge.hosts {
                        tr {
                            th scope="row" { (host.origin.to_string()) }
                            @match &host.certificate {
                                None => { td colspan="3" { "no TLS" } },
                                Some(needed) => { (certificate(plan, needed)) }
                            }
                        }
                    }
                }
            }
        }
    };
    section("certificates", "Names and certificates", &content)
}

fn certificate(plan: &Plan, needed: &PlannedCertificate) -> Markup {
    let left = needed.days_left(plan.at);
    let class = match left {
        None => "plain",
        Some(days) if days < NOW => "bad",
        Some(days) if days < SOON => "warn",
        Some(_) => "good",
    };
    markup! {
        td {
            span class=(format!("pill {class}")) { (days(left).unwrap_or_else(|| "not seen".to_owned())) }
            @if let Some(days) = left {
                // An attribute and not a style: the report's policy admits no style of its elements.
                svg class=(format!("bar {class}")) viewBox="0 0 90 5" preserveAspectRatio="none" aria-hidden="true" {
                    rect width=(days.clamp(0, FULL)) height="5" {}
                }
            }
            @if let Some(issuer) = &needed.issuer { div.about { (issuer) } }
        }
        td { @match needed.not_after { Some(end) => { time datetime=(end.to_string()) { (end.to_string()) } }, None => { "" } } }
        td.mono.whole { (needed.chain) }
    }
}

pub(super) fn routes(edge: &PlannedEdge) -> Markup {
    let content = markup! {
        @for host in &edge.hosts {
            h3 { (host.origin.to_string()) }
            div.scroll {
                table {
                    thead { tr { @for heading in ["Path", "Match", "Access", "Leads to", "Route"] { th scope="col" { (heading) } } } }
                    tbody { @for route in &host.routes { (row(route)) } }
                }
            }
        }
    };
    section("routes", "Routes", &content)
}

fn row(route: &PlannedRoute) -> Markup {
    markup! {
        tr {
            th.mono scope="row" { (route.path.path().to_string()) }
            td { (kind(&route.path)) @if route.websocket { " " span.chip { "WebSocket" } } }
            td { (access(route.access)) }
            td { span.mono { (route.backend.address) } " " span.chip { (route.backend.protocol) } }
            td.mono { (route.id.to_string()) }
        }
    }
}
