//! A topology as people read it: a text, and two kinds of picture.

mod dot;
mod svg;
mod text;

pub use dot::dot;
pub use svg::svg;
pub use text::human;

use super::{Node, Role, Topology};

/// The nodes of a picture in their bands: each stands in the first that it belongs to.
fn bands(topology: &Topology) -> Vec<(&'static str, Vec<(&str, &Node)>)> {
    let mut bands = [
        ("control plane", Vec::new()),
        ("etcd alone", Vec::new()),
        ("workers", Vec::new()),
        ("route reflectors", Vec::new()),
        ("without a role", Vec::new()),
    ];
    for (name, node) in &topology.nodes {
        let has = |role| node.roles.contains(&role);
        let band = [
            has(Role::ControlPlane),
            has(Role::Etcd) && !has(Role::Worker),
            has(Role::Worker),
            has(Role::RouteReflector),
        ]
        .into_iter()
        .position(|is| is)
        .unwrap_or(4);
        if let Some((_, nodes)) = bands.get_mut(band) {
            nodes.push((name.as_str(), node));
        }
    }
    bands.into_iter().filter(|(_, nodes)| !nodes.is_empty()).collect()
}

/// The roles of a node in words: `control-plane, etcd`.
fn roles(node: &Node) -> String {
    node.roles.iter().map(|role| role.word()).collect::<Vec<_>>().join(", ")
}

/// The address that other nodes know a node by, or else the one that it is reached at.
fn address(node: &Node) -> String {
    node.addresses.known_by().map(|address| address.to_string()).unwrap_or_default()
}
