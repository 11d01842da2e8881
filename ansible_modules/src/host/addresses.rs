//! The addresses of the host.

use std::net::{IpAddr, UdpSocket};

use pharos_core::edge::install::Addresses;

/// What can be said of the host's addresses, where these are to be listened on.
pub(crate) fn observe(listen: &[IpAddr]) -> Addresses {
    // They are evidence: without the tables the refusal says less, and is none the less right.
    let text = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let refused = listen.iter().filter_map(|address| Some((*address, refusal(*address)?)));
    Addresses {
        own: Addresses::own_of(&text("/proc/net/fib_trie"), &text("/proc/net/if_inet6")),
        refused: refused.collect(),
    }
}

/// Why no socket can be bound to an address. A datagram socket takes the same addresses as nginx's and accepts nobody.
fn refusal(address: IpAddr) -> Option<String> {
    let words = UdpSocket::bind((address, 0)).err()?.to_string();
    Some(words.split(" (os error").next().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    use super::observe;

    #[test]
    fn an_address_that_is_not_there_is_known() {
        let listen = ["127.0.0.1", "0.0.0.0", "192.0.2.1"].map(|text| text.parse().unwrap());
        let found = observe(&listen);
        assert_eq!(found.refused.keys().collect::<Vec<_>>(), [&listen[2]]);
        assert!(found.refused[&listen[2]].contains("Cannot assign"), "{found:?}");
        assert!(found.own.iter().all(|address| !address.is_loopback()));
    }
}
