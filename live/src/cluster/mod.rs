//! Reading a Kubernetes cluster: GET requests alone, by pages, with the identity of a private kubeconfig.
//!
//! Nothing is decided here: [`pharos_core::access`] judges the kubeconfig and names what stopped a reader, `pharos_core::plan` judges
//! what was seen. The kubeconfig is read once and never changed, and no text of it reaches a message.

mod api;
mod kubeconfig;
mod observe;
mod shapes;
mod transport;

use std::path::Path;
use std::time::Duration;

pub use kubeconfig::{address, certificates};
pub use observe::observe;

/// How the API is reached.
#[derive(Clone, Debug)]
pub struct Access<'a> {
    /// The private kubeconfig; its current context is used.
    pub kubeconfig: &'a Path,
    /// Whether the file may be missing: before a fresh installation there is no cluster, and nothing is seen of it then.
    pub may_be_missing: bool,
    /// The program that may be run for credentials, by the very name that the kubeconfig gives it.
    pub allowed_plugin: Option<&'a str>,
    /// A port on loopback that leads to the API, where its address is not reached from here. The API's certificate is verified
    /// against the address all the same.
    pub forward: Option<u16>,
    /// How long each connection, and each wait for an answer, may take.
    pub timeout: Duration,
    /// How many objects a page has: this bounds the memory that reading takes.
    pub page: u32,
}

impl<'a> Access<'a> {
    /// Access with this kubeconfig, without a plugin, 30 s for each answer, 500 objects a page.
    pub const fn new(kubeconfig: &'a Path) -> Self {
        Self {
            kubeconfig,
            may_be_missing: false,
            allowed_plugin: None,
            forward: None,
            timeout: Duration::from_secs(30),
            page: 500,
        }
    }
}
