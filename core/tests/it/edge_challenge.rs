//! Challenges: which edge requests certificates, and what must come back through a name first.

use std::net::IpAddr;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::challenge::{Fetched, IssuerChoice, choose_issuer, judge_fetch};

use crate::rejected::{Fixture, refused};

/// An address, and what came back from it: status and whether the token was in it, or why nothing did.
type Answered = (IpAddr, Result<(u16, bool), String>);

/// A fixture of either kind.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    choice: Option<IssuerChoice>,
    host: Option<String>,
    #[serde(default)]
    fetched: Vec<Answered>,
}

/// The report on a `.challenge` fixture.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let said: Said = serde_json::from_str(fixture.source().text()).unwrap();
    if let Some(choice) = said.choice {
        return refused(choose_issuer(&choice));
    }
    let fetched = said.fetched.into_iter().map(|(address, answer)| Fetched { address, answer }).collect();
    let mut findings = Findings::new();
    judge_fetch(&said.host.unwrap().parse().unwrap(), &Ok(fetched), &mut findings);
    findings.into_report()
}
