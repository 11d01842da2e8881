//! The public edge in a report: names and routes.

use maud::{Markup, html as markup};

use super::section;
use crate::plan::human::{access, kind};
use crate::plan::{PlannedEdge, PlannedRoute};

pub(super) fn names(edge: &PlannedEdge) -> Markup {
    let servers = match edge.servers.as_slice() {
        [] => "No host of the inventory is in the group platform-edge.".to_owned(),
        servers => format!("Each is needed on {}.", servers.join(", ")),
    };
    let content = markup! {
        p.about { (servers) " No plan contacts an edge host." }
        div.scroll {
            table {
                thead { tr { @for heading in ["Public name", "Certificate", "Chain on the edge"] { th scope="col" { (heading) } } } }
                tbody {
                    @for host in &edge.hosts {
                        tr {
                            th scope="row" { (host.origin.to_string()) }
                            @match &host.certificate {
                                None => { td colspan="2" { "no TLS" } },
                                Some(needed) => { td { span class="pill plain" { "not seen" } } td.mono.whole { (needed.chain) } }
                            }
                        }
                    }
                }
            }
        }
    };
    section("names", "Public names", &content)
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
