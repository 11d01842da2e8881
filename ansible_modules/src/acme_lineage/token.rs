//! A token that is fetched through each name before an authority is asked to do the same.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pharos_core::diagnostic::{Findings, Report};
use pharos_core::edge::challenge::{Fetched, judge_fetch};
use pharos_core::edge::inspect::CHALLENGE_PATH;
use pharos_core::name::{AbsolutePath, HostName, Port};
use pharos_live::file::{self, Attributes};

use crate::files::unreadable;
use crate::host::program;

/// How long an answer may take. Authorities wait for ten seconds.
const PATIENCE: Duration = Duration::from_secs(10);
/// No answer that matters is longer.
const LONGEST: u64 = 16 * 1024;

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
    let words = |error: std::io::Error| error.to_string();
    let mut stream =
        TcpStream::connect_timeout(&SocketAddr::new(address, Port::HTTP.get()), PATIENCE).map_err(words)?;
    stream.set_read_timeout(Some(PATIENCE)).and_then(|()| stream.set_write_timeout(Some(PATIENCE))).map_err(words)?;
    let path = &token.path;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: pharos-acme-lineage\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).map_err(words)?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer).map_err(words)?;
    let status = status(&answer).ok_or("what answers does not speak HTTP")?;
    Ok((status, body(&answer) == token.text.as_bytes()))
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = std::str::from_utf8(answer.split(|byte| *byte == b'\r').next()?).ok()?;
    line.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()
}

fn body(answer: &[u8]) -> &[u8] {
    let start = answer.windows(4).position(|window| window == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    answer.get(start..).unwrap_or_default()
}

/// A token in the webroot, removed with the value.
struct Token {
    file: PathBuf,
    path: String,
    text: String,
}

impl Token {
    fn put(webroot: &AbsolutePath) -> Result<Self, Report> {
        let name = format!("pharos-trial-{}", std::process::id());
        let folder = Path::new(webroot.as_str()).join(CHALLENGE_PATH.trim_matches('/'));
        let text = format!("{name} {:?}", std::time::SystemTime::now());
        std::fs::create_dir_all(&folder).map_err(|error| unreadable(&folder, &error))?;
        let file = folder.join(&name);
        file::replace(&file, text.as_bytes(), Attributes { mode: 0o644, owner: None, force: true })?;
        Ok(Self { file, path: format!("{CHALLENGE_PATH}{name}"), text })
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // A forgotten token is a file of some bytes that says nothing.
        let _ = std::fs::remove_file(&self.file);
    }
}

#[cfg(test)]
mod tests {
    use super::{body, status};

    #[test]
    fn answers_are_taken_apart() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntoken";
        assert_eq!((status(answer), body(answer)), (Some(200), b"token".as_slice()));
        assert_eq!((status(b"SSH-2.0-OpenSSH\r\n"), body(b"SSH-2.0-OpenSSH\r\n")), (None, b"".as_slice()));
    }
}
