//! From the [`RouteTable`](crate::catalogue::RouteTable) to the objects that make a mesh's gateway serve it.
//!
//! [`GatewaySettings`] are what a catalogue and a policy say of the gateway, judged; [`render`] gives [`Objects`]: one struct a kind,
//! each object knowing the routes that it is there for. [`Objects::manifests`] are their documents in the order in which they are
//! applied.

pub mod chart;
pub mod codes;
mod judge;
pub mod kind;
mod mesh;
mod objects;
mod proof;
mod render;
mod settings;
mod trust;

pub use judge::judge;
pub(crate) use judge::{judge_catalogue, judge_policy};
pub use mesh::{GatewayTopology, MeshConfig, Normalization, ProxyConfig};
pub use objects::{Manifest, Objects, Stage};
pub use proof::prove;
pub use render::{render, render_placed};
pub use settings::GatewaySettings;
pub use trust::{TRUST_KEY, TRUST_LABEL, Trust, publish};

use settings::service_host;
