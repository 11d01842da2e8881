//! What crosses a border of the core: documents in, reports and configuration out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and reads its own fixtures"
)]

mod access;
mod ansible;
mod catalogue;
mod certificate;
mod chart;
mod codes_index;
mod committed;
mod diagnostic;
mod document;
mod edge;
mod edge_assess;
mod edge_case;
mod edge_challenge;
#[cfg(feature = "real-nginx")]
mod edge_changes;
mod edge_corpus;
mod edge_hostile;
mod edge_install;
mod edge_render;
#[cfg(feature = "real-nginx")]
mod edge_selection;
#[cfg(feature = "real-nginx")]
mod edge_verdicts;
mod environment;
mod explain;
mod extension;
mod faults;
mod file;
mod foundation;
mod gateway;
mod gateway_proof;
mod golden;
mod identity;
mod inventory;
#[cfg(feature = "real-nginx")]
mod large_site;
mod mesh;
mod name;
#[cfg(feature = "real-nginx")]
mod nginx_judge;
mod pages;
mod plan;
mod policy;
mod probe;
#[cfg(feature = "real-nginx")]
mod real_nginx;
mod rejected;
mod release;
mod schemas;
mod secrecy;
mod site;
mod trust;
mod written;
