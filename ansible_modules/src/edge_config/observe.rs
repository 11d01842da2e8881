//! What of a host a transaction depends on.

use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;

use pharos_core::diagnostic::{Diagnostic, Place, Report};
use pharos_core::edge::install::{Journal, Listener, Live, Marker, Observation, ROOT, WELCOME_SITE};
use pharos_core::edge::nginx::Files;
use pharos_core::file::{Kind, codes};
use pharos_live::private::PrivateDir;

use crate::{files, host};

/// Where the markers and the lock lie. The folder above is not private: challenges may be answered from another one in it.
const STATE: &str = "/var/lib/pharos-edge/transactions";

/// The journal's name there.
pub(super) const JOURNAL: &str = "journal.json";

/// Where the journal lies.
pub(super) fn journal_path() -> String {
    format!("{STATE}/{JOURNAL}")
}

/// The journal; that of a host on which nothing was begun yet, if there is none.
pub(super) fn journal() -> Result<Journal, Report> {
    if !Path::new(STATE).exists() {
        return Ok(Journal::default());
    }
    let Some(bytes) = PrivateDir::open(Path::new(STATE))?.read(JOURNAL)? else { return Ok(Journal::default()) };
    Journal::parse(&journal_path(), &String::from_utf8_lossy(&bytes))
}

/// The folder of the markers, made if it is missing.
pub(super) fn state() -> Result<PrivateDir, Report> {
    let state = Path::new(STATE);
    if let Some(above) = state.parent() {
        let made = std::fs::DirBuilder::new().mode(0o755).recursive(true).create(above);
        made.map_err(|error| io(above, &error))?;
    }
    PrivateDir::create(state)
}

fn io(path: &Path, error: &std::io::Error) -> Report {
    let diagnostic = Diagnostic::error(codes::IO, format!("the system refuses: {error}"));
    diagnostic.at(Place::named(&path.to_string_lossy()), "").into()
}

/// Looks at everything. Nothing is written.
pub(super) fn observe(listener: Listener, listen: &[IpAddr]) -> Result<Observation, Report> {
    let system = host::system::observe()?;
    let files = if system.nginx.is_some() { host::configuration::read(ROOT)? } else { Files::new() };
    Ok(Observation {
        system,
        observed: host::observed()?,
        files,
        live: live(listener)?,
        welcome_link: std::fs::read_link(WELCOME_SITE)
            .ok()
            .and_then(|target| target.into_os_string().into_string().ok()),
        marker: marker(listener)?,
        ipv6: host::system::ipv6(),
        addresses: host::addresses::observe(listen),
    })
}

fn live(listener: Listener) -> Result<Live, Report> {
    let path = listener.file();
    let kind = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Live::Absent),
        Err(error) => return Err(io(Path::new(path), &error)),
        Ok(metadata) if metadata.is_symlink() => Kind::Link,
        Ok(metadata) if metadata.is_dir() => Kind::Directory,
        Ok(metadata) if metadata.is_file() => Kind::File,
        Ok(_) => Kind::Other,
    };
    if kind != Kind::File {
        return Ok(Live::Other(kind));
    }
    let bytes = files::read(Path::new(path))?;
    Ok(Live::Text(String::from_utf8_lossy(&bytes).into_owned()))
}

/// The marker that an interrupted run left.
pub(super) fn marker(listener: Listener) -> Result<Option<Marker>, Report> {
    match read_marker(listener.marker())? {
        Some((path, text)) => Marker::parse(&path, &text).map(Some),
        None => Ok(None),
    }
}

/// The file of this name among the markers, with its path; `None` if there is none.
pub(super) fn read_marker(name: &str) -> Result<Option<(String, String)>, Report> {
    if !Path::new(STATE).exists() {
        return Ok(None);
    }
    let bytes = PrivateDir::open(Path::new(STATE))?.read(name)?;
    Ok(bytes.map(|bytes| (format!("{STATE}/{name}"), String::from_utf8_lossy(&bytes).into_owned())))
}
