//! What an environment selects: its mode, profiles, origins, networks, gateway, mail and pins.
//!
//! A [`PolicyDocument`] is committed. [`edge_environment`] renders from it the [`EdgeEnvironment`] that the edge playbook is
//! given. Both are an [`Environment`]: a [`Selection`] that the catalogue is resolved for.

pub mod codes;
mod document;
mod edge;
mod gateway;
mod ingress;
mod rules;
mod selection;
pub mod smtp;

pub use document::{ArgoSource, Cni, EdgePolicy, Foundation, Identity, PolicyDocument};
pub use edge::{EdgeEnvironment, Gateway, GatewayProtocol, Hsts, Mode, edge_environment};
pub use ingress::GatewayPolicy;
pub use rules::admitted;
pub use rules::is_policy_path;
pub(crate) use rules::too_wide;
pub use selection::{Bound, Environment, List, SelectedEdge, Selection};
pub use smtp::{SmtpPolicy, SmtpTls};
