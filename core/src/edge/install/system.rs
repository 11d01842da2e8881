//! Which hosts an edge is installed on.

use crate::certificate::UnixTime;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::codes;
use crate::edge::inspect::Master;

/// How far the clocks of a target and its controller may differ, in seconds.
pub const MAX_CLOCK_SKEW: i64 = 300;

/// What a host says of itself.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct System {
    /// Its `/etc/os-release`.
    pub os: OsRelease,
    /// The name of its first process.
    pub init: String,
    /// What `nginx -V` prints; `None` if there is no nginx.
    pub nginx: Option<String>,
    /// The unit `nginx.service`.
    pub unit: Unit,
    /// The clock of the host, in seconds since the epoch.
    pub clock: i64,
}

/// The fields of `/etc/os-release` that say which system it is.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OsRelease {
    /// `ID`: `debian`.
    pub id: String,
    /// `VERSION_ID`: `12`; empty for a system under development.
    pub version: String,
    /// `PRETTY_NAME`, for people.
    pub name: String,
}

impl OsRelease {
    /// From the text of the file (os-release(5)): assignments of a shell, quoted or not.
    pub fn parse(text: &str) -> Self {
        let value = |key: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim().trim_matches(['"', '\'']).to_owned()
        };
        Self { id: value("ID"), version: value("VERSION_ID"), name: value("PRETTY_NAME") }
    }
}

/// A systemd unit.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Unit {
    /// `LoadState`: `loaded`, `not-found`, `masked`, ...
    pub load: String,
    /// `ActiveState`: `active`, `inactive`, `failed`, ...
    pub active: String,
    /// `UnitFileState`: `enabled`, `disabled`, ...
    pub file: String,
    /// `MainPID`; `None` for 0.
    pub main_pid: Option<u32>,
}

impl Unit {
    /// From what `systemctl show -p LoadState,ActiveState,UnitFileState,MainPID` prints.
    pub fn parse(text: &str) -> Self {
        let value =
            |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('=')).unwrap_or_default();
        Self {
            load: value("LoadState").to_owned(),
            active: value("ActiveState").to_owned(),
            file: value("UnitFileState").to_owned(),
            main_pid: value("MainPID").parse().ok().filter(|pid| *pid != 0),
        }
    }

    /// Whether it runs.
    pub fn is_running(&self) -> bool {
        matches!(self.active.as_str(), "active" | "reloading")
    }

    /// Whether it is started at boot.
    pub fn is_enabled(&self) -> bool {
        self.file != "disabled"
    }
}

/// Judges whether an edge can be installed on this host: Debian 12 or 13 with systemd, nginx (if there) as its package brings it,
/// run by nothing but `nginx.service`, and a clock that agrees with the controller's. Ubuntu has the same layout and is let
/// through with a warning.
///
/// Codes: `edge/unsupported-host`, `edge/untested-host`, `edge/clock-skew`, `edge/unit-masked`, `edge/unit-busy`,
/// `edge/outside-unit`, `edge/nginx-missing` (in check mode a warning: the package is installed after every host was judged).
pub fn judge_system(system: &System, masters: &[Master], at: UnixTime, check: bool, findings: &mut Findings) {
    judge_os(system, findings);
    judge_clock(system.clock, at, findings);
    let unit = || Place::named("nginx.service");
    let Some(nginx) = &system.nginx else {
        let diagnostic = if check { Diagnostic::warning } else { Diagnostic::error };
        findings.push(
            diagnostic(codes::NGINX_MISSING, "nginx is not installed".to_owned())
                .at(Place::named("/usr/sbin/nginx"), "")
                .help("let the role `edge` install the package `nginx`"),
        );
        return;
    };
    if !nginx.contains("--conf-path=/etc/nginx/nginx.conf") {
        findings.push(
            unsupported("this nginx does not read /etc/nginx/nginx.conf").at(Place::named("/usr/sbin/nginx"), "").help(
                "install the distribution's package; one that was built with other paths is somebody else's to run",
            ),
        );
    }
    match (system.unit.load.as_str(), system.unit.active.as_str()) {
        ("masked", _) => findings.push(
            Diagnostic::error(codes::UNIT_MASKED, "the unit is masked: somebody has decided that nginx must not run")
                .at(unit(), "")
                .help("`systemctl unmask nginx`, if this host is to serve the edge"),
        ),
        ("loaded", "activating" | "deactivating" | "maintenance") => findings.push(
            Diagnostic::error(codes::UNIT_BUSY, format!("the unit is {}", system.unit.active))
                .at(unit(), "")
                .help("wait until it is started or stopped, then run this again"),
        ),
        ("loaded", _) => {}
        (load, _) => findings.push(unsupported(&format!("the unit is {load}")).at(unit(), "").help(
            "install the package `nginx`, which brings the unit; an nginx that something else starts cannot be reloaded",
        )),
    }
    for master in masters.iter().filter(|master| Some(master.pid) != system.unit.main_pid) {
        findings.push(
            Diagnostic::error(codes::OUTSIDE_UNIT, format!("nginx runs outside its unit: {}", master.to_text()))
                .at(unit(), "it cannot be reloaded as a unit")
                .help(format!("stop it (`kill -QUIT {}`) and start the unit in its place", master.pid)),
        );
    }
}

fn judge_os(system: &System, findings: &mut Findings) {
    let OsRelease { id, version, name } = &system.os;
    let place = || Place::named("/etc/os-release");
    match (id.as_str(), version.as_str()) {
        ("debian", "12" | "13") => {}
        ("ubuntu", _) => findings.push(
            Diagnostic::warning(codes::UNTESTED_HOST, format!("{name} has the layout of Debian, and is not tested"))
                .at(place(), "")
                .help("use Debian 12 or 13 where it matters"),
        ),
        _ => {
            let found = if name.is_empty() { "an unknown system" } else { name };
            findings.push(unsupported(&format!("this host runs {found}")).at(place(), "").help("use Debian 12 or 13"));
        }
    }
    if system.init != "systemd" {
        findings.push(
            unsupported(&format!("the first process of this host is `{}`", system.init))
                .at(Place::named("/proc/1/comm"), "")
                .help("use a host that is booted by systemd: nginx is reloaded and watched as a unit"),
        );
    }
}

fn judge_clock(clock: i64, at: UnixTime, findings: &mut Findings) {
    let skew = clock.saturating_sub(at.seconds());
    if skew.abs() > MAX_CLOCK_SKEW {
        let direction = if skew > 0 { "ahead of" } else { "behind" };
        findings.push(
            Diagnostic::error(
                codes::CLOCK_SKEW,
                format!("the clock of this host is {} s {direction} the controller's", skew.abs()),
            )
            .at(Place::named("clock"), format!("{} here, {at} there", UnixTime::new(clock)))
            .help("set the one that is wrong (`timedatectl`): certificates are judged by both"),
        );
    }
}

fn unsupported(what: &str) -> Diagnostic {
    Diagnostic::error(codes::UNSUPPORTED_HOST, format!("an edge cannot be installed here: {what}"))
}
