//! What the real nginx of Debian 12 and 13 says of the rendered files, and how it behaves with them.
//!
//! Needs root: each test runs in a network namespace of its own, where the real addresses and ports are free, and starts nginx
//! through `tests/bin/nginx-of`, which brings the package's own root along.

mod accepted;
mod backend;
mod bed;
mod body;
mod challenge;
mod client;
mod explain;
mod forwarding;
mod gateway;
mod paths;
mod routing;
mod secrecy;
mod site;
mod words;

/// The nginx of Debian 12 and of Debian 13.
const SERIES: [&str; 2] = ["1.22", "1.26"];
