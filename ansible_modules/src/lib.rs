//! The Ansible modules of `pharos.platform`: thin fronts on the core.
//!
//! A request travels one way. [`request`] splits Ansible's own keys off and finds the module, [`options`] judges its
//! arguments against the module's argument type, the [`runner`] calls the module and turns its [`Outcome`] or
//! [`Failure`] into the one JSON answer. A module is a type that implements [`Module`] and stands in [`registry::MODULES`];
//! its documentation, argument specification and action plugin are [generated](generate) from the same types. A template asks
//! a [plugin] in the same way.

mod acme_lineage;
mod acme_lineages_info;
mod certificate_files;
mod certificate_info;
pub mod command_line;
mod development_certificate;
mod edge_config;
mod edge_host;
mod edge_listeners_info;
mod edge_render;
pub mod fault;
mod files;
pub mod generate;
mod host;
mod laboratories;
mod mesh_node;
mod mesh_render;
mod module;
pub mod options;
mod outcome;
pub mod plugin;
pub mod registry;
mod release_info;
mod releases;
pub mod request;
mod route_extension;
mod routes_render;
pub mod runner;
mod service_binding;
mod site;
mod site_info;
mod site_trust_render;
mod stages_info;
mod trial;
mod variables_info;

pub use module::{Context, ControllerDocument, Entry, Family, Module, Place};
pub use outcome::{Change, Failure, Outcome, State};
pub use runner::run;
