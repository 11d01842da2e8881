//! A stand-in for the gateway that keeps what it was sent.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// What is done with a connection.
pub(crate) type Behaviour = fn(&mut dyn Connection, &Record);

/// A connection that can be read and written.
pub(crate) trait Connection: Read + Write {}

impl<T: Read + Write> Connection for T {}

/// The heads of all requests that came in, in order.
#[derive(Clone, Default)]
pub(crate) struct Record(Arc<Mutex<Vec<String>>>);

impl Record {
    /// Adds what came in.
    pub(crate) fn keep(&self, text: String) {
        self.0.lock().unwrap().push(text);
    }

    /// What came in so far; it starts anew.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Listens in this thread's network namespace for as long as the test runs.
pub(crate) fn start(address: &str, behaviour: Behaviour) -> Record {
    start_with(address, |stream| stream, move |stream, record| behaviour(stream, record))
}

/// The same with something between, such as TLS.
pub(crate) fn start_with<C>(
    address: &str,
    accept: impl Fn(TcpStream) -> C + Send + Sync + 'static,
    behaviour: impl Fn(&mut C, &Record) + Send + Sync + 'static,
) -> Record {
    let listener = TcpListener::bind(address).unwrap();
    let record = Record::default();
    let kept = record.clone();
    let serve = Arc::new(move |stream, record: &Record| behaviour(&mut accept(stream), record));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (record, serve) = (kept.clone(), Arc::clone(&serve));
            std::thread::spawn(move || serve(stream.unwrap(), &record));
        }
    });
    record
}

/// Reads up to the end of a head.
pub(crate) fn read_head(stream: &mut dyn Connection) -> Option<String> {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        match stream.read(&mut byte) {
            Ok(1) => bytes.push(byte[0]),
            _ => return None,
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Answers every request with 200, a strict transport security of its own, and the head that it saw; upgrades to an echo where it is
/// asked for a WebSocket.
pub(crate) fn echo(stream: &mut dyn Connection, record: &Record) {
    if let Some(head) = read_head(stream) {
        echo_to(&head, stream, record);
    }
}

/// The same, once the head was read.
pub(crate) fn echo_to(head: &str, stream: &mut dyn Connection, record: &Record) {
    record.keep(head.to_owned());
    if head.to_lowercase().contains("\r\nupgrade:") {
        stream
            .write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n")
            .unwrap();
        let mut part = [0; 64];
        while let Ok(count @ 1..) = stream.read(&mut part) {
            if stream.write_all(&part[..count]).is_err() {
                return;
            }
        }
        return;
    }
    let length = super::client::header(head, "Content-Length").and_then(|text| text.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    if stream.read_exact(&mut body).is_err() {
        return;
    }
    let answer = format!(
        "HTTP/1.1 200 OK\r\nStrict-Transport-Security: max-age=1\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{head}",
        head.len()
    );
    // nginx may have closed already: its client went away.
    let _ = stream.write_all(answer.as_bytes());
}
