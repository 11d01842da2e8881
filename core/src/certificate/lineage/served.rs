//! What is stored against what is served.

use crate::certificate::{Serial, codes};
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::name::HostName;

/// Compares the certificate that is stored for a host with the one that is served under its name. A hook that failed
/// leaves certbot at exit code 0 and nginx at the old certificate: this comparison tells.
///
/// # Errors
/// `certificate/not-served` if they differ.
pub fn compare_served(host: &HostName, stored: &Serial, served: &Serial) -> Result<(), Report> {
    if stored == served {
        return Ok(());
    }
    Err(Diagnostic::error(
        codes::NOT_SERVED,
        format!("`{host}` is served with another certificate than the stored one"),
    )
    .at(Place::named(host.as_str()), format!("serial {served} is served, {stored} is stored"))
    .help("reload nginx on the host (`nginx -t && systemctl reload nginx`) and look at the hook of the lineage")
    .into())
}
