//! The `smtp` block: the one reviewed source of how a site sends mail, judged before anything uses it.

pub mod codes;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostic::{Diagnostic, Findings};
use crate::document::Document;
use crate::name::{HostName, MailAddress, Network, Origin, Port};
use crate::policy::{PolicyDocument, rules::too_wide};

/// When TLS begins on the connection to the relay.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SmtpTls {
    /// After the `STARTTLS` command, which must succeed (RFC 3207).
    Starttls,
    /// At once (RFC 8314).
    Implicit,
}

/// How a site sends mail. An enabled block states everything.
#[derive(Clone, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SmtpPolicy {
    /// Whether mail is sent.
    pub enabled: bool,
    /// The relay: the name that its certificate carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<HostName>,
    /// Its port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<Port>,
    /// When TLS begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<SmtpTls>,
    /// The name that the sending workloads greet the relay with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ehlo: Option<HostName>,
    /// The sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<MailAddress>,
    /// The origin of the public API that mails to members name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_api: Option<Origin>,
    /// The networks that the sending pods may reach. Declared, never resolved: a DNS answer is not deterministic.
    #[serde(default)]
    #[schemars(extend("uniqueItems" = true))]
    pub egress: Vec<Network>,
}

impl SmtpPolicy {
    /// The keys that an enabled block must have and this one lacks.
    fn missing(&self) -> Vec<(&'static str, &'static str)> {
        [
            (self.host.is_none(), "host", "the relay's host name"),
            (self.port.is_none(), "port", "the relay's port, usually 587"),
            (self.tls.is_none(), "tls", "`starttls` or `implicit`"),
            (self.ehlo.is_none(), "ehlo", "the name that the relay knows the site by"),
            (self.from.is_none(), "from", "the sender's address"),
            (self.public_api.is_none(), "public_api", "the origin of the public API"),
            (self.egress.is_empty(), "egress", "the relay's networks, at least one"),
        ]
        .into_iter()
        .filter_map(|(missing, key, what)| missing.then_some((key, what)))
        .collect()
    }
}

/// Judges the block by itself; that `public_api` is the right service's origin is judged with the catalogue.
pub(super) fn judge(policy: &Document<PolicyDocument>, findings: &mut Findings) {
    let Some(smtp) = &policy.value.smtp else { return };
    let missing = if smtp.enabled { smtp.missing() } else { Vec::new() };
    for (key, what) in missing {
        findings.push(
            Diagnostic::error(codes::INCOMPLETE, format!("mail is enabled, and `smtp.{key}` is missing"))
                .at(policy.place("/smtp/enabled").with_key(&format!("/smtp/{key}")), "")
                .help(format!("add `{key}`: {what}; or write `enabled: false`")),
        );
    }
    for wide in too_wide(&smtp.egress) {
        findings.push(
            Diagnostic::error(codes::DEFAULT_ROUTE, format!("this lets the sending pods reach {}", wide.what()))
                .at(
                    policy.place(&format!("/smtp/egress{}", wide.pointer)),
                    if wide.everyone { "a default route" } else { "" },
                )
                .help("write the relay's own networks"),
        );
    }
}
