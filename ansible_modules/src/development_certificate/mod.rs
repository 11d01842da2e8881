//! `development_certificate`: the authority of a development box and the certificate that its edge serves.
//!
//! What is to be done is decided in [`pharos_core::certificate::development`]; here files are read, keys are drawn, and what was
//! issued is judged before it is put in place.

mod issue;
mod store;
#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails loudly")]
mod tests;

use std::collections::BTreeSet;

use pharos_core::certificate::UnixTime;
use pharos_core::certificate::development::{
    AUTHORITY_NAME, AuthorityAction, DevelopmentDecision, IssueReason, LeafAction, authority_validity, decide,
    judge_issued, leaf_validity,
};
use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::install::not_root;
use pharos_core::edge::judge_development;
use pharos_core::name::{AbsolutePath, HostName};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::edge_config;
use crate::laboratories::{Laboratory, Presence};
use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};
use crate::site::{MAKES_ENVIRONMENT, Site};
use store::{Store, Stored};

/// The module.
pub(crate) struct DevelopmentCertificate;

/// The authority of a development box, and the one certificate that it issues.
///
/// Where nothing of an authority is found, one is made: EC P-256, ten years. From then on it is kept byte for byte, for every
/// browser and client of the machine was told to trust it: what is damaged or incomplete is refused and never replaced.
///
/// The certificate names exactly the hosts that the edge serves, those of registered laboratories among them. A new one is issued when
/// those change, when the old one is unfit, and when a third of its 397 days is left. It is judged as every certificate of an edge
/// before it is put in place, with its key and in one step. nginx is not reloaded: `pharos.platform.edge_config` finds that it serves another certificate, and proves the new one.
///
/// Below the folder lie `ca.pem`, which clients are told to trust, and `private/`: the authority in `private/authority/` and what nginx
/// reads in `private/live/`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The edge environment: what `pharos` renders from a policy for the edge playbook.
    #[schemars(extend("x-made-by" = MAKES_ENVIRONMENT))]
    environment_file: ControllerDocument,
    /// The service catalogue that it selects from.
    catalogue_file: ControllerDocument,
    /// The routes file of the laboratory that the task is run for. It takes the place of the one that is registered on the host.
    extension_file: Option<ControllerDocument>,
    /// Whether that laboratory is to be served.
    #[serde(default)]
    extension_state: Presence,
    /// The folder on the host.
    #[serde(default = "default_folder")]
    folder: AbsolutePath,
}

#[expect(clippy::expect_used, reason = "the path is written here, in normal form")]
fn default_folder() -> AbsolutePath {
    "/opt/pharos-edge/tls".parse().expect("a path")
}

/// The certificate of a host name, as `pharos.platform.edge_config` takes it.
#[derive(Debug, Eq, JsonSchema, PartialEq, Serialize)]
pub(crate) struct Files {
    /// The host name.
    host: HostName,
    /// The file of the certificate.
    certificate: String,
    /// The file of its private key.
    key: String,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// Whether the authority was, or in check mode would be, made.
    authority_created: bool,
    /// Whether a certificate was, or in check mode would be, issued.
    issued: bool,
    /// Why.
    reasons: Vec<IssueReason>,
    /// The authority's certificate, which clients are told to trust.
    trust: String,
    /// The files of each host name, for `certificate_files` of `pharos.platform.edge_config`.
    certificate_files: Vec<Files>,
    /// When the certificate ends, as RFC 3339.
    valid_until: String,
    /// When the authority ends, as RFC 3339.
    authority_valid_until: String,
}

impl Module for DevelopmentCertificate {
    const NAME: &'static str = "development_certificate";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/development_certificate.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
        let user = rustix::process::geteuid();
        if !user.is_root() {
            return Err(not_root(user.as_raw()).into());
        }
        let laboratory =
            Laboratory { extension: arguments.extension_file.as_ref(), presence: arguments.extension_state };
        let site = Site::on_host(&arguments.environment_file, &arguments.catalogue_file, laboratory)?;
        judge_development(&arguments.environment_file.name, &site.environment)?;
        let wanted = Wanted {
            store: Store::new(&arguments.folder),
            hosts: site.table.hosts().iter().map(|host| host.origin.host().clone()).collect(),
            at: UnixTime::new(context.instant),
        };
        let mut findings = Findings::new();
        findings.extend(site.report);
        let (_, decision, warnings) = wanted.decide()?;
        if context.check || decision.is_settled() {
            findings.extend(warnings);
            return Ok(wanted.outcome(&decision, findings));
        }
        // From here on the host is changed, by nobody else: what was seen before the lock is seen again.
        let _lock = edge_config::lock("development_certificate".to_owned())?;
        let (stored, decision, warnings) = wanted.decide()?;
        findings.extend(warnings);
        wanted.perform(stored, &decision)?;
        Ok(wanted.outcome(&decision, findings))
    }
}

/// What is asked for, and where.
struct Wanted {
    store: Store,
    hosts: BTreeSet<HostName>,
    at: UnixTime,
}

impl Wanted {
    fn decide(&self) -> Result<(Stored, DevelopmentDecision, Report), Report> {
        let stored = self.store.read()?;
        let (decision, warnings) = decide(&stored.on_host(), &self.hosts, self.at)?;
        Ok((stored, decision, warnings))
    }

    /// Makes and issues in memory, judges it, and only then writes: the authority first, the certificate, the published copy.
    fn perform(&self, stored: Stored, decision: &DevelopmentDecision) -> Result<(), Report> {
        let mut next = stored;
        let creates = decision.authority == AuthorityAction::Create;
        if creates {
            let pair = issue::authority(AUTHORITY_NAME, authority_validity(self.at))?;
            next.authority = Some(self.store.as_authority(pair));
        }
        let issues = matches!(decision.leaf, LeafAction::Issue(_));
        if issues && let Some(authority) = &next.authority {
            let validity = leaf_validity(self.at, decision.authority_ends);
            let pair = issue::leaf(&authority.pair(), &self.hosts, validity)?;
            next.leaf = Some(self.store.as_leaf(pair));
            judge_issued(&next.on_host(), &self.hosts, self.at)?;
        }
        if creates {
            self.store.write_authority(&next)?;
        }
        if issues {
            self.store.write_leaf(&next)?;
        }
        if decision.publishes {
            self.store.publish(&next)?;
        }
        Ok(())
    }

    fn outcome(&self, decision: &DevelopmentDecision, findings: Findings) -> Outcome<Data> {
        let issued = matches!(decision.leaf, LeafAction::Issue(_));
        let valid_until = match &decision.leaf {
            LeafAction::Leave(leaf) => leaf.not_after,
            LeafAction::Issue(_) => leaf_validity(self.at, decision.authority_ends).to,
        };
        let (certificate, key) = self.store.live_files();
        let files = |host: &HostName| Files { host: host.clone(), certificate: certificate.clone(), key: key.clone() };
        let data = Data {
            authority_created: decision.authority == AuthorityAction::Create,
            issued,
            reasons: decision.reasons().to_vec(),
            trust: self.store.trust(),
            certificate_files: self.hosts.iter().map(files).collect(),
            valid_until: valid_until.to_string(),
            authority_valid_until: decision.authority_ends.to_string(),
        };
        let (before, after) = self.states(decision, valid_until);
        Outcome::of(data).with_change(before, after).with_report(findings.into_report())
    }

    /// The state before and after, as `--diff` shows it. Nothing of it is drawn by chance: check mode says the same.
    fn states(&self, decision: &DevelopmentDecision, valid_until: UnixTime) -> (State, State) {
        let (mut before, mut after) = (State::new(), State::new());
        let authority = format!("{AUTHORITY_NAME}, valid until {}\n", decision.authority_ends);
        if decision.authority != AuthorityAction::Create {
            before.insert("development authority", authority.as_str());
        }
        after.insert("development authority", authority);
        let names: Vec<&str> = self.hosts.iter().map(HostName::as_str).collect();
        let certificate = format!("{}\nvalid until {valid_until}\n", names.join("\n"));
        match &decision.leaf {
            LeafAction::Leave(_) => before.insert("certificate", certificate.as_str()),
            LeafAction::Issue(reasons) => {
                let words = |reason: &IssueReason| format!("not as it should be: {}\n", reason.detail);
                before.insert("certificate", reasons.iter().map(words).collect::<String>());
            }
        }
        after.insert("certificate", certificate);
        let trust = self.store.trust();
        if !decision.publishes {
            before.insert(trust.as_str(), "the authority's certificate\n");
        }
        after.insert(trust, "the authority's certificate\n");
        (before, after)
    }
}
