//! A private kubeconfig: read once, judged by the core, and only then used.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use kube::config::{ExecInteractiveMode, KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use pharos_core::access::{Failure, StoredAt, judge_kubeconfig};
use pharos_core::certificate::{MAX_CHAIN_BYTES, UnixTime};
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::plan::SeenCertificate;

use super::Access;
use super::transport::{Presented, connect};
use rustix::io::Errno;

use crate::error::io;
use crate::private::PrivateDir;

/// How long an allowed plugin may take to give its credentials, in seconds.
const PLUGIN_SECONDS: &str = "30";

/// A client of the API that the current context names, what that presents to it, and its address.
pub(super) async fn client(access: &Access<'_>) -> Result<(Client, Presented, String), Report> {
    let path = access.kubeconfig;
    let bytes = read(path)?;
    let name = path.to_string_lossy();
    let judged = judge_kubeconfig(&name, &bytes, access.allowed_plugin)?;
    // What kube says of a kubeconfig or a plugin that it cannot use may quote it: it is not passed on.
    let unusable = |failure: Failure| failure.refusal(&name, &judged.server, "before any request");
    let kubeconfig = std::str::from_utf8(&bytes).ok().and_then(|text| Kubeconfig::from_yaml(text).ok());
    let mut kubeconfig = kubeconfig.ok_or_else(|| unusable(Failure::Credentials))?;
    if let Some(program) = judged.plugin.clone().filter(|program| !is_program(program, &kubeconfig)) {
        return Err(unusable(Failure::NoPlugin { program }));
    }
    resolve_paths(&mut kubeconfig, path.parent().unwrap_or(Path::new(".")));
    bound_plugins(&mut kubeconfig);
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
    let mut config = config.map_err(|_| unusable(Failure::Credentials))?;
    if let Some(port) = access.forward {
        through(&mut config, port).ok_or_else(|| unusable(Failure::Credentials))?;
    }
    let (client, presented) = connect(config, access.timeout).map_err(|error| {
        unusable(match error {
            kube::Error::Auth(_) if judged.plugin.is_some() => Failure::Plugin,
            _ => Failure::Credentials,
        })
    })?;
    Ok((client, presented, judged.server))
}

/// Where the API is that the current context names, as `HOST:PORT`.
///
/// # Errors
/// `access/*`, `file/*`, `document/*`
pub fn address(access: &Access<'_>) -> Result<String, Report> {
    let name = access.kubeconfig.to_string_lossy();
    let judged = judge_kubeconfig(&name, &read(access.kubeconfig)?, access.allowed_plugin)?;
    let server = judged.server.parse::<http::Uri>().ok();
    let authority = server.as_ref().and_then(http::Uri::authority);
    let authority =
        authority.ok_or_else(|| Failure::Credentials.refusal(&name, &judged.server, "before any request"))?;
    Ok(format!("{}:{}", authority.host(), authority.port_u16().unwrap_or(443)))
}

/// The public certificates that the current context of a kubeconfig holds or names, and the findings on how long they last. A file
/// of certificates that cannot be read gives none: whoever connects with it is refused.
///
/// # Errors
/// `access/*`, `file/*`, `document/*`
pub fn certificates(access: &Access<'_>, at: UnixTime) -> Result<(Vec<SeenCertificate>, Report), Report> {
    let path = access.kubeconfig;
    let judged = judge_kubeconfig(&path.to_string_lossy(), &read(path)?, access.allowed_plugin)?;
    let mut findings = Findings::new();
    let mut all = Vec::new();
    for stored in &judged.certificates {
        let bytes = match &stored.at {
            StoredAt::Here(bytes) => Some(bytes.clone()),
            StoredAt::File(file) => public_file(&path.parent().unwrap_or(Path::new(".")).join(file)),
        };
        let (seen, report) = stored.see(&bytes.unwrap_or_default(), at);
        all.extend(seen);
        findings.extend(report);
    }
    Ok((all, findings.into_report()))
}

/// A file of certificates, as far as one can be: a regular one of no more than a chain has.
fn public_file(path: &Path) -> Option<Vec<u8>> {
    let most = u64::try_from(MAX_CHAIN_BYTES).ok()?;
    let regular = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).ok().filter(|_| regular.len() <= most)?;
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether a program is there under this name, which `timeout` looks for along PATH if no folder is in it. Where the kubeconfig gives
/// its programs a PATH of their own, it is left to `timeout`.
fn is_program(name: &str, kubeconfig: &Kubeconfig) -> bool {
    let programs = kubeconfig.auth_infos.iter().filter_map(|named| named.auth_info.as_ref()?.exec.as_ref());
    if programs
        .filter_map(|program| program.env.as_ref())
        .flatten()
        .any(|it| it.get("name").is_some_and(|it| it == "PATH"))
    {
        return true;
    }
    let executable = |path: &Path| {
        let metadata = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file);
        metadata.is_some_and(|metadata| metadata.permissions().mode() & 0o111 != 0)
    };
    if name.contains('/') {
        return executable(Path::new(name));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| executable(&folder.join(name)))
}

/// Leads a client through a forward on loopback. The certificate is verified against the address that the kubeconfig has.
fn through(config: &mut Config, port: u16) -> Option<()> {
    let original = config.cluster_url.host()?.trim_matches(['[', ']']).to_owned();
    let path = config.cluster_url.path().trim_end_matches('/');
    config.cluster_url = format!("https://127.0.0.1:{port}{path}").parse().ok()?;
    config.tls_server_name.get_or_insert(original);
    Some(())
}

fn read(path: &Path) -> Result<Vec<u8>, Report> {
    let missing = || io(path, "open", &Errno::NOENT);
    let whole = std::path::absolute(path).map_err(|error| io(path, "open", &error))?;
    let (Some(above), Some(name)) = (whole.parent(), whole.file_name().and_then(std::ffi::OsStr::to_str)) else {
        return Err(missing());
    };
    PrivateDir::open(above)?.read(name)?.ok_or_else(missing)
}

/// Paths in a kubeconfig are relative to the folder that it is in.
fn resolve_paths(kubeconfig: &mut Kubeconfig, above: &Path) {
    let resolve = |path: &mut Option<String>| {
        if let Some(path) = path {
            *path = above.join(&*path).to_string_lossy().into_owned();
        }
    };
    for cluster in kubeconfig.clusters.iter_mut().filter_map(|named| named.cluster.as_mut()) {
        resolve(&mut cluster.certificate_authority);
    }
    for user in kubeconfig.auth_infos.iter_mut().filter_map(|named| named.auth_info.as_mut()) {
        resolve(&mut user.client_certificate);
        resolve(&mut user.client_key);
        resolve(&mut user.token_file);
    }
}

/// A plugin asks nobody, writes to no terminal, and ends in time.
fn bound_plugins(kubeconfig: &mut Kubeconfig) {
    let users = kubeconfig.auth_infos.iter_mut().filter_map(|named| named.auth_info.as_mut());
    for plugin in users.filter_map(|user| user.exec.as_mut()) {
        plugin.interactive_mode = Some(ExecInteractiveMode::Never);
        let words = ["--kill-after=1".to_owned(), PLUGIN_SECONDS.to_owned(), plugin.command.take().unwrap_or_default()];
        let rest = plugin.args.take().unwrap_or_default();
        plugin.args = Some(words.into_iter().chain(rest).collect());
        plugin.command = Some("timeout".to_owned());
    }
}
