//! What the host says of itself.

use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::edge::install::{OsRelease, System, Unit};

use super::program;
use crate::files;

/// The program that the distributions' packages bring.
pub(crate) const NGINX: &str = "/usr/sbin/nginx";

/// The system, its nginx and the unit of that.
pub(crate) fn observe() -> Result<System, Report> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    let os_release = files::read_if_there(Path::new("/etc/os-release"))?.unwrap_or_default();
    let init = text(&files::read(Path::new("/proc/1/comm"))?);
    let unit = if init == "systemd" { unit()? } else { Unit::default() };
    Ok(System { os: OsRelease::parse(&text(&os_release)), init, nginx: nginx()?, unit, clock: clock() })
}

/// What `nginx -V` says; `None` if there is no nginx.
fn nginx() -> Result<Option<String>, Report> {
    if !Path::new(NGINX).exists() {
        return Ok(None);
    }
    Ok(Some(program::run(NGINX, &["-V"])?.stderr))
}

/// The unit `nginx.service`.
pub(crate) fn unit() -> Result<Unit, Report> {
    unit_of("nginx.service")
}

/// A unit.
pub(crate) fn unit_of(name: &str) -> Result<Unit, Report> {
    let properties = "--property=LoadState,ActiveState,UnitFileState,MainPID";
    Ok(Unit::parse(&program::run("systemctl", &["show", name, properties])?.stdout))
}

/// The host's clock: seconds since the epoch.
pub(crate) fn clock() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(i64::MAX))
}

/// Whether the kernel offers IPv6.
pub(crate) fn ipv6() -> bool {
    // Made by the kernel with the first IPv6 address; with `disable_ipv6` there is none.
    std::fs::read_to_string("/proc/net/if_inet6").is_ok_and(|text| !text.trim().is_empty())
}
