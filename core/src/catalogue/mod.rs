//! From the service catalogue and an environment's choice of origins and profiles to the [`RouteTable`]: the one
//! value that every renderer accepts.
//!
//! [`CatalogueDocument`] is what is written, [`resolve`] judges it together with an environment, and [`check`] with any number
//! of policies. The kinds of rule are here; which service has which rule is data.

mod body;
pub mod codes;
mod document;
pub mod extension;
mod judge;
mod mesh;
mod resolve;
mod route;
mod view;

pub use body::BodyLimit;
pub use document::{
    BackendDocument, CatalogueDocument, HostBinding, Profile, Protocol, ReviewedServices, RouteDocument,
    ServiceDocument,
};
pub use extension::ExtensionDocument;
pub use mesh::{
    BackendPods, Destination, EgressDocument, IngressOwner, IpProtocol, ListenerPorts, MeshDocument, PathNormalization,
    PodLabels, PodSet, PublishedTrust, RecognisedBy, TargetPort, TrustSource,
};
pub use resolve::{check, check_with, resolve, resolve_with};
pub(crate) use resolve::{
    judge_catalogue, judge_environment, judge_laboratories, judge_laboratories_by_catalogue,
    judge_laboratories_by_environment, judge_policy,
};
pub use route::{Access, Backend, BackendProtocol, Owner, Route, RouteTable, Stream, Transport, VirtualHost};
pub use view::{BackendView, HostView, PathComparison, RouteView, hosts, view};
