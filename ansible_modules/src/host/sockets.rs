//! Listening TCP sockets, from the kernel's own tables.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::edge::inspect::ListeningSocket;

use super::processes;

/// A line of a table.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
struct Line {
    address: SocketAddr,
    inode: u64,
}

/// Every listening socket of this network namespace with the process that holds it.
pub(super) fn listening() -> Result<Vec<ListeningSocket>, Report> {
    let mut lines = Vec::new();
    for path in ["/proc/net/tcp", "/proc/net/tcp6"] {
        // A kernel without IPv6 has no second table.
        let table = crate::files::read_if_there(Path::new(path))?.unwrap_or_default();
        lines.extend(String::from_utf8_lossy(&table).lines().skip(1).filter_map(parse));
    }
    let holders = processes::socket_holders();
    Ok(lines.into_iter().map(|line| socket(line, &holders)).collect())
}

fn socket(line: Line, holders: &BTreeMap<u64, u32>) -> ListeningSocket {
    let pid = holders.get(&line.inode).copied();
    let process = pid.and_then(processes::name);
    // The table does not say whether an IPv6 socket takes IPv4 too. nginx's does not unless it is told to, and then its
    // configuration says so; of any other the worse is assumed.
    let ipv6only = process.as_deref() == Some("nginx");
    ListeningSocket { address: line.address, ipv6only, pid, process, unit: pid.and_then(processes::unit) }
}

/// `  0: 0100007F:0050 00000000:0000 0A ... uid timeout inode ...`; only sockets in the state LISTEN.
fn parse(line: &str) -> Option<Line> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (Some(local), Some(&"0A"), Some(inode)) = (fields.get(1), fields.get(3), fields.get(9)) else { return None };
    let (address, port) = local.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    Some(Line { address: SocketAddr::new(ip(address)?, port), inode: inode.parse().ok()? })
}

/// The kernel prints each 32 bits as a number of the machine.
fn ip(digits: &str) -> Option<IpAddr> {
    let words: Vec<[u8; 4]> = digits
        .as_bytes()
        .chunks(8)
        .map(|chunk| u32::from_str_radix(std::str::from_utf8(chunk).ok()?, 16).ok().map(u32::to_ne_bytes))
        .collect::<Option<_>>()?;
    match words.as_slice() {
        [four] => Some(Ipv4Addr::from(*four).into()),
        [_, _, _, _] => <[u8; 16]>::try_from(words.concat()).ok().map(|bytes| Ipv6Addr::from(bytes).into()),
        _ => None,
    }
}

#[cfg(test)]
#[cfg(target_endian = "little")]
mod tests {
    use super::parse;

    #[test]
    fn the_kernels_lines() {
        let four = "   0: 0100007F:0050 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0";
        let line = parse(four).unwrap();
        assert_eq!((line.address.to_string().as_str(), line.inode), ("127.0.0.1:80", 4711));
        let six = "   1: B80D0120000000000000000001000000:01BB 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12 1 0 100 0 0 10 0";
        assert_eq!(parse(six).unwrap().address.to_string(), "[2001:db8::1]:443");
        assert_eq!(parse(&four.replace(" 0A ", " 01 ")), None, "an established connection");
        assert_eq!(parse("nonsense"), None);
    }

    #[test]
    fn a_socket_of_ours_is_found_with_its_process() {
        let own = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = own.local_addr().unwrap();
        let found = super::listening().unwrap();
        let socket = found.iter().find(|socket| socket.address == address).unwrap();
        assert_eq!(socket.pid, Some(std::process::id()));
        assert!(socket.process.is_some());
    }
}
