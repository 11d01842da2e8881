//! Questions to a listener of this host.

use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

use openssl::ssl::{SslConnector, SslMethod, SslStream, SslVerifyMode};
use pharos_core::certificate::Serial;
use pharos_core::edge::inspect::CHALLENGE_PATH;
use pharos_core::edge::install::{
    Challenge, ChallengeAnswer, HostAnswer, HostProof, Listener, Proof, ProofAnswers, Served,
};
use pharos_core::name::Port;

use crate::trial::{Response, Token, connect, request};

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
    let token = token(proof);
    let patience = Patience::from(Instant::now());
    let served = proof.addresses.iter().map(|address| Served {
        address: *address,
        hosts: proof.hosts.iter().map(|host| ask_host(proof, *address, host, token.as_ref(), &patience)).collect(),
        refuses_unknown: refuses_unknown(proof, *address, &patience),
    });
    ProofAnswers(served.collect())
}

/// A token where the proof asks for one; one that cannot be put does not come back either.
fn token(proof: &Proof) -> Option<Token> {
    match &proof.challenge {
        Some(Challenge::Webroot(webroot)) => Token::put(webroot).ok(),
        _ => None,
    }
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
                let path = token.map_or_else(|| format!("{CHALLENGE_PATH}none"), |token| token.path().to_owned());
                let response = get(&path);
                let came_back = token.is_some_and(|token| token.is(&response.body));
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

#[cfg(test)]
mod tests {
    use super::{Duration, Instant, Patience};

    #[test]
    fn patience_is_shared() {
        let start = Instant::now();
        let patience = Patience::from(start);
        let after = |seconds| patience.at(start + Duration::from_secs(seconds)).as_millis();
        assert_eq!([0, 15, 17, 20, 100].map(after), [5_000, 5_000, 3_000, 500, 500]);
    }
}
