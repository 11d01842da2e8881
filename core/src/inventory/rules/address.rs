//! Addresses: each is one, can be reached, belongs to one host, and the families agree.

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;

use serde_json::Value;

use super::super::judge::{Fault, Judge, at, names};
use super::super::quick::Map;
use super::super::{Addresses, codes};
use crate::diagnostic::{Diagnostic, Severity};
use crate::name::{NameError, NodeAddress};

/// The variables that hold addresses.
const VARIABLES: [&str; 4] = ["ansible_host", "ip", "access_ip", "ip6"];

/// An address of a node, as far as rules need it: one in numbers, or the name of a host.
struct Stated<'a, A = IpAddr> {
    host: &'a str,
    variable: &'static str,
    address: A,
    /// Whether the host has an `ip` of its own: `ansible_host` may then be one address with many ports.
    has_ip: bool,
}

/// The addresses of all nodes, in their order.
pub(in super::super) fn judge(judge: &mut Judge<'_>) -> Vec<Addresses> {
    let nodes = judge.nodes();
    let mut all = Vec::with_capacity(nodes.len());
    let mut stated = Vec::with_capacity(nodes.len() * 2);
    let mut names: Vec<Stated<'_, String>> = Vec::new();
    for (host, facts) in nodes {
        let found = Addresses {
            address: read(judge, host, "ansible_host", &facts.address),
            ip: number(judge, host, "ip", &facts.ip),
            access_ip: number(judge, host, "access_ip", &facts.access_ip),
            ip6: number(judge, host, "ip6", &facts.ip6),
        };
        let address = found.address.as_ref().and_then(NodeAddress::ip);
        if let Some(name) = found.address.as_ref().filter(|address| address.ip().is_none()) {
            let address = name.to_string().to_ascii_lowercase();
            names.push(Stated { host, variable: "ansible_host", address, has_ip: !facts.ip.is_null() });
        }
        for (variable, address) in VARIABLES.into_iter().zip([address, found.ip, found.access_ip, found.ip6]) {
            let has_ip = !facts.ip.is_null();
            stated.extend(address.map(|address| Stated { host, variable, address: address.to_canonical(), has_ip }));
        }
        all.push(found);
    }
    duplicates(judge, &stated);
    duplicates(judge, &names);
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
    let prefixed = judge.host(host).stated(variable).as_str().and_then(|text| text.trim().split_once('/'));
    if prefixed.is_some_and(|(address, length)| address.parse::<IpAddr>().is_ok() && length.parse::<u8>().is_ok()) {
        let help = "write the address alone: leave out the slash and what follows it";
        return refuse(judge, host, variable, "is an address with the length of its network", help);
    }
    let help = "write an address alone: no name, no port, no brackets";
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

/// An address belongs to one host. Hosts with an `ip` of their own may be reached at one address by its ports, which are connection
/// variables and never known here: that is a warning. However many hosts share an address, it is one finding.
fn duplicates<'a, A: Eq + Hash + Display>(judge: &mut Judge<'a>, stated: &[Stated<'a, A>]) {
    let mut known: Map<&A, usize> = Map::default();
    known.reserve(stated.len());
    let mut holders: Vec<Vec<&Stated<'a, A>>> = Vec::new();
    for one in stated {
        let at = *known.entry(&one.address).or_insert(holders.len());
        match holders.get_mut(at) {
            None => holders.push(vec![one]),
            Some(held) if held.iter().all(|other| other.host != one.host) => held.push(one),
            Some(_) => {}
        }
    }
    for held in holders {
        let [first, second, ..] = held.as_slice() else { continue };
        let by_port = held.iter().all(|one| one.variable == "ansible_host" && one.has_ip);
        let (severity, help) = if by_port {
            (Severity::Warning, "right where `ansible_port` leads to each; else give each host an address of its own")
        } else {
            (Severity::Error, "give each host an address of its own")
        };
        let hosts: Vec<&str> = held.iter().map(|one| one.host).collect();
        let words = format!("{} have one address, {}", names(&hosts), first.address);
        let diagnostic = Diagnostic { severity, ..Diagnostic::error(codes::DUPLICATE_ADDRESS, words) };
        let place = |one: &Stated<'a, A>| judge.at_variable(one.host, one.variable, &[]);
        let (one, other) = (place(first), place(second));
        let said = |one: &Stated<'a, A>| format!("`{}` of {}", one.variable, one.host.escape_debug());
        let diagnostic = at(at(diagnostic, other, &said(second)), one, &said(first));
        judge.push(diagnostic.help(help));
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
