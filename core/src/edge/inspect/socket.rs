//! The sockets that a configuration binds, which of them cannot exist beside each other, and what a reload cannot change.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

use super::endpoint::Endpoint;
use super::listen::Transport;
use super::site::{Listener, Site};

/// A socket that nginx opens.
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, schemars::JsonSchema, serde::Serialize)]
pub struct BoundSocket {
    /// What it is bound to.
    pub endpoint: Endpoint,
    /// TCP or UDP.
    pub transport: Transport,
    /// Whether an IPv6 socket leaves IPv4 alone (`ipv6only`).
    pub ipv6only: bool,
    /// Whether it lets other sockets share its port (`reuseport`).
    pub reuseport: bool,
}

impl BoundSocket {
    /// Whether the kernel refuses one of the two while the other is open.
    pub fn excludes(&self, other: &Self) -> bool {
        if self.transport != other.transport || (self.reuseport && other.reuseport) {
            return false;
        }
        match (&self.endpoint, &other.endpoint) {
            (Endpoint::Ip(one), Endpoint::Ip(two)) => {
                one.port() == two.port() && self.covers(*two) | other.covers(*one)
            }
            (Endpoint::Name(..), Endpoint::Ip(address)) | (Endpoint::Ip(address), Endpoint::Name(..)) => {
                self.endpoint.port() == other.endpoint.port() && address.ip().is_unspecified()
            }
            (one, two) => one == two,
        }
    }

    /// Whether this socket would be given connections to that address.
    pub fn covers(&self, address: SocketAddr) -> bool {
        let Some(own) = self.endpoint.ip() else { return false };
        let family = match (own, address.ip()) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => true,
            (IpAddr::V6(_), IpAddr::V4(_)) => !self.ipv6only,
            (IpAddr::V4(_), IpAddr::V6(_)) => false,
        };
        self.endpoint.port() == Some(address.port()) && (own == address.ip() || (own.is_unspecified() && family))
    }
}

/// The sockets of a configuration, in the order in which nginx opens them: where a block listens on all addresses of a family
/// and port, that one socket serves the specific addresses too, except for those whose `listen` sets an option of the socket.
pub fn bound(site: &Site<'_>) -> Vec<BoundSocket> {
    let mut sockets: Vec<BoundSocket> = Vec::new();
    let mut seen: BTreeSet<BoundSocket> = BTreeSet::new();
    for listener in &site.listeners {
        let own = listener.servers.iter().filter_map(|at| site.listen(*at)).any(|listen| listen.sets_socket);
        if own || listener.endpoint.is_wildcard() || site.wildcard_of(listener).is_none() {
            let socket = socket(site, listener);
            if seen.insert(socket.clone()) {
                sockets.push(socket);
            }
        }
    }
    sockets
}

/// The options of the socket come from the one `listen` that sets some.
pub(super) fn socket(site: &Site<'_>, listener: &Listener) -> BoundSocket {
    let mut socket = BoundSocket {
        endpoint: listener.endpoint.clone(),
        transport: listener.transport,
        ipv6only: true,
        reuseport: false,
    };
    for listen in listener.servers.iter().filter_map(|at| site.listen(*at)).filter(|listen| listen.sets_socket) {
        socket.ipv6only &= listen.ipv6only;
        socket.reuseport |= listen.reuseport;
    }
    socket
}

/// What going from one set of sockets to another takes.
#[derive(Clone, Debug, Default, Eq, PartialEq, serde::Serialize)]
pub struct ListenerChange {
    /// Sockets that are opened.
    pub opened: Vec<BoundSocket>,
    /// Sockets that are closed.
    pub closed: Vec<BoundSocket>,
    /// Why a reload would fail or have no effect, though `nginx -t` and the reload itself succeed. Empty: a reload is enough.
    pub restart: Vec<RestartReason>,
}

/// Why a reload is not enough.
#[derive(Clone, Debug, Eq, PartialEq, serde::Serialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum RestartReason {
    /// The new socket cannot be bound while the old one is open, and nginx closes the old one only afterwards.
    Occupied {
        /// The one to be opened.
        new: BoundSocket,
        /// The one that is open.
        old: BoundSocket,
    },
    /// The socket stays and so does its `ipv6only`, which is only read when a socket is opened.
    Kept {
        /// As it should be.
        new: BoundSocket,
        /// As it is and stays.
        old: BoundSocket,
    },
}

impl std::fmt::Display for RestartReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Occupied { new, old } => {
                write!(f, "`{}` cannot be opened while `{}` is open", new.endpoint, old.endpoint)
            }
            Self::Kept { new, .. } => {
                let word = if new.ipv6only { "on" } else { "off" };
                write!(f, "`{}` is open and would not become `ipv6only={word}`", new.endpoint)
            }
        }
    }
}

impl ListenerChange {
    /// Whether a reload does not do.
    pub fn needs_restart(&self) -> bool {
        !self.restart.is_empty()
    }
}

/// What going from the running sockets to the new ones takes.
///
/// On a reload nginx keeps each socket whose address stays, opens the new ones, and only then closes the rest. So an address
/// cannot be widened or narrowed (`listen 443` to `listen 192.0.2.1:443`), and an open IPv6 socket keeps its `ipv6only`.
pub fn listener_change(running: &[BoundSocket], wanted: &[BoundSocket]) -> ListenerChange {
    let same = |one: &BoundSocket, two: &BoundSocket| one.endpoint == two.endpoint && one.transport == two.transport;
    let mut change = ListenerChange {
        opened: wanted.iter().filter(|new| !running.iter().any(|old| same(new, old))).cloned().collect(),
        closed: running.iter().filter(|old| !wanted.iter().any(|new| same(new, old))).cloned().collect(),
        restart: Vec::new(),
    };
    for new in wanted {
        for old in running {
            let pair = || (new.clone(), old.clone());
            if same(new, old) {
                if new.ipv6only != old.ipv6only && new.endpoint.ip().is_some_and(|ip| ip.is_ipv6()) {
                    let (new, old) = pair();
                    change.restart.push(RestartReason::Kept { new, old });
                }
            } else if change.opened.contains(new) && new.excludes(old) {
                let (new, old) = pair();
                change.restart.push(RestartReason::Occupied { new, old });
            }
        }
    }
    change
}
