//! Which lineages to issue, to re-issue, and to leave as they are.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::certbot::{AcmePolicy, DEPLOY_HOOK, renewal_check};
use super::conf::RenewalConf;
use super::server::AcmeServer;
use crate::certificate::bundle::{self, CHAIN, Keys};
use crate::certificate::facts::Certificate;
use crate::certificate::{CertificateSummary, Input, Remaining, UnixTime, codes, key, server_name};
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::name::HostName;

/// What lies on the host for one lineage name.
#[derive(Clone, Copy, Debug)]
pub struct LineageFiles<'a> {
    /// The name: that of `renewal/NAME.conf` and of `live/NAME/`.
    pub name: &'a str,
    /// The renewal configuration, if there is one.
    pub renewal: Option<Input<'a>>,
    /// `live/NAME/fullchain.pem`, if it can be read.
    pub chain: Option<Input<'a>>,
    /// `live/NAME/privkey.pem`, if it can be read.
    pub key: Option<Input<'a>>,
    /// Whether `live/NAME` or `archive/NAME` exists and is not empty.
    pub folders: bool,
}

/// What is to be done for a host.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// There is no lineage: request one.
    Issue,
    /// The lineage is not as the policy says: request its certificate anew.
    Reissue,
    /// Nothing: the timer renews it.
    Leave,
}

/// Why a certificate is requested.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// The host has no lineage.
    Missing,
    /// The certificate is over.
    Expired,
    /// Renewal is due and did not happen.
    Expiring,
    /// The certificate does not name the host.
    Names,
    /// The private key is not that of the certificate.
    KeyMismatch,
    /// A staging certificate where the policy asks for one that clients trust.
    Staging,
    /// The lineage is renewed by another ACME server.
    Server,
    /// No hook is recorded: a renewed certificate would not be served.
    HookMissing,
    /// Another hook is recorded.
    HookStale,
    /// Renewal would prove the name in another way, or from another folder.
    Webroot,
}

/// A reason with its evidence.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The kind.
    pub kind: ReasonKind,
    /// What was found, in words.
    pub detail: String,
}

/// The decision on a host's lineage.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LineageDecision {
    /// The host, which is the lineage's name as well.
    pub host: HostName,
    /// What is to be done.
    pub action: Action,
    /// Why; empty for what is left as it is.
    pub reasons: Vec<Reason>,
    /// The arguments for certbot, which do it; empty for what is left as it is.
    pub arguments: Vec<String>,
    /// The arguments for certbot that prove renewal once the lineage stands.
    pub renewal_check: Vec<String>,
    /// The server's certificate as it is stored now.
    pub stored: Option<CertificateSummary>,
}

/// Decides on every host of the policy. Lineages of other names are never touched.
///
/// # Errors
/// `certificate/renewal-conf`, `certificate/lineage-broken` and `certificate/lineage-remnant` for lineages that certbot
/// would step around by making another one of a similar name. Warnings: `certificate/lineage-duplicate`,
/// `certificate/production-kept`.
pub fn decide(
    policy: &AcmePolicy,
    lineages: &[LineageFiles<'_>],
    at: UnixTime,
) -> Result<(Vec<LineageDecision>, Report), Report> {
    let mut findings = Findings::new();
    let mut decisions = Vec::new();
    for host in &policy.hosts {
        for twin in lineages.iter().filter(|lineage| twin_of(lineage.name, host)) {
            findings.push(duplicate(host, twin));
        }
        let found = lineages.iter().find(|lineage| lineage.name == host.as_str());
        match found.map(|files| Lineage::read(files, &mut findings)) {
            None | Some(Read::Absent) => decisions.push(missing(policy, host)),
            Some(Read::Refused) => {}
            Some(Read::Lineage(lineage)) => decisions.push(lineage.decide(policy, host, at, &mut findings)),
        }
    }
    findings.conclude(decisions)
}

/// Whether certbot made this lineage beside the host's own: `HOST-0001` and so on.
fn twin_of(name: &str, host: &HostName) -> bool {
    let number = name.strip_prefix(host.as_str()).and_then(|rest| rest.strip_prefix('-'));
    number.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn duplicate(host: &HostName, twin: &LineageFiles<'_>) -> Diagnostic {
    let message = format!("certbot keeps a lineage `{}` beside that of `{host}`", twin.name);
    Diagnostic::warning(codes::LINEAGE_DUPLICATE, message)
        .at(twin.renewal.map_or_else(|| Place::named(twin.name), |renewal| Place::named(renewal.name)), "")
        .help(format!("once nothing names its files, remove it: `certbot delete --cert-name {}`", twin.name))
}

fn missing(policy: &AcmePolicy, host: &HostName) -> LineageDecision {
    LineageDecision {
        host: host.clone(),
        action: Action::Issue,
        reasons: vec![Reason { kind: ReasonKind::Missing, detail: format!("there is no lineage `{host}`") }],
        arguments: policy.issue(host, false),
        renewal_check: renewal_check(host, policy.effective_server().as_str()),
        stored: None,
    }
}

enum Read {
    Absent,
    /// The findings say why.
    Refused,
    Lineage(Box<Lineage>),
}

/// A lineage that can be used.
struct Lineage {
    conf: RenewalConf,
    leaf: Certificate,
    key_matches: bool,
}

impl Lineage {
    fn read(files: &LineageFiles<'_>, findings: &mut Findings) -> Read {
        let Some(renewal) = files.renewal else {
            if !files.folders {
                return Read::Absent;
            }
            findings.push(
                Diagnostic::error(
                    codes::LINEAGE_REMNANT,
                    format!("folders of a lineage `{}` are left without its renewal configuration", files.name),
                )
                .at(Place::named(files.name), "")
                .help("move the folders `live` and `archive` of this name away: certbot refuses to issue beside them"),
            );
            return Read::Refused;
        };
        let conf = match RenewalConf::read(&renewal) {
            Ok(conf) => conf,
            Err(report) => {
                findings.extend(report);
                return Read::Refused;
            }
        };
        // What is wrong with the files is certbot's to mend; their own findings are those of the check after issue.
        let mut aside = Findings::new();
        let leaf =
            files.chain.and_then(|chain| bundle::read(&chain, CHAIN, Keys::PassedOver, &mut aside).into_iter().next());
        let key = files.key.and_then(|input| key::read(&input, &mut aside));
        let (Some(leaf), Some(key)) = (leaf, key) else {
            let message = format!("the lineage `{}` has no certificate or key that can be read", files.name);
            findings.push(
                Diagnostic::error(codes::LINEAGE_BROKEN, message)
                    .at(Place::named(renewal.name), "")
                    .help(format!("restore its files, or remove it: `certbot delete --cert-name {}`", files.name)),
            );
            return Read::Refused;
        };
        let key_matches = key::belongs(&key, &leaf);
        Read::Lineage(Box::new(Self { conf, leaf, key_matches }))
    }

    fn decide(&self, policy: &AcmePolicy, host: &HostName, at: UnixTime, findings: &mut Findings) -> LineageDecision {
        let server = policy.effective_server();
        let own = self.conf.server.clone().unwrap_or_else(|| AcmeServer::production().as_str().to_owned());
        let mut decision = LineageDecision {
            host: host.clone(),
            action: Action::Leave,
            reasons: Vec::new(),
            arguments: Vec::new(),
            renewal_check: renewal_check(host, &own),
            stored: Some(self.leaf.summary.clone()),
        };
        // Certbot refuses to replace a trusted certificate by one of a staging server, and rightly so.
        if server.is_staging() && !self.staging(&own) {
            findings.push(
                Diagnostic::warning(
                    codes::PRODUCTION_KEPT,
                    format!("the lineage of `{host}` is trusted and is kept, although the policy says staging"),
                )
                .at(Place::named(host.as_str()), format!("issued by {own}"))
                .help("set `edge_acme_staging: false`, or try staging with a host that has no certificate yet"),
            );
            return decision;
        }
        decision.reasons = self.reasons(policy, host, &own, at);
        if !decision.reasons.is_empty() {
            decision.action = Action::Reissue;
            decision.arguments = policy.issue(host, true);
            decision.renewal_check = renewal_check(host, server.as_str());
        }
        decision
    }

    /// Whether nobody trusts its certificates: by the server's name, or by that of the issuer.
    fn staging(&self, server: &str) -> bool {
        server.contains("staging") || self.leaf.summary.issuer.contains("(STAGING)")
    }

    fn reasons(&self, policy: &AcmePolicy, host: &HostName, own: &str, at: UnixTime) -> Vec<Reason> {
        let server = policy.effective_server();
        let mut reasons = Vec::new();
        let mut add = |kind, detail: String| reasons.push(Reason { kind, detail });
        let summary = &self.leaf.summary;
        if !policy.staging && self.staging(own) && !server.is_staging() {
            add(ReasonKind::Staging, format!("issued by {}", summary.issuer));
        } else if own != server.as_str() {
            add(ReasonKind::Server, format!("renewed by {own}, the policy says {server}"));
        }
        match Remaining::grade(summary.not_before, summary.not_after, at) {
            Remaining::Nothing => add(ReasonKind::Expired, format!("ended on {}", summary.not_after)),
            Remaining::RenewalDue => add(ReasonKind::Expiring, format!("ends on {}", summary.not_after)),
            Remaining::Enough | Remaining::NotYet => {}
        }
        if !summary.dns_names.iter().any(|name| server_name::covers(name, host)) {
            add(ReasonKind::Names, format!("names {}", summary.dns_names.join(", ")));
        }
        if !self.key_matches {
            add(ReasonKind::KeyMismatch, "the private key is that of another certificate".to_owned());
        }
        match self.conf.hook.as_deref() {
            Some(DEPLOY_HOOK) => {}
            Some(other) => add(ReasonKind::HookStale, format!("the hook is `{other}`")),
            None => add(ReasonKind::HookMissing, "no hook is recorded".to_owned()),
        }
        let webroot = self.conf.webroot_of(host.as_str());
        if self.conf.authenticator.as_deref() != Some("webroot") {
            let authenticator = self.conf.authenticator.as_deref().unwrap_or("nothing");
            add(ReasonKind::Webroot, format!("the name is proven by {authenticator}"));
        } else if webroot != Some(policy.webroot.as_str()) {
            add(ReasonKind::Webroot, format!("challenges go to {}", webroot.unwrap_or("no folder")));
        }
        reasons
    }
}
