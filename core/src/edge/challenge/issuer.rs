//! Which of several edges requests the certificates.

use std::net::IpAddr;

use crate::diagnostic::{Diagnostic, Place, Report};
use crate::edge::codes;
use crate::name::{Port, SocketAddress};

/// What the inventory says of the edges of a site.
#[derive(Clone, Debug, Default, serde::Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct IssuerChoice {
    /// The edge that is looked at, by its name in the inventory.
    pub edge: String,
    /// Every edge of the group.
    pub edges: Vec<String>,
    /// The one that requests certificates (`edge_acme_issuer`); empty if none is named.
    pub issuer: String,
    /// Where the others reach it (`edge_acme_issuer_address`): an address, perhaps with a port; empty if none is given.
    pub address: String,
}

/// What an edge does with challenges.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Challenger {
    /// It requests certificates and answers from its webroot.
    Issuer,
    /// It passes challenges on to the edge at this address, and is given the certificates.
    Follower(SocketAddress),
}

/// Chooses what an edge does.
///
/// # Errors
/// `edge/issuer-missing` if there are several edges and none is named, `edge/issuer-unknown` if the named one is no edge,
/// `edge/issuer-address` if a follower is not told an address.
pub fn choose_issuer(choice: &IssuerChoice) -> Result<Challenger, Report> {
    let refuse = |code, message: String, help: &str| {
        Report::from(Diagnostic::error(code, message).at(Place::named(&choice.edge), "").help(help.to_owned()))
    };
    let named = choice.issuer.as_str();
    if named.is_empty() {
        return if choice.edges.len() <= 1 {
            Ok(Challenger::Issuer)
        } else {
            Err(refuse(
                codes::ISSUER_MISSING,
                format!("{} edges share their names, and none is named to request certificates", choice.edges.len()),
                "set `edge_acme_issuer` to the inventory name of one of them: an authority may ask any",
            ))
        };
    }
    if !choice.edges.iter().any(|edge| edge == named) {
        return Err(refuse(
            codes::ISSUER_UNKNOWN,
            format!("`edge_acme_issuer` names `{named}`, which is no edge"),
            &format!("name one of {}", choice.edges.join(", ")),
        ));
    }
    if named == choice.edge {
        return Ok(Challenger::Issuer);
    }
    let address = choice.address.as_str();
    let alone = address.parse::<IpAddr>().ok().map(|ip| std::net::SocketAddr::new(ip, Port::HTTP.get()).to_string());
    alone.as_deref().unwrap_or(address).parse::<SocketAddress>().map(Challenger::Follower).map_err(|_| {
        refuse(
            codes::ISSUER_ADDRESS,
            format!("`{address}` is not an address of the issuing edge `{named}`"),
            "set `edge_acme_issuer_address` to its IP address, as this edge reaches it: nginx would look a name up once",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::{Challenger, IssuerChoice, choose_issuer};

    fn choice(edge: &str, edges: &[&str], issuer: &str, address: &str) -> Result<Challenger, String> {
        let choice = IssuerChoice {
            edge: edge.into(),
            edges: edges.iter().map(|edge| (*edge).to_owned()).collect(),
            issuer: issuer.into(),
            address: address.into(),
        };
        choose_issuer(&choice).map_err(|report| report.diagnostics()[0].code.name().to_owned())
    }

    #[test]
    fn one_edge_issues_and_the_others_follow() {
        let follower = |text: &str| Ok(Challenger::Follower(text.parse().unwrap()));
        assert_eq!(choice("a", &["a"], "", ""), Ok(Challenger::Issuer));
        assert_eq!(choice("a", &["a", "b"], "a", "192.0.2.1"), Ok(Challenger::Issuer));
        assert_eq!(choice("b", &["a", "b"], "a", "192.0.2.1"), follower("192.0.2.1:80"));
        assert_eq!(choice("b", &["a", "b"], "a", "2001:db8::1"), follower("[2001:db8::1]:80"));
        assert_eq!(choice("b", &["a", "b"], "a", "192.0.2.1:8080"), follower("192.0.2.1:8080"));
    }

    #[test]
    fn what_is_not_said_is_not_guessed() {
        assert_eq!(choice("a", &["a", "b"], "", ""), Err("edge/issuer-missing".into()));
        assert_eq!(choice("a", &["a", "b"], "c", "192.0.2.1"), Err("edge/issuer-unknown".into()));
        assert_eq!(choice("b", &["a", "b"], "a", "edge-a"), Err("edge/issuer-address".into()));
        assert_eq!(choice("b", &["a", "b"], "a", ""), Err("edge/issuer-address".into()));
    }
}
