//! The parts of a report that are about the plan itself: verdict, figures, findings, layers, what was not seen.

use maud::{Markup, html as markup};

use super::{class, section};
use crate::inventory::Role;
use crate::plan::human::counted;
use crate::plan::{Grade, LayerState, Obstacle, Plan};

pub(super) fn verdict(plan: &Plan) -> Markup {
    let refused = plan.obstacles.contains(&Obstacle::Refused);
    markup! {
        @if plan.obstacles.is_empty() {
            div.verdict.good {
                strong { "Nothing stands in the way." }
                "Everything was judged and nothing is refused."
            }
        } @else {
            div class=(if refused { "verdict bad" } else { "verdict warn" }) {
                strong { "This plan authorises no change." }
                ul { @for obstacle in &plan.obstacles { li { (obstacle.words()) } } }
            }
        }
    }
}

pub(super) fn tiles(plan: &Plan) -> Markup {
    let mut tiles: Vec<(&str, String)> = Vec::new();
    if let Some(topology) = &plan.topology {
        tiles.push(("Nodes", topology.nodes.len().to_string()));
        tiles.push(("Control plane", topology.with_role(Role::ControlPlane).count().to_string()));
        tiles.push(("etcd members", topology.with_role(Role::Etcd).count().to_string()));
    }
    if let Some(edge) = &plan.edge {
        let routes: usize = edge.hosts.iter().map(|host| host.routes.len()).sum();
        tiles.push(("Public names", edge.hosts.len().to_string()));
        tiles.push(("Routes", routes.to_string()));
    }
    tiles.push(("Errors", plan.count(Grade::Error).to_string()));
    tiles.push(("Warnings", plan.count(Grade::Warning).to_string()));
    markup! {
        dl.tiles { @for (name, figure) in &tiles { div.tile { dt { (name) } dd { (figure) } } } }
    }
}

pub(super) fn findings(plan: &Plan) -> Markup {
    let content = markup! {
        @if plan.findings.is_empty() {
            p { "None." }
        } @else {
            p.about { (counted(plan)) ". " code { "pharos explain CODE" } " tells more about each." }
            ul.findings {
                @for finding in &plan.findings {
                    li class=(format!("finding {}", class(finding.grade))) {
                        strong { (finding.grade.word()) } " " code { (finding.code) }
                        p { (finding.message) }
                        @for place in &finding.places { p { "at " span.mono { (place) } } }
                        @if let Some(help) = &finding.help { p { strong { "Remedy: " } (help) } }
                    }
                }
            }
        }
    };
    section("findings", "Findings", &content)
}

pub(super) fn layers(plan: &Plan) -> Markup {
    let class = |state: LayerState| match state {
        LayerState::Runs => "pill note",
        LayerState::Stands => "pill good",
        LayerState::Undecided => "pill warn",
        LayerState::LeftOut => "pill out",
    };
    let content = markup! {
        p.about { "In the order in which they run." }
        ol.layers {
            @for planned in &plan.layers {
                li {
                    strong { (planned.layer.word()) }
                    span { span class=(class(planned.state)) { (planned.state.words()) } }
                    span { (planned.because) }
                }
            }
        }
    };
    section("layers", "Layers", &content)
}

pub(super) fn unseen(plan: &Plan) -> Markup {
    let content = markup! {
        ul { @for part in &plan.unseen { li { (part.words()) } } }
    };
    section("unseen", "Not seen", &content)
}

pub(super) fn bound(plan: &Plan) -> Markup {
    let prints = &plan.fingerprints;
    let optional = |print: &Option<crate::plan::Fingerprint>| print.as_ref().map(ToString::to_string);
    let rows = [
        ("Source", Some(prints.source.to_string())),
        ("Policy", optional(&prints.policy)),
        ("Inputs", optional(&prints.inputs)),
        ("Topology", optional(&prints.topology)),
        ("Live identities", optional(&prints.identities)),
        ("External identity", prints.external_identity.as_ref().map(ToString::to_string)),
    ];
    let content = markup! {
        p.about { "An operation is retried only while these hold; " code { "pharos plan diff" } " names what moved." }
        dl.facts {
            dt { "Commit" } dd { code { (plan.revision.commit) } }
            @for (name, print) in &rows {
                dt { (name) }
                dd { @match print { Some(print) => { code { (print) } }, None => { "none" } } }
            }
        }
    };
    section("bound", "Bound to", &content)
}
