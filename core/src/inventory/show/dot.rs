//! The picture in the language of Graphviz.

use std::fmt::Write;

use super::super::Topology;
use super::{address, bands, roles};

/// A topology as a graph: a box a node, in one cluster a kind of node. Ends with a line end.
pub fn dot(topology: &Topology) -> String {
    let mut text = String::from("graph topology {\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n");
    for (number, (title, nodes)) in bands(topology).into_iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={};", quoted(title));
        for (name, node) in nodes {
            let primary = if name == topology.primary.node.as_str() { ", penwidth=2" } else { "" };
            let lines = [name, &roles(node), &address(node)].map(escaped).join("\\n");
            let _ = writeln!(text, "    {} [label=\"{lines}\"{primary}];", quoted(name));
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', " ")
}
