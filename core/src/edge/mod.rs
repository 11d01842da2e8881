//! The public edge: from routes, policy and certificates to an nginx configuration, and who else listens there.

pub mod codes;
pub mod nginx;
