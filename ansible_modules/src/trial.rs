//! A token in the folder that challenges are answered from, and the questions that bring it back.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pharos_core::diagnostic::Report;
use pharos_core::edge::inspect::CHALLENGE_PATH;
use pharos_core::name::{AbsolutePath, Port};
use pharos_live::file::{self, Attributes};

use crate::files::unreadable;

/// A token is short, and of all else the first line is enough.
const LONGEST: usize = 16 * 1024;

/// A token in the webroot, removed with the value.
pub(crate) struct Token {
    file: PathBuf,
    path: String,
    text: String,
}

impl Token {
    /// Puts one, under a name that no authority uses.
    pub(crate) fn put(webroot: &AbsolutePath) -> Result<Self, Report> {
        let folder = Path::new(webroot.as_str()).join(CHALLENGE_PATH.trim_matches('/'));
        std::fs::create_dir_all(&folder).map_err(|error| unreadable(&folder, &error))?;
        let name = format!("pharos-trial-{}", std::process::id());
        let file = folder.join(&name);
        let text = format!("{name} {:?}", std::time::SystemTime::now());
        file::replace(&file, text.as_bytes(), Attributes { mode: 0o644, owner: None, force: true })?;
        Ok(Self { file, path: format!("{CHALLENGE_PATH}{name}"), text })
    }

    /// The path of its URL.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Whether an answer is the token.
    pub(crate) fn is(&self, body: &[u8]) -> bool {
        body == self.text.as_bytes()
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        // A forgotten token is a file of some bytes that says nothing.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A connection on which reading and writing end in time.
pub(crate) fn connect(address: IpAddr, port: Port, patience: Duration) -> Result<TcpStream, String> {
    let stream = TcpStream::connect_timeout(&SocketAddr::new(address, port.get()), patience)
        .map_err(|error| format!("port {port}: {error}"))?;
    stream
        .set_read_timeout(Some(patience))
        .and_then(|()| stream.set_write_timeout(Some(patience)))
        .map_err(|error| error.to_string())?;
    Ok(stream)
}

/// What was answered.
pub(crate) struct Response {
    /// The status; no answer in time is `Ok(None)`.
    pub(crate) status: Result<Option<u16>, String>,
    /// What follows the head.
    pub(crate) body: Vec<u8>,
}

/// `GET` of a path.
pub(crate) fn request(
    stream: &mut (impl Read + Write),
    host: &str,
    port: Port,
    path: &str,
    patience: Duration,
) -> Response {
    let authority = if [Port::HTTP, Port::HTTPS].contains(&port) { host.to_owned() } else { format!("{host}:{port}") };
    let text =
        format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: pharos-trial\r\nConnection: close\r\n\r\n");
    if let Err(error) = stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        return Response { status: Err(error.to_string()), body: Vec::new() };
    }
    let (answer, failure) = read(stream, patience);
    let late = |error: &std::io::Error| [ErrorKind::WouldBlock, ErrorKind::TimedOut].contains(&error.kind());
    let status = match (status(&answer), failure) {
        (Some(status), _) => Ok(Some(status)),
        (None, Some(error)) if late(&error) => Ok(None),
        (None, Some(error)) => Err(error.to_string()),
        (None, None) if answer.is_empty() => Err("the connection was closed without an answer".to_owned()),
        (None, None) => Err("what answers does not speak HTTP".to_owned()),
    };
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").and_then(|at| answer.get(at + 4..));
    Response { status, body: body.unwrap_or_default().to_vec() }
}

/// What comes until the end, until it is too much, or until it takes too long; and why it ended otherwise.
fn read(stream: &mut impl Read, patience: Duration) -> (Vec<u8>, Option<std::io::Error>) {
    let until = Instant::now() + patience;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    while answer.len() <= LONGEST && Instant::now() <= until {
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => answer.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return (answer, Some(error)),
        }
    }
    (answer, None)
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{Port, Token, request, status};
    use std::io::{Cursor, Read, Result, Write};
    use std::time::Duration;

    struct Exchange {
        answer: Cursor<Vec<u8>>,
        asked: Vec<u8>,
    }

    impl Read for Exchange {
        fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
            self.answer.read(buffer)
        }
    }

    impl Write for Exchange {
        fn write(&mut self, bytes: &[u8]) -> Result<usize> {
            self.asked.write(bytes)
        }

        fn flush(&mut self) -> Result<()> {
            Ok(())
        }
    }

    fn exchange(answer: &[u8]) -> (super::Response, Vec<u8>) {
        let mut exchange = Exchange { answer: Cursor::new(answer.to_vec()), asked: Vec::new() };
        let port = Port::new(8443).unwrap();
        let response = request(&mut exchange, "a.example.org", port, "/x", Duration::from_secs(5));
        (response, exchange.asked)
    }

    #[test]
    fn an_exchange() {
        let (response, asked) = exchange(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntoken");
        assert_eq!((response.status, response.body), (Ok(Some(200)), b"token".to_vec()));
        assert!(asked.starts_with(b"GET /x HTTP/1.1\r\nHost: a.example.org:8443\r\n"));
        assert!(exchange(b"SSH-2.0-OpenSSH\r\n").0.status.unwrap_err().contains("does not speak HTTP"));
        assert!(exchange(b"").0.status.unwrap_err().contains("without an answer"));
    }

    #[test]
    fn only_http_has_a_status() {
        assert_eq!(status(b"HTTP/1.0 404 Not Found\r\n"), Some(404));
        assert_eq!(status(b"SSH-2.0-OpenSSH\r\n"), None);
        assert_eq!(status(b""), None);
    }

    #[test]
    fn a_token_goes_with_its_value() {
        let webroot = tempfile::tempdir().unwrap();
        let token = Token::put(&webroot.path().to_str().unwrap().parse().unwrap()).unwrap();
        let file = webroot.path().join(token.path().trim_start_matches('/'));
        assert!(token.is(&std::fs::read(&file).unwrap()) && !token.is(b""));
        drop(token);
        assert!(!file.exists());
    }
}
