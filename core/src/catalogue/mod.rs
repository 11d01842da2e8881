//! From the service catalogue and an environment's choice of origins and profiles to the [`RouteTable`]: the one
//! value that every renderer accepts.

mod route;

pub use route::{
    Access, Backend, BackendProtocol, BodyLimit, Owner, Route, RouteTable, Stream, Transport, VirtualHost,
};
