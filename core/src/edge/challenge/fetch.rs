//! A token that was fetched through a name, before an authority is asked to do the same.

use std::net::IpAddr;

use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::codes;
use crate::name::HostName;

/// What one address of a name answered to a request for the token on port 80.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Fetched {
    /// The address.
    pub address: IpAddr,
    /// The status, and whether the body is the token; or why there was no answer.
    pub answer: Result<(u16, bool), String>,
}

/// Judges what came back through a name: an authority may ask any of its addresses, so each must answer with the token itself.
/// A redirect is not enough, although an authority would follow it: it leads to port 443, which may not be there yet.
///
/// Code: `edge/challenge-unreachable`, once for each address, and for a name that has none.
pub fn judge_fetch(host: &HostName, fetched: &Result<Vec<Fetched>, String>, findings: &mut Findings) {
    let unreachable = |message: String, help: &str| {
        Diagnostic::error(codes::CHALLENGE_UNREACHABLE, message)
            .at(Place::named(host.as_str()), "")
            .help(help.to_owned())
    };
    let addresses = match fetched {
        Ok(addresses) if !addresses.is_empty() => addresses,
        Ok(_) => {
            findings.push(unreachable(format!("`{host}` has no address"), POINT));
            return;
        }
        Err(why) => {
            findings.push(unreachable(format!("`{host}` does not resolve on this host: {why}"), POINT));
            return;
        }
    };
    for Fetched { address, answer } in addresses {
        let found = match answer {
            Ok((200, true)) => continue,
            Ok((200, false)) => "another server answers, with 200".to_owned(),
            Ok((status, _)) => format!("it answers {status}"),
            Err(why) => why.clone(),
        };
        findings.push(unreachable(
            format!("the challenge of `{host}` does not come back from port 80 of {address}: {found}"),
            "let every address of the name lead to an edge, also over IPv6, or take the address out of the DNS",
        ));
    }
}

const POINT: &str = "give the name its addresses in the DNS before its certificate is requested";

#[cfg(test)]
mod tests {
    use super::{Fetched, judge_fetch};
    use crate::diagnostic::Findings;

    fn said(fetched: &Result<Vec<Fetched>, String>) -> Vec<String> {
        let mut findings = Findings::new();
        judge_fetch(&"a.example.org".parse().unwrap(), fetched, &mut findings);
        let report = findings.into_report();
        assert!(report.diagnostics().iter().all(|each| each.code.name() == "edge/challenge-unreachable"));
        report.diagnostics().iter().map(|each| each.message.clone()).collect()
    }

    fn at(address: &str, answer: Result<(u16, bool), &str>) -> Fetched {
        Fetched { address: address.parse().unwrap(), answer: answer.map_err(str::to_owned) }
    }

    #[test]
    fn every_address_must_answer_with_the_token() {
        assert!(said(&Ok(vec![at("192.0.2.1", Ok((200, true))), at("2001:db8::1", Ok((200, true)))])).is_empty());
        let mixed = said(&Ok(vec![
            at("192.0.2.1", Ok((200, true))),
            at("192.0.2.2", Ok((301, false))),
            at("192.0.2.3", Ok((200, false))),
            at("2001:db8::1", Err("port 80: connection refused")),
        ]));
        assert_eq!(mixed.len(), 3);
        for (message, word) in mixed.iter().zip(["answers 301", "another server", "connection refused"]) {
            assert!(message.contains(word), "{message}");
        }
    }

    #[test]
    fn a_name_without_an_address_is_refused() {
        assert!(said(&Ok(Vec::new()))[0].contains("no address"));
        assert!(said(&Err("failed to look up".into()))[0].contains("does not resolve"));
    }
}
