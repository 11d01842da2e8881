//! The addresses of a host, and whether it has those that it is to listen on.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::codes;

/// What is known of a host's addresses.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Addresses {
    /// Those by which others can reach it, in order.
    pub own: Vec<IpAddr>,
    /// Those of `edge_listen_addresses` that no socket can be bound to, with the system's words.
    pub refused: BTreeMap<IpAddr, String>,
}

impl Addresses {
    /// The addresses of a Linux host, from the texts of `/proc/net/fib_trie` and `/proc/net/if_inet6`. Loopback and link-local
    /// ones, by which nobody reaches it, are left out.
    pub fn own_of(fib_trie: &str, if_inet6: &str) -> Vec<IpAddr> {
        let mut found: Vec<IpAddr> = ipv4(fib_trie).chain(ipv6(if_inet6)).filter(|address| reaches(*address)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// A leaf of the trie names an address; the line below says what it is: `/32 host LOCAL` for one of the host.
fn ipv4(fib_trie: &str) -> impl Iterator<Item = IpAddr> {
    let lines = fib_trie.lines().zip(fib_trie.lines().skip(1));
    lines.filter_map(|(leaf, kind)| {
        let address: Ipv4Addr = leaf.trim().strip_prefix("|--")?.trim().parse().ok()?;
        (kind.trim() == "/32 host LOCAL").then_some(address.into())
    })
}

/// A line an address: its 32 digits come first.
fn ipv6(if_inet6: &str) -> impl Iterator<Item = IpAddr> {
    let digits = if_inet6.lines().filter_map(|line| line.split_whitespace().next());
    digits.filter_map(|digits| Some(Ipv6Addr::from(u128::from_str_radix(digits, 16).ok()?).into()))
}

fn reaches(address: IpAddr) -> bool {
    !address.is_loopback() && !matches!(address, IpAddr::V6(v6) if v6.is_unicast_link_local())
}

/// `edge/listen-address` for an address of a family that the host does not have, `edge/listen-address-absent` for another one that
/// it does not have.
pub fn judge_addresses(listen: &[IpAddr], ipv6: bool, addresses: &Addresses, findings: &mut Findings) {
    crate::edge::render::judge_families(listen, ipv6, findings);
    for address in listen.iter().filter(|address| ipv6 || address.is_ipv4()) {
        if let Some(why) = addresses.refused.get(address) {
            findings.push(absent(*address, why, addresses));
        }
    }
}

fn absent(address: IpAddr, why: &str, addresses: &Addresses) -> Diagnostic {
    let own: Vec<String> = addresses.own.iter().map(|own| format!("`{own}`")).collect();
    let has = if own.is_empty() { "it has none but loopback".to_owned() } else { format!("it has {}", own.join(", ")) };
    Diagnostic::error(
        codes::LISTEN_ADDRESS_ABSENT,
        format!("`{address}` is an address to listen on, and the host does not have it: {why}"),
    )
    .at(Place::named("edge_listen_addresses"), has)
    .help(
        "name addresses of the host, or leave `edge_listen_addresses` out to listen on all of them; one that moves between \
         hosts needs `net.ipv4.ip_nonlocal_bind` (or `net.ipv6`) where it is not at the moment",
    )
}

#[cfg(test)]
mod tests {
    use super::{Addresses, judge_addresses};
    use crate::diagnostic::Findings;

    const FIB_TRIE: &str = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
     +-- 192.0.2.0/24 2 0 2
        |-- 192.0.2.0
           /24 link UNICAST
        |-- 192.0.2.10
           /32 host LOCAL
        |-- 192.0.2.255
           /32 link BROADCAST
     +-- 127.0.0.0/8 2 0 2
        |-- 127.0.0.0
           /8 host LOCAL
        |-- 127.0.0.1
           /32 host LOCAL
Local:
        |-- 192.0.2.10
           /32 host LOCAL
";
    const IF_INET6: &str = "\
00000000000000000000000000000001 01 80 10 80       lo
20010db8000000000000000000000007 02 40 00 80     eth0
fe80000000000000021122fffe334455 02 40 20 80     eth0
";

    #[test]
    fn the_kernels_tables_are_read() {
        let own: Vec<String> = Addresses::own_of(FIB_TRIE, IF_INET6).iter().map(ToString::to_string).collect();
        assert_eq!(own, ["192.0.2.10", "2001:db8::7"]);
        assert!(Addresses::own_of("", "").is_empty());
    }

    #[test]
    fn an_address_is_refused_once() {
        let listen = ["192.0.2.1", "2001:db8::1", "192.0.2.10"].map(|text| text.parse().unwrap());
        let why = || "Cannot assign requested address".to_owned();
        let addresses = Addresses {
            own: Addresses::own_of(FIB_TRIE, IF_INET6),
            refused: [(listen[0], why()), (listen[1], why())].into(),
        };
        let codes = |ipv6| {
            let mut findings = Findings::new();
            judge_addresses(&listen, ipv6, &addresses, &mut findings);
            findings.into_report().diagnostics().iter().map(|one| one.code.name()).collect::<Vec<_>>()
        };
        assert_eq!(codes(true), ["edge/listen-address-absent"; 2]);
        assert_eq!(codes(false), ["edge/listen-address", "edge/listen-address-absent"]);
    }
}
