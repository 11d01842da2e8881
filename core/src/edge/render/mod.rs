//! From judged routes, a policy and what is known of a host to the files that its nginx reads.
//!
//! Both files are whole: each is valid without the other, because they are installed one after the other. What they need to know of
//! the host is an argument; what decides who is served what they state themselves, so that nothing of it is inherited from the rest
//! of the host's configuration.

mod build;
mod challenge;
mod file;
mod gateway;
mod headers;
mod judge;
mod listen;
mod location;
mod probe;
mod server;
mod shared;
mod tls;
mod upstream;

pub use file::{Authorship, ConfigFile, HTTP_FILE, HTTPS_FILE, authorship};
pub use listen::judge_families;
pub use probe::{Probe, Served, probes, served};
pub use tls::TLS_GUIDELINE;

use crate::catalogue::RouteTable;
use crate::diagnostic::{Findings, Report};
use crate::edge::{CertificateMode, EdgeHost};
use crate::policy::EdgeEnvironment;

use gateway::Gateway;
use location::Context;
use server::Site;

/// The file of the HTTPS listener ([`HTTPS_FILE`]), and what was only warned about.
///
/// # Errors
/// `edge/listen-address`, `edge/certificate-files`, `edge/plain-origin` and `edge/hash-size` for what this host cannot serve, and
/// `policy/gateway-tls-missing` for a gateway that could not be verified.
pub fn https(
    table: &RouteTable,
    environment: &EdgeEnvironment,
    host: &EdgeHost,
) -> Result<(ConfigFile, Report), Report> {
    let mut findings = Findings::new();
    judge_families(&host.listen_addresses, host.ipv6, &mut findings);
    shared::judge(table, host, &mut findings);
    judge::origins(table, &mut findings);
    let files = judge::certificates(table, host, &mut findings);
    let gateway = Gateway::of(&environment.gateway).map_err(|refusal| findings.push(refusal)).ok();
    let (gateway, report) = findings.conclude(gateway)?;
    let Some(gateway) = gateway else { return Err(report) };

    let mut directives = vec![shared::access_log_format(), shared::https_path()];
    directives.extend(shared::routing_maps());
    directives.extend(shared::hash_sizes(table, host));
    directives.extend(upstream::blocks(table, &gateway));
    directives.extend(server::ports(table).into_iter().map(|port| server::unknown_names(port, host)));
    let management = location::admit(&environment.management_networks);
    let site = Site { environment, host, gateway: &gateway, locations: Context { gateway: &gateway, management } };
    directives.extend(
        table.hosts().iter().zip(&files).map(|(virtual_host, files)| server::known_name(virtual_host, files, &site)),
    );
    Ok((ConfigFile::new(HTTPS_FILE, directives), report))
}

/// The file of the listener on port 80 ([`HTTP_FILE`]); `None` where somebody else owns the certificates.
///
/// # Errors
/// `edge/listen-address`, as in [`https`].
pub fn http(table: &RouteTable, host: &EdgeHost) -> Result<Option<ConfigFile>, Report> {
    let CertificateMode::Certbot { webroot, issuer, .. } = &host.certificates else { return Ok(None) };
    let mut findings = Findings::new();
    judge_families(&host.listen_addresses, host.ipv6, &mut findings);
    let (directives, _) = findings.conclude(challenge::directives(table, host, webroot, issuer.as_ref()))?;
    Ok(Some(ConfigFile::new(HTTP_FILE, directives)))
}
