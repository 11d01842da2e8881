//! Addresses: each is one, can be reached, belongs to one host, and the families agree.

use std::net::IpAddr;

use serde_json::Value;

use super::super::judge::{Fault, Judge, at, names};
use super::super::quick::Map;
use super::super::{Addresses, codes};
use crate::diagnostic::Diagnostic;
use crate::name::{NameError, NodeAddress};

/// The variables that hold addresses.
const VARIABLES: [&str; 4] = ["ansible_host", "ip", "access_ip", "ip6"];

/// An address of a node, as far as rules need it.
struct Stated<'a> {
    host: &'a str,
    variable: &'static str,
    address: IpAddr,
    /// Whether the host has an `ip` of its own: `ansible_host` may then be one address with many ports.
    has_ip: bool,
}

/// The addresses of all nodes, in their order.
pub(in super::super) fn judge(judge: &mut Judge<'_>) -> Vec<Addresses> {
    let nodes = judge.nodes();
    let mut all = Vec::with_capacity(nodes.len());
    let mut stated = Vec::with_capacity(nodes.len() * 2);
    for (host, facts) in nodes {
        let found = Addresses {
            address: read(judge, host, "ansible_host", &facts.address),
            ip: number(judge, host, "ip", &facts.ip),
            access_ip: number(judge, host, "access_ip", &facts.access_ip),
            ip6: number(judge, host, "ip6", &facts.ip6),
        };
        let address = found.address.as_ref().and_then(NodeAddress::ip);
        for (variable, address) in VARIABLES.into_iter().zip([address, found.ip, found.access_ip, found.ip6]) {
            let has_ip = found.ip.is_some();
            stated.extend(address.map(|address| Stated { host, variable, address: address.to_canonical(), has_ip }));
        }
        all.push(found);
    }
    duplicates(judge, &stated);
    families(judge, &stated);
    all
}

/// What a variable states; `None` if that is nothing, or was refused.
fn read<'a>(judge: &mut Judge<'a>, host: &'a str, variable: &'static str, value: &Value) -> Option<NodeAddress> {
    let Value::String(text) = value else {
        if !value.is_null() {
            refuse(judge, host, variable, "is no text", "write the address as a text");
        }
        return None;
    };
    match text.trim().parse() {
        Ok(address) => Some(address),
        Err(NameError { help, .. }) if variable == "ansible_host" => {
            refuse(judge, host, variable, "is neither an IP address nor a host name", &help);
            None
        }
        Err(_) => {
            not_an_address(judge, host, variable);
            None
        }
    }
}

/// An address in numbers, by which the other nodes reach the host.
fn number<'a>(judge: &mut Judge<'a>, host: &'a str, variable: &'static str, value: &Value) -> Option<IpAddr> {
    let Some(address) = read(judge, host, variable, value)?.ip() else {
        not_an_address(judge, host, variable);
        return None;
    };
    if is_reachable(address) {
        return Some(address);
    }
    let help = "write the address by which the other nodes reach it";
    refuse(judge, host, variable, "is an address that other nodes cannot reach", help);
    None
}

fn not_an_address<'a>(judge: &mut Judge<'a>, host: &'a str, variable: &'static str) {
    let help = "write an address alone: no name, no prefix length, no port, no brackets";
    refuse(judge, host, variable, "is no IP address", help);
}

fn refuse<'a>(judge: &mut Judge<'a>, host: &'a str, variable: &'static str, what: &str, help: &str) {
    let place = judge.at_variable(host, variable, &[]);
    judge.fault(host, Fault::error(codes::ADDRESS, format!("`{variable}` {what}"), help).at(place));
}

/// Whether other hosts can reach an address at all.
fn is_reachable(address: IpAddr) -> bool {
    let local = match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local() || v4.is_broadcast(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    let address = address.to_canonical();
    !(local || address.is_loopback() || address.is_unspecified() || address.is_multicast())
}

/// An address belongs to one host.
fn duplicates<'a>(judge: &mut Judge<'a>, stated: &[Stated<'a>]) {
    let mut first: Map<IpAddr, &Stated<'_>> = Map::default();
    first.reserve(stated.len());
    for one in stated {
        let earlier = *first.entry(one.address).or_insert(one);
        let by_port =
            one.variable == "ansible_host" && earlier.variable == one.variable && one.has_ip && earlier.has_ip;
        if earlier.host == one.host || by_port {
            continue;
        }
        let words = format!(
            "{} and {} have one address, {}: `{}` and `{}`",
            earlier.host.escape_debug(),
            one.host.escape_debug(),
            one.address,
            earlier.variable,
            one.variable
        );
        let diagnostic = Diagnostic::error(codes::DUPLICATE_ADDRESS, words);
        let diagnostic = at(diagnostic, judge.at_variable(one.host, one.variable, &[]), one.host);
        let diagnostic = at(diagnostic, judge.at_variable(earlier.host, earlier.variable, &[]), earlier.host);
        judge.push(diagnostic.help("give each host an address of its own"));
    }
}

/// `ip6` is of IPv6; all others are of one family, on all nodes.
fn families<'a>(judge: &mut Judge<'a>, stated: &[Stated<'a>]) {
    let inside = |one: &&Stated<'_>| matches!(one.variable, "ip" | "access_ip");
    let (old, new): (Vec<&Stated<'_>>, Vec<&Stated<'_>>) =
        stated.iter().filter(inside).partition(|one| one.address.is_ipv4());
    // The fewer are those that were not meant.
    let (fewer, meant) = if new.len() <= old.len() { (new, "IPv4") } else { (old, "IPv6") };
    for one in fewer {
        let what = format!("`{}` is not of {meant} as with most nodes", one.variable);
        let help = match meant {
            "IPv4" => "write an address of IPv4, and that of IPv6 as `ip6`".to_owned(),
            meant => format!("write an address of {meant}"),
        };
        family(judge, one.host, one.variable, what, help);
    }
    let mut with = false;
    for one in stated.iter().filter(|one| one.variable == "ip6") {
        with |= one.address.is_ipv6();
        if one.address.is_ipv4() {
            let help = "write an address of IPv6".to_owned();
            family(judge, one.host, "ip6", "`ip6` is of IPv4".to_owned(), help);
        }
    }
    let without: Vec<&str> =
        judge.nodes().into_iter().filter(|(_, facts)| facts.ip6.is_null()).map(|(host, _)| host).collect();
    if let (true, Some(first)) = (with, without.first()) {
        let words = format!("{}: no `ip6`, which other nodes have", names(&without));
        let diagnostic = at(Diagnostic::warning(codes::ADDRESS_FAMILY, words), judge.at_host(first), "");
        judge.push(diagnostic.help("write `ip6` for each node or for none"));
    }
}

fn family<'a>(judge: &mut Judge<'a>, host: &'a str, variable: &str, what: String, help: String) {
    let place = judge.at_variable(host, variable, &[]);
    judge.fault(host, Fault::error(codes::ADDRESS_FAMILY, what, help).at(place));
}
