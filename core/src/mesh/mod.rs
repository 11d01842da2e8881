//! The mesh of a site: which Istio, in which order, with which values, and what its nodes must have for it.
//!
//! Istio is four charts of one version ([`COMPONENTS`]). [`releases`] gives each with the values that the routes and policies of
//! [`gateway`](crate::gateway) rely on; what is to be done with each is the decision of [`release`](crate::release). A node is looked at
//! before: [`node`] says where its containerd finds CNI, and which limits of inotify are raised.

pub mod codes;
mod component;
mod containerd;
mod namespaces;
pub mod node;

pub use component::{COMPONENTS, Component, ISTIO, MeshSettings, releases};
pub use containerd::{CniFolders, Containerd, agreed, judge_folders, no_containerd};
pub use namespaces::{judge_namespaces, missing_namespaces};
