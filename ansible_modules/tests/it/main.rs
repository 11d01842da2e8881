//! The modules as their callers see them: a request in, one line of JSON out.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails loudly")]

mod ask;
mod certificates;
mod coercions;
mod frame;
mod generated;
mod listeners;
mod options;
mod plugins;
mod program;
mod site;
