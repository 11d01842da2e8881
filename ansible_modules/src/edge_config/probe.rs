//! Questions to a listener of this host.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use openssl::ssl::{SslConnector, SslMethod, SslStream, SslVerifyMode};
use pharos_core::certificate::Serial;
use pharos_core::edge::inspect::CHALLENGE_PATH;
use pharos_core::edge::install::{
    Challenge, ChallengeAnswer, HostAnswer, HostProof, Listener, Proof, ProofAnswers, Served,
};
use pharos_core::name::Port;

/// How long one answer may take. An upstream that is slower than that was reached, which is all that is asked.
const EACH: Duration = Duration::from_secs(5);
/// How long all of them may take before each is given the least.
const ALL: Duration = Duration::from_secs(20);
/// What an answer is always given.
const LEAST: Duration = Duration::from_millis(500);
/// A name that no certificate is for.
const UNKNOWN: &str = "unknown.invalid";

/// Asks everything that the proof wants to know, one question after the other: OpenSSL's own configuration leaves threads out
/// of a static library, so that only one thread of the program may use it.
pub(super) fn ask(proof: &Proof) -> ProofAnswers {
    let token = Token::put(proof);
    let patience = Patience::from(Instant::now());
    let served = proof.addresses.iter().map(|address| Served {
        address: *address,
        hosts: proof.hosts.iter().map(|host| ask_host(proof, *address, host, token.as_ref(), &patience)).collect(),
        refuses_unknown: refuses_unknown(proof, *address, &patience),
    });
    ProofAnswers(served.collect())
}

/// How long answers may take, each and all together: silent upstreams must not make the proof as long as there are hosts.
struct Patience {
    until: Instant,
}

impl Patience {
    fn from(start: Instant) -> Self {
        Self { until: start + ALL }
    }

    /// For the next answer.
    fn next(&self) -> Duration {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Duration {
        self.until.saturating_duration_since(now).clamp(LEAST, EACH)
    }
}

fn ask_host(
    proof: &Proof,
    address: IpAddr,
    host: &HostProof,
    token: Option<&Token>,
    patience: &Patience,
) -> HostAnswer {
    let name = host.host.as_str();
    match proof.listener {
        Listener::Https => match handshake(address, host.port, name, patience.next()) {
            Err(why) => HostAnswer { serial: Err(why.clone()), status: Err(why), challenge: None },
            Ok(mut stream) => {
                let serial = serial(&stream);
                let response = request(&mut stream, name, host.port, &host.path, patience.next());
                HostAnswer { serial, status: response.status, challenge: None }
            }
        },
        Listener::Http => {
            let get = |path: &str| match connect(address, host.port, patience.next()) {
                Ok(mut stream) => request(&mut stream, name, host.port, path, patience.next()),
                Err(why) => Response { status: Err(why), body: Vec::new() },
            };
            let challenge = proof.challenge.as_ref().map(|_| {
                let path = token.map_or_else(|| format!("{CHALLENGE_PATH}none"), |token| token.url.clone());
                let response = get(&path);
                let came_back = token.is_some_and(|token| response.body == token.text.as_bytes());
                ChallengeAnswer { status: response.status, token: came_back }
            });
            HostAnswer { serial: Err("plain HTTP".to_owned()), status: get(&host.path).status, challenge }
        }
    }
}

/// Whether no port completes a handshake for a name that nobody has.
fn refuses_unknown(proof: &Proof, address: IpAddr, patience: &Patience) -> bool {
    let refused = |port| handshake(address, port, UNKNOWN, patience.next()).is_err();
    proof.listener == Listener::Http || proof.ports().into_iter().all(refused)
}

fn connect(address: IpAddr, port: Port, patience: Duration) -> Result<TcpStream, String> {
    let stream = TcpStream::connect_timeout(&SocketAddr::new(address, port.get()), patience)
        .map_err(|error| format!("port {port}: {error}"))?;
    stream
        .set_read_timeout(Some(patience))
        .and_then(|()| stream.set_write_timeout(Some(patience)))
        .map_err(|error| error.to_string())?;
    Ok(stream)
}

/// A handshake that verifies nothing: the certificate was judged as a file, and is compared with it.
fn handshake(address: IpAddr, port: Port, name: &str, patience: Duration) -> Result<SslStream<TcpStream>, String> {
    let mut builder = SslConnector::builder(SslMethod::tls_client()).map_err(|error| error.to_string())?;
    builder.set_verify(SslVerifyMode::NONE);
    let mut configuration = builder.build().configure().map_err(|error| error.to_string())?;
    configuration.set_verify_hostname(false);
    let stream = connect(address, port, patience)?;
    configuration.connect(name, stream).map_err(|error| format!("the TLS handshake failed: {error}"))
}

fn serial(stream: &SslStream<TcpStream>) -> Result<Serial, String> {
    let certificate = stream.ssl().peer_certificate().ok_or("no certificate was sent")?;
    let number = certificate.serial_number().to_bn().map_err(|error| error.to_string())?;
    Ok(Serial::from_bytes(&number.to_vec()))
}

struct Response {
    status: Result<Option<u16>, String>,
    body: Vec<u8>,
}

/// `GET` of a path. No answer in time is `Ok(None)`.
fn request(stream: &mut (impl Read + Write), host: &str, port: Port, path: &str, patience: Duration) -> Response {
    let authority = if [Port::HTTP, Port::HTTPS].contains(&port) { host.to_owned() } else { format!("{host}:{port}") };
    let text = format!(
        "GET {path} HTTP/1.1\r\nHost: {authority}\r\nUser-Agent: pharos-edge-config\r\nConnection: close\r\n\r\n"
    );
    if let Err(error) = stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        return Response { status: Err(error.to_string()), body: Vec::new() };
    }
    let until = Instant::now() + patience;
    let mut answer = Vec::new();
    let mut buffer = [0; 4096];
    let failure = loop {
        match stream.read(&mut buffer) {
            Ok(0) => break None,
            Ok(read) => answer.extend_from_slice(buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => break Some(error),
        }
        // A token is short, and of all else the first line is enough.
        if answer.len() > 16 * 1024 || Instant::now() > until {
            break None;
        }
    };
    let late = failure
        .as_ref()
        .is_some_and(|error| [std::io::ErrorKind::WouldBlock, std::io::ErrorKind::TimedOut].contains(&error.kind()));
    let status = match (status(&answer), failure) {
        (Some(status), _) => Ok(Some(status)),
        (None, Some(_)) if late => Ok(None),
        (None, Some(error)) => Err(error.to_string()),
        (None, None) => Err("the connection was closed without an answer".to_owned()),
    };
    let body = answer.windows(4).position(|window| window == b"\r\n\r\n").and_then(|at| answer.get(at + 4..));
    Response { status, body: body.unwrap_or_default().to_vec() }
}

fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.split(|byte| *byte == b'\r').next()?;
    let line = std::str::from_utf8(line).ok()?;
    line.strip_prefix("HTTP/1.")?.get(2..5)?.parse().ok()
}

/// A token in the webroot, removed with the value.
struct Token {
    file: PathBuf,
    url: String,
    text: String,
}

impl Token {
    /// Puts one; `None` if the proof asks for none, or if it cannot be put: then it does not come back either.
    fn put(proof: &Proof) -> Option<Self> {
        let Some(Challenge::Webroot(webroot)) = &proof.challenge else { return None };
        let folder = Path::new(webroot.as_str()).join(CHALLENGE_PATH.trim_matches('/'));
        std::fs::create_dir_all(&folder).ok()?;
        let name = format!("pharos-proof-{}", std::process::id());
        let token = Self {
            file: folder.join(&name),
            url: format!("{CHALLENGE_PATH}{name}"),
            text: format!("pharos {name} {:?}", std::time::SystemTime::now()),
        };
        let attributes = pharos_live::file::Attributes { mode: 0o644, owner: None, force: true };
        pharos_live::file::replace(&token.file, token.text.as_bytes(), attributes).ok()?;
        Some(token)
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
    use super::{Duration, Instant, Patience, Port, request, status};
    use std::io::{Cursor, Read, Result, Write};

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

    #[test]
    fn patience_is_shared() {
        let start = Instant::now();
        let patience = Patience::from(start);
        let after = |seconds| patience.at(start + Duration::from_secs(seconds)).as_millis();
        assert_eq!([0, 15, 17, 20, 100].map(after), [5_000, 5_000, 3_000, 500, 500]);
    }

    #[test]
    fn an_exchange() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ntoken".to_vec();
        let mut exchange = Exchange { answer: Cursor::new(answer), asked: Vec::new() };
        let response = request(&mut exchange, "a.example.org", Port::new(8443).unwrap(), "/x", super::EACH);
        assert_eq!((response.status, response.body), (Ok(Some(200)), b"token".to_vec()));
        assert!(exchange.asked.starts_with(b"GET /x HTTP/1.1\r\nHost: a.example.org:8443\r\n"));
    }

    #[test]
    fn only_http_has_a_status() {
        assert_eq!(status(b"HTTP/1.0 404 Not Found\r\n"), Some(404));
        assert_eq!(status(b"SSH-2.0-OpenSSH\r\n"), None);
        assert_eq!(status(b""), None);
    }
}
