//! The public edge: from routes, policy and certificates to an nginx configuration, and who else listens there.

pub mod binding;
pub mod challenge;
pub mod codes;
mod development;
mod host;
pub mod inspect;
pub mod install;
pub mod nginx;
mod record;
pub mod render;
mod version;

pub use development::judge_development;
pub use host::{CertificateFiles, CertificateMode, EdgeHost, HttpSetting, HttpSettings};
pub use version::{NGINX_VERSION_FORM, NginxBuild, NginxVersion};
