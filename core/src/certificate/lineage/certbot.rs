//! Certbot: the arguments that it is given, its version, and what its output means.

use super::server::AcmeServer;
use crate::certificate::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::name::{AbsolutePath, HostName, MailAddress};

/// What runs after each issue and renewal: nginx reads the new files if the configuration as a whole is sound.
pub const DEPLOY_HOOK: &str = "nginx -t && systemctl reload nginx";

/// How certificates are to be had from an ACME server.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct AcmePolicy {
    /// The hosts, each with a lineage of its own.
    pub hosts: Vec<HostName>,
    /// The server, if it is not Let's Encrypt's.
    pub server: Option<AcmeServer>,
    /// Whether certificates that nobody trusts are meant; without a server of one's own, Let's Encrypt's staging server.
    pub staging: bool,
    /// The folder that port 80 serves challenges from.
    pub webroot: AbsolutePath,
    /// Whom the authority writes to.
    pub email: Option<MailAddress>,
}

impl AcmePolicy {
    /// The server that certificates are requested from.
    pub fn effective_server(&self) -> AcmeServer {
        match (&self.server, self.staging) {
            (Some(server), _) => server.clone(),
            (None, true) => AcmeServer::staging(),
            (None, false) => AcmeServer::production(),
        }
    }

    /// The arguments that request a host's certificate. An existing lineage is renewed whether or not it is due: otherwise
    /// certbot answers `no action taken` and records neither server nor hook.
    pub(super) fn issue(&self, host: &HostName, existing: bool) -> Vec<String> {
        let server = self.effective_server();
        let mut arguments = words(&["certonly", "-n", "--agree-tos", "--webroot", "-w", self.webroot.as_str()]);
        arguments.extend(words(&["-d", host.as_str(), "--cert-name", host.as_str(), "--deploy-hook", DEPLOY_HOOK]));
        arguments.extend(words(&["--server", server.as_str()]));
        match &self.email {
            Some(email) => arguments.extend(words(&["--email", email.as_str()])),
            None => arguments.extend(words(&["--register-unsafely-without-email"])),
        }
        if existing {
            arguments.extend(words(&["--force-renewal", "--renew-with-new-domains"]));
        }
        arguments
    }
}

/// The arguments that prove a lineage's renewal. A dry run goes to Let's Encrypt's staging server whatever the lineage
/// says, unless the server is named; without `--run-deploy-hooks` no hook runs, and without a terminal certbot sleeps.
pub fn renewal_check(host: &HostName, server: &str) -> Vec<String> {
    let mut arguments = words(&["renew", "--cert-name", host.as_str(), "--dry-run", "--run-deploy-hooks"]);
    arguments.extend(words(&["--no-random-sleep-on-renew", "--server", server]));
    arguments
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|word| (*word).to_owned()).collect()
}

/// The version of certbot, as `certbot --version` prints it.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct CertbotVersion(u32, u32, u32);

impl CertbotVersion {
    /// The first one with `--run-deploy-hooks`.
    const FIRST: Self = Self(2, 3, 0);

    /// Reads the output of `certbot --version` on this host, and asks for 2.3.0 or newer.
    ///
    /// # Errors
    /// `certificate/certbot-version` if there is no version in it, `certificate/certbot-too-old` if it is an older one.
    pub fn require(host: &str, output: &str) -> Result<Self, Report> {
        let Some(version) = output.lines().find_map(|line| line.trim().strip_prefix("certbot ")).and_then(Self::parse)
        else {
            return Err(Diagnostic::error(codes::CERTBOT_VERSION, "certbot does not say its version")
                .at(Place::named(host), "")
                .help("run `certbot --version` there: it prints `certbot` and a version")
                .into());
        };
        if version < Self::FIRST {
            let message = format!("certbot {version} cannot run deploy hooks in a trial renewal; {} can", Self::FIRST);
            return Err(Diagnostic::error(codes::CERTBOT_TOO_OLD, message)
                .at(Place::named(host), "")
                .help(
                    "set `edge_certbot_source: pypi`, or use Debian 13; `edge_acme_renewal_check: false` leaves the proof \
                     of renewal out",
                )
                .into());
        }
        Ok(version)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.trim().split('.').map(|part| {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            part.get(..digits)?.parse().ok()
        });
        let (major, minor) = (parts.next()??, parts.next()??);
        Some(Self(major, minor, parts.next().flatten().unwrap_or(0)))
    }
}

impl std::fmt::Display for CertbotVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// A finished run of certbot.
#[derive(Clone, Copy, Debug)]
pub struct CertbotRun<'a> {
    /// Its exit code.
    pub exit_code: i32,
    /// What it wrote to standard output.
    pub stdout: &'a str,
    /// What it wrote to standard error.
    pub stderr: &'a str,
}

impl CertbotRun<'_> {
    /// Judges the request of a host's certificate.
    ///
    /// # Errors
    /// `certificate/certbot-failed` with what the authority reported; `certificate/hook-failed` where certbot itself calls
    /// it a success.
    pub fn issued(&self, host: &HostName) -> Result<(), Report> {
        let mut findings = Findings::new();
        self.failed(host, "did not get the certificate", &mut findings);
        if !findings.refused() && !self.lines().any(|line| line.starts_with("Successfully received certificate")) {
            findings.push(
                Diagnostic::error(codes::CERTBOT_FAILED, format!("certbot received no certificate for `{host}`"))
                    .at(Place::named(host.as_str()), self.stdout.lines().next().unwrap_or_default())
                    .help("an existing lineage is renewed by `--force-renewal` alone: otherwise certbot keeps it as it is"),
            );
        }
        self.hooks(host, &mut findings);
        findings.conclude(()).map(drop)
    }

    /// Judges a trial renewal of a host's lineage.
    ///
    /// # Errors
    /// As [`issued`](Self::issued), and `certificate/renewal-unproven` if certbot does not name the lineage as renewed.
    pub fn renewed(&self, host: &HostName) -> Result<(), Report> {
        let mut findings = Findings::new();
        self.failed(host, "could not renew the lineage", &mut findings);
        self.hooks(host, &mut findings);
        let file = format!("/live/{host}/fullchain.pem (success)");
        if !findings.refused() && !self.lines().any(|line| line.ends_with(&file)) {
            findings.push(
                Diagnostic::error(codes::RENEWAL_UNPROVEN, "certbot does not name the lineage as renewed")
                    .at(Place::named(host.as_str()), "")
                    .help(format!(
                        "run `certbot {}` on the host and read its output",
                        renewal_check(host, "URL").join(" ")
                    )),
            );
        }
        findings.conclude(()).map(drop)
    }

    fn lines(&self) -> impl Iterator<Item = &str> {
        self.stdout.lines().chain(self.stderr.lines()).map(str::trim_end)
    }

    fn failed(&self, host: &HostName, what: &str, findings: &mut Findings) {
        if self.exit_code == 0 {
            return;
        }
        let reports = |line: &&str| line.starts_with("  Type: ") || line.starts_with("  Detail: ");
        let reported: Vec<&str> = self.lines().filter(reports).map(str::trim).collect();
        let (why, help) = if reported.is_empty() {
            (self.first_complaint(), "certbot's log tells more: `/var/log/letsencrypt/letsencrypt.log`")
        } else {
            (reported.join("; "), "port 80 of this name must answer the authority's challenges from the webroot")
        };
        findings.push(
            Diagnostic::error(
                codes::CERTBOT_FAILED,
                format!("certbot {what} of `{host}` (exit code {})", self.exit_code),
            )
            .at(Place::named(host.as_str()), why)
            .help(help),
        );
    }

    /// The first line of standard error that is not about the log or about where to ask.
    fn first_complaint(&self) -> String {
        let routine = ["Saving debug log to", "Ask for help or search", "An unexpected error occurred:"];
        let lines = self.stderr.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut complaints = lines.filter(|line| !routine.iter().any(|words| line.starts_with(words)));
        complaints.next().unwrap_or("certbot gave no reason").to_owned()
    }

    /// Certbot ends with 0 when a hook fails; only its words tell.
    fn hooks(&self, host: &HostName, findings: &mut Findings) {
        for line in self.lines().filter(|line| line.contains("reported error code")) {
            findings.push(
                Diagnostic::error(
                    codes::HOOK_FAILED,
                    "a hook of certbot failed, and nginx may serve what it served before",
                )
                .at(Place::named(host.as_str()), line.trim())
                .help("run `nginx -t` and `systemctl reload nginx` on the host and mend what they report"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CertbotVersion;

    #[test]
    fn versions_are_compared_as_numbers() {
        let read = |text: &str| CertbotVersion::require("edge-1", text).map(|version| version.to_string()).ok();
        assert_eq!(read("certbot 2.3.0\n").as_deref(), Some("2.3.0"));
        assert_eq!(read("certbot 10.0\n").as_deref(), Some("10.0.0"));
        assert_eq!(read("certbot 4.1.0.dev0").as_deref(), Some("4.1.0"));
        assert_eq!(read("certbot 2.1.0"), None);
        assert_eq!(read("command not found"), None);
    }
}
