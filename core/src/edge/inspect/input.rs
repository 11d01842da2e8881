//! What the caller knows besides the configuration.

use std::net::SocketAddr;

/// What is ours on the host: which files the project writes, and which names and ports it means to serve.
#[derive(Clone, Debug, Default, Eq, PartialEq, schemars::JsonSchema, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ours {
    /// Paths of the configuration files that we write. A candidate is put into the files before they are inspected.
    pub files: Vec<String>,
    /// The host names that we serve.
    pub hosts: Vec<String>,
    /// The ports that we listen on, for example 443, and 80 when certificates are fetched here.
    pub ports: Vec<u16>,
    /// The folder from which the ACME challenge of each host is served; absent where no certificate is fetched.
    pub webroot: Option<String>,
}

/// What was observed on the running host.
#[derive(Clone, Debug, Default, Eq, PartialEq, schemars::JsonSchema, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Observed {
    /// Listening TCP sockets.
    pub sockets: Vec<ListeningSocket>,
    /// nginx master processes.
    pub masters: Vec<Master>,
}

/// A listening TCP socket and who holds it.
#[derive(Clone, Debug, Eq, PartialEq, schemars::JsonSchema, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct ListeningSocket {
    /// Address and port, for example `0.0.0.0:80`.
    #[schemars(with = "String")]
    pub address: SocketAddr,
    /// Whether an IPv6 socket leaves IPv4 alone.
    #[serde(default = "yes")]
    pub ipv6only: bool,
    /// The process; absent where it could not be seen.
    #[serde(default)]
    pub pid: Option<u32>,
    /// The name of its program, for example `apache2`.
    #[serde(default)]
    pub process: Option<String>,
    /// The systemd unit it belongs to.
    #[serde(default)]
    pub unit: Option<String>,
}

fn yes() -> bool {
    true
}

/// An nginx master process.
#[derive(Clone, Debug, Eq, PartialEq, schemars::JsonSchema, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Master {
    /// Its process id.
    pub pid: u32,
    /// The systemd unit it belongs to.
    #[serde(default)]
    pub unit: Option<String>,
    /// The configuration file that it was started with, where it is known.
    #[serde(default)]
    pub configuration: Option<String>,
}

impl ListeningSocket {
    /// Who holds it, for people: `apache2 (pid 812, apache2.service)`.
    pub fn holder(&self) -> String {
        let name = self.process.as_deref().unwrap_or("a process that could not be seen");
        let details: Vec<String> =
            self.pid.map(|pid| format!("pid {pid}")).into_iter().chain(self.unit.clone()).collect();
        if details.is_empty() { name.to_owned() } else { format!("{name} ({})", details.join(", ")) }
    }
}

impl Master {
    /// Which one it is, for people: `pid 812 (nginx.service, /etc/nginx/nginx.conf)`.
    pub fn to_text(&self) -> String {
        let details: Vec<&str> = [&self.unit, &self.configuration].into_iter().flatten().map(String::as_str).collect();
        let pid = self.pid;
        if details.is_empty() { format!("pid {pid}") } else { format!("pid {pid} ({})", details.join(", ")) }
    }
}
