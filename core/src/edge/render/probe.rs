//! What must be seen from outside once the files are in effect.

use crate::catalogue::{Access, RouteTable, Transport};
use crate::edge::{CertificateFiles, EdgeHost};
use crate::name::{DnsLabel, HostName, PathMatch, Port};

/// A name that must be served, and with which certificate.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Served {
    /// The name.
    pub host: HostName,
    /// The port.
    pub port: Port,
    /// The files that hold its certificate; the leaf's serial number is what a handshake must show.
    pub files: CertificateFiles,
}

/// Every name that must be served, in ascending order; a name without certificate files is left out.
pub fn served(table: &RouteTable, host: &EdgeHost) -> Vec<Served> {
    table
        .hosts()
        .iter()
        .filter_map(|served| {
            let name = served.origin.host();
            let files = host.certificates.files(name)?;
            Some(Served { host: name.clone(), port: served.origin.port(), files })
        })
        .collect()
}

/// A request that shows whether a route is in effect.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Probe {
    /// The host.
    pub host: HostName,
    /// The port.
    pub port: Port,
    /// A path that the route takes.
    pub path: String,
    /// The route.
    pub route: DnsLabel,
    /// Whether somebody outside the management networks is answered 403.
    pub access: Access,
    /// What is spoken.
    pub transport: Transport,
}

/// A probe for each route that can be reached, in the order of the table.
pub fn probes(table: &RouteTable) -> Vec<Probe> {
    table
        .routes()
        .map(|(origin, route)| Probe {
            host: origin.host().clone(),
            port: origin.port(),
            path: match &route.path {
                PathMatch::Exact(path) | PathMatch::Prefix(path) => path.as_str().to_owned(),
            },
            route: route.id.clone(),
            access: route.access,
            transport: route.transport,
        })
        .collect()
}
