//! A token that is fetched through each name before an authority is asked to do the same.

use std::net::IpAddr;
use std::time::Duration;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::challenge::{Fetched, judge_fetch};
use pharos_core::name::{AbsolutePath, HostName, Port};

use crate::host::program;
use crate::trial::{Token, connect, request};

/// How long an answer may take. Authorities wait for ten seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Fetches a token through all the names at once; `edge/challenge-unreachable` for each address that does not bring it back.
pub(super) fn fetch_all(webroot: &AbsolutePath, hosts: &[&HostName]) -> Result<(), Report> {
    if hosts.is_empty() {
        return Ok(());
    }
    let token = Token::put(webroot)?;
    let token = &token;
    let fetched: Vec<_> = std::thread::scope(|scope| {
        let asked: Vec<_> = hosts.iter().map(|host| scope.spawn(move || fetch(host, token))).collect();
        asked.into_iter().map(|each| each.join().unwrap_or_else(|_| Err("the question failed".to_owned()))).collect()
    });
    let mut findings = Findings::new();
    for (host, fetched) in hosts.iter().zip(&fetched) {
        judge_fetch(host, fetched, &mut findings);
    }
    findings.conclude(()).map(drop)
}

fn fetch(host: &HostName, token: &Token) -> Result<Vec<Fetched>, String> {
    let addresses = resolve(host)?;
    Ok(addresses.into_iter().map(|address| Fetched { address, answer: ask(address, host, token) }).collect())
}

/// The addresses of a name, as the host's own programs see them.
fn resolve(host: &HostName) -> Result<Vec<IpAddr>, String> {
    let said = program::run("getent", &["ahosts", host.as_str()]).map_err(|report| report.summary())?;
    if !said.ok {
        return Err(format!("getent ahosts ends with {}", said.code));
    }
    let mut addresses: Vec<IpAddr> =
        said.stdout.lines().filter_map(|line| line.split_whitespace().next()?.parse().ok()).collect();
    addresses.sort_unstable();
    addresses.dedup();
    Ok(addresses)
}

/// The status, and whether the body is the token.
fn ask(address: IpAddr, host: &HostName, token: &Token) -> Result<(u16, bool), String> {
    let mut stream = connect(address, Port::HTTP, PATIENCE)?;
    let response = request(&mut stream, host.as_str(), Port::HTTP, token.path(), PATIENCE);
    let status = response.status?.ok_or("no answer came in time")?;
    Ok((status, token.is(&response.body)))
}
