//! The picture as SVG: bands of boxes, readable on light and on dark ground.

use std::fmt::Write;

use super::super::{Node, Topology};
use super::{address, bands, roles};

const COLUMNS: usize = 6;
const WIDTH: usize = 190;
const HEIGHT: usize = 66;
const GAP: usize = 10;
const TITLE: usize = 30;

const STYLE: &str = "\
svg{color-scheme:light dark;font:12px sans-serif}\
text{fill:#1b1f24}.title{font-weight:bold;font-size:14px}.name{font-weight:bold}.quiet{fill:#57606a}\
rect{fill:#f6f8fa;stroke:#8c959f}.primary{stroke:#0a58ca;stroke-width:3}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.quiet{fill:#9da7b1}rect{fill:#161b22;stroke:#6e7681}.primary{stroke:#6ea8fe}}";

/// A topology as an image that needs nothing else: a box a node, in one band a kind of node. Ends with a line end.
pub fn svg(topology: &Topology) -> String {
    let mut body = String::new();
    let mut top = GAP;
    for (title, nodes) in bands(topology) {
        // Writing to a string cannot fail.
        let _ = writeln!(body, "<text class=\"title\" x=\"{GAP}\" y=\"{}\">{title}: {}</text>", top + 16, nodes.len());
        top += TITLE;
        for (number, (name, node)) in nodes.iter().enumerate() {
            let x = GAP + number % COLUMNS * (WIDTH + GAP);
            let y = top + number / COLUMNS * (HEIGHT + GAP);
            draw(&mut body, (x, y), name, node, *name == topology.primary.node.as_str());
        }
        top += nodes.len().div_ceil(COLUMNS) * (HEIGHT + GAP) + GAP;
    }
    let width = COLUMNS * (WIDTH + GAP) + GAP;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {top}\" role=\"img\">\n<title>Topology</title>\n\
         <style>{STYLE}</style>\n{body}</svg>\n"
    )
}

fn draw(body: &mut String, (x, y): (usize, usize), name: &str, node: &Node, primary: bool) {
    let (class, mark) = if primary { (" class=\"primary\"", " (primary)") } else { ("", "") };
    let (left, full) = (x + 8, escaped(name));
    let lines = [(20, "name", format!("{name}{mark}")), (38, "quiet", roles(node)), (55, "quiet", address(node))];
    let _ = write!(
        body,
        "<g><title>{full}</title><rect{class} x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{HEIGHT}\" rx=\"6\"/>"
    );
    for (down, class, text) in lines {
        let _ =
            write!(body, "<text class=\"{class}\" x=\"{left}\" y=\"{}\">{}</text>", y + down, escaped(&short(&text)));
    }
    body.push_str("</g>\n");
}

/// What fits into a box; the whole name is its title.
fn short(text: &str) -> String {
    const MOST: usize = 27;
    if text.chars().count() <= MOST {
        return text.to_owned();
    }
    text.chars().take(MOST - 1).chain(['\u{2026}']).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::{escaped, short};

    #[test]
    fn a_name_fits_and_breaks_nothing() {
        assert_eq!(escaped("<a&\"b\">"), "&lt;a&amp;&quot;b&quot;&gt;");
        assert_eq!(short(&"x".repeat(27)), "x".repeat(27));
        assert_eq!(short(&"é".repeat(40)).chars().count(), 27);
    }
}
