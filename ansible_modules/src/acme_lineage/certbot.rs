//! The certbot of a host.

use std::path::Path;

use pharos_core::certificate::lineage::{CertbotRun, CertbotVersion, LineageDecision};
use pharos_core::diagnostic::{Findings, Report};

use super::arguments::CertbotSource;
use crate::host::program::{self, Said};

/// The package's program.
const DISTRIBUTION: &str = "/usr/bin/certbot";
/// The program of the virtual environment that the role makes.
const PYPI: &str = "/opt/pharos-certbot/bin/certbot";

/// What comes from the index trusts authorities of its own; ours trusts those of the host, as the package does. The units of its
/// timer say the same.
const TRUST: &str = "REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt";

/// A certbot, installed or not.
pub(super) struct Certbot {
    source: CertbotSource,
    program: &'static str,
    /// Its version; empty if it is not installed.
    pub(super) version: String,
    /// What says the version: that of the program, or of the package that would be installed.
    says: Option<String>,
    can_make_environments: bool,
}

impl Certbot {
    /// Looks for it.
    pub(super) fn find(source: CertbotSource) -> Result<Self, Report> {
        let program = match source {
            CertbotSource::Distribution => DISTRIBUTION,
            CertbotSource::Pypi => PYPI,
        };
        let installed = Path::new(program).exists();
        let said = if installed { Some(program::run(program, &["--version"])?.words()) } else { None };
        let version =
            said.as_deref().and_then(|said| said.trim().strip_prefix("certbot ")).unwrap_or_default().to_owned();
        let says = match (said, source) {
            (None, CertbotSource::Distribution) => candidate()?.map(|version| format!("certbot {version}")),
            (said, _) => said,
        };
        let pypi = source == CertbotSource::Pypi && !installed;
        let can_make_environments =
            !pypi || program::run("python3", &["-c", "import ensurepip, venv"]).is_ok_and(|said| said.ok);
        Ok(Self { source, program, version, says, can_make_environments })
    }

    fn missing(&self) -> bool {
        self.version.is_empty()
    }

    /// Judges its version where renewal is to be proven, and that of the package that would be installed. What the index of
    /// Python packages has is new enough.
    pub(super) fn judge(&self, proves_renewal: bool, check: bool, findings: &mut Findings) {
        let Some(says) = self.says.as_deref().filter(|_| proves_renewal) else {
            if self.missing() && !check {
                findings.extend(
                    program::run(self.program, &["--version"]).map_or_else(|report| report, |_| Report::default()),
                );
            }
            return;
        };
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        if let Err(report) = CertbotVersion::require(&host, says) {
            findings.extend(report);
        }
    }

    /// The Debian packages to install.
    pub(super) fn packages(&self) -> Vec<String> {
        let package = match self.source {
            CertbotSource::Distribution => Some("certbot").filter(|_| self.missing()),
            CertbotSource::Pypi => Some("python3-venv").filter(|_| !self.can_make_environments),
        };
        package.map(str::to_owned).into_iter().collect()
    }

    /// Whether its virtual environment is still to be made.
    pub(super) fn virtual_environment_missing(&self) -> bool {
        self.source == CertbotSource::Pypi && self.missing()
    }

    /// The timer that renews what it requested.
    pub(super) fn timer(&self) -> &'static str {
        match self.source {
            CertbotSource::Distribution => "certbot.timer",
            CertbotSource::Pypi => "pharos-certbot.timer",
        }
    }

    /// Whether the timer is not running or not started at boot; one that is not installed is neither.
    pub(super) fn timer_stopped(&self) -> Result<bool, Report> {
        let said = program::run("systemctl", &["show", self.timer(), "--property=ActiveState,UnitFileState"])?;
        Ok(!(said.stdout.contains("ActiveState=active") && said.stdout.contains("UnitFileState=enabled")))
    }

    /// Requests a certificate.
    pub(super) fn issue(&self, decision: &LineageDecision) -> Result<(), Report> {
        let said = self.run(&decision.arguments)?;
        run(&said).issued(&decision.host)
    }

    /// Tries a renewal with its hooks.
    pub(super) fn prove_renewal(&self, decision: &LineageDecision) -> Result<(), Report> {
        let said = self.run(&decision.renewal_check)?;
        run(&said).renewed(&decision.host)
    }

    fn run(&self, arguments: &[String]) -> Result<Said, Report> {
        let arguments = arguments.iter().map(String::as_str);
        match self.source {
            CertbotSource::Distribution => program::run(self.program, &arguments.collect::<Vec<_>>()),
            CertbotSource::Pypi => {
                program::run("env", &[TRUST, self.program].into_iter().chain(arguments).collect::<Vec<_>>())
            }
        }
    }
}

fn run(said: &Said) -> CertbotRun<'_> {
    CertbotRun { exit_code: said.code, stdout: &said.stdout, stderr: &said.stderr }
}

/// The version that apt would install; `None` if it has none.
fn candidate() -> Result<Option<String>, Report> {
    let said = program::run("apt-cache", &["policy", "certbot"])?;
    let version = said.stdout.lines().find_map(|line| line.trim().strip_prefix("Candidate: ")).map(str::to_owned);
    Ok(version.filter(|version| version != "(none)"))
}
