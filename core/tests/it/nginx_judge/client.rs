//! A client that says exactly what it is told to.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use openssl::ssl::{Ssl, SslContext, SslContextBuilder, SslMethod, SslStream, SslVerifyMode};

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// Status line and headers.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header, if it is there.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(&self.head, name)
    }
}

/// The value of a header in a head, if it is there exactly once; panics if it is repeated.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut found = head.lines().filter_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    });
    let first = found.next();
    assert!(found.next().is_none(), "{name} is repeated in {head}");
    first
}

fn tcp(address: &str, port: u16) -> TcpStream {
    let stream = TcpStream::connect((address, port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

/// A handshake that asks for a name (or for none) and offers these protocols.
pub(crate) fn handshake(name: Option<&str>, protocols: &[&str]) -> Result<SslStream<TcpStream>, String> {
    handshake_at("127.0.0.1", name, protocols, &mut |_| ())
}

/// The same at an address of this host, which is then the client's as well, and with settings of its own.
pub(crate) fn handshake_at(
    address: &str,
    name: Option<&str>,
    protocols: &[&str],
    set: &mut dyn FnMut(&mut SslContextBuilder),
) -> Result<SslStream<TcpStream>, String> {
    let mut context = SslContext::builder(SslMethod::tls_client()).unwrap();
    context.set_verify(SslVerifyMode::NONE);
    let offered: Vec<u8> =
        protocols.iter().flat_map(|p| [&[u8::try_from(p.len()).unwrap()], p.as_bytes()].concat()).collect();
    if !offered.is_empty() {
        context.set_alpn_protos(&offered).unwrap();
    }
    set(&mut context);
    let mut ssl = Ssl::new(&context.build()).unwrap();
    if let Some(name) = name {
        ssl.set_hostname(name).unwrap();
    }
    ssl.connect(tcp(address, 443)).map_err(|error| error.to_string())
}

/// A connection to a host of the site.
pub(crate) fn connect(host: &str) -> SslStream<TcpStream> {
    handshake(Some(host), &["http/1.1"]).unwrap()
}

/// Reads one answer to its end; the connection is closed after it.
pub(crate) fn answer(stream: &mut impl Read) -> Answer {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    // A reset or an abrupt close ends an answer as well as an orderly one: what was said counts.
    while let Ok(count @ 1..) = stream.read(&mut part) {
        bytes.extend_from_slice(&part[..count]);
    }
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("{head}"));
    Answer { status, head: head.to_owned(), body: body.to_owned() }
}

/// Sends a request line and headers over TLS, as they are, and a body.
pub(crate) fn send(sni: &str, head: &[&str], body: &str) -> Answer {
    send_over(&mut connect(sni), head, body)
}

/// The same over a connection.
pub(crate) fn send_over(stream: &mut SslStream<TcpStream>, head: &[&str], body: &str) -> Answer {
    let head = head.join("\r\n");
    stream.write_all(format!("{head}\r\nConnection: close\r\n\r\n{body}").as_bytes()).unwrap();
    answer(stream)
}

/// A plain `GET` of a request target, exactly as it is written.
pub(crate) fn get(host: &str, target: &str) -> Answer {
    get_with(host, target, &[])
}

/// The same with more headers.
pub(crate) fn get_with(host: &str, target: &str, headers: &[&str]) -> Answer {
    let (line, host_line) = (format!("GET {target} HTTP/1.1"), format!("Host: {host}"));
    let head: Vec<&str> = [line.as_str(), host_line.as_str()].into_iter().chain(headers.iter().copied()).collect();
    send(host, &head, "")
}

/// A request on port 80.
pub(crate) fn plain(host: &str, target: &str) -> Answer {
    let mut stream = tcp("127.0.0.1", 80);
    stream.write_all(format!("GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes()).unwrap();
    answer(&mut stream)
}
