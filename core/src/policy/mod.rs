//! What an environment selects: its mode, profiles, origins, networks and gateway.

mod edge;

pub use edge::{EdgeEnvironment, Gateway, GatewayProtocol, Hsts, Mode};
