//! The files: where they lie, how they are read, and how they are put in place.

use std::fs::File;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use pharos_core::certificate::Input;
use pharos_core::certificate::development::OnHost;
use pharos_core::diagnostic::Report;
use pharos_core::name::AbsolutePath;
use pharos_live::file::{self, Attributes};
use pharos_live::private::PrivateDir;
use sha2::{Digest, Sha256};

use super::issue::{Pair, PairRef};
use crate::files::{read_if_there, unreadable};

/// The folder of everything that is not for the users of the machine.
const PRIVATE: &str = "private";
/// The folder of the authority in it, and its files.
const AUTHORITY: &str = "authority";
const AUTHORITY_FILES: [&str; 2] = ["ca.pem", "ca-key.pem"];
/// The link to the certificate that is served, and the folder of what was issued.
const LIVE: &str = "live";
const ISSUED: &str = "issued";
const LEAF_FILES: [&str; 2] = ["fullchain.pem", "privkey.pem"];
/// An authority that is being written. It takes its place in one step, so that no interruption leaves half of one.
const UNFINISHED: &str = ".authority.pharos-new";

/// The folder with all of it.
pub(super) struct Store {
    folder: PathBuf,
}

/// A certificate and its key, each as far as it is there.
#[derive(Default)]
pub(super) struct Found {
    certificate: Option<(String, Vec<u8>)>,
    key: Option<(String, Vec<u8>)>,
}

impl Found {
    fn of(pair: Pair, names: [String; 2]) -> Self {
        let [certificate, key] = names;
        Self { certificate: Some((certificate, pair.certificate)), key: Some((key, pair.key)) }
    }

    /// Both contents; empty for what is not there.
    pub(super) fn pair(&self) -> PairRef<'_> {
        fn bytes(file: Option<&(String, Vec<u8>)>) -> &[u8] {
            file.map_or(&[], |(_, bytes)| bytes.as_slice())
        }
        PairRef { certificate: bytes(self.certificate.as_ref()), key: bytes(self.key.as_ref()) }
    }
}

/// What was found.
#[derive(Default)]
pub(super) struct Stored {
    pub(super) authority: Option<Found>,
    pub(super) leaf: Option<Found>,
    published: Option<(String, Vec<u8>)>,
}

impl Stored {
    /// The same, as it is judged.
    pub(super) fn on_host(&self) -> OnHost<'_> {
        fn input(file: Option<&(String, Vec<u8>)>) -> Option<Input<'_>> {
            file.map(|(name, bytes)| Input { name, bytes })
        }
        OnHost {
            authority: input(self.authority.as_ref().and_then(|found| found.certificate.as_ref())),
            authority_key: input(self.authority.as_ref().and_then(|found| found.key.as_ref())),
            published: input(self.published.as_ref()),
            leaf: input(self.leaf.as_ref().and_then(|found| found.certificate.as_ref())),
            leaf_key: input(self.leaf.as_ref().and_then(|found| found.key.as_ref())),
        }
    }
}

impl Store {
    pub(super) fn new(folder: &AbsolutePath) -> Self {
        Self { folder: PathBuf::from(folder.as_str()) }
    }

    fn private(&self) -> PathBuf {
        self.folder.join(PRIVATE)
    }

    fn paths(&self, folder: &str, files: [&str; 2]) -> [String; 2] {
        files.map(|name| self.private().join(folder).join(name).display().to_string())
    }

    /// The copy of the authority's certificate that clients are told to trust.
    pub(super) fn trust(&self) -> String {
        self.folder.join(AUTHORITY_FILES[0]).display().to_string()
    }

    /// Certificate and key as nginx reads them.
    pub(super) fn live_files(&self) -> (String, String) {
        let [certificate, key] = self.paths(LIVE, LEAF_FILES);
        (certificate, key)
    }

    pub(super) fn as_authority(&self, pair: Pair) -> Found {
        Found::of(pair, self.paths(AUTHORITY, AUTHORITY_FILES))
    }

    pub(super) fn as_leaf(&self, pair: Pair) -> Found {
        Found::of(pair, self.paths(LIVE, LEAF_FILES))
    }

    /// Reads everything. A private folder or file that others could change is refused.
    pub(super) fn read(&self) -> Result<Stored, Report> {
        let published = named(Path::new(&self.trust()))?;
        if !self.private().exists() {
            return Ok(Stored { published, ..Stored::default() });
        }
        let private = PrivateDir::open(&self.private())?;
        let authority = if private.names()?.iter().any(|name| name == AUTHORITY) {
            let folder = private.enter(AUTHORITY)?;
            let [certificate, key] = AUTHORITY_FILES.map(|name| (name, folder.path().join(name)));
            let read = |(name, path): (&str, PathBuf)| -> Result<_, Report> {
                Ok(folder.read(name)?.map(|bytes| (path.display().to_string(), bytes)))
            };
            Some(Found { certificate: read(certificate)?, key: read(key)? })
        } else {
            None
        };
        let [certificate, key] = self.paths(LIVE, LEAF_FILES);
        let leaf = Found { certificate: named(Path::new(&certificate))?, key: named(Path::new(&key))? };
        Ok(Stored { authority, leaf: Some(leaf), published })
    }

    /// Opens the private folder, and makes it with those above it; what is above is for everybody.
    fn open(&self) -> Result<PrivateDir, Report> {
        let made = std::fs::DirBuilder::new().mode(0o755).recursive(true).create(&self.folder);
        made.map_err(|error| unreadable(&self.folder, &error))?;
        PrivateDir::create(&self.private())
    }

    /// Puts a new authority in place: a folder that is written aside, and renamed.
    pub(super) fn write_authority(&self, next: &Stored) -> Result<(), Report> {
        let Some(authority) = &next.authority else { return Ok(()) };
        let private = self.open()?;
        let unfinished = self.private().join(UNFINISHED);
        if unfinished.exists() {
            std::fs::remove_dir_all(&unfinished).map_err(|error| unreadable(&unfinished, &error))?;
        }
        write_pair(&private.make(UNFINISHED)?, AUTHORITY_FILES, authority)?;
        let place = self.private().join(AUTHORITY);
        std::fs::rename(&unfinished, &place)
            .and_then(|()| File::open(self.private())?.sync_all())
            .map_err(|error| unreadable(&place, &error).into())
    }

    /// Puts a new certificate in place: a folder of its own, to which the link is turned. Older ones go, but for the one that
    /// was served until now.
    pub(super) fn write_leaf(&self, next: &Stored) -> Result<(), Report> {
        let Some(leaf) = &next.leaf else { return Ok(()) };
        let private = self.open()?;
        let issued = private.make(ISSUED)?;
        let fingerprint = fingerprint(&leaf.pair());
        write_pair(&issued.make(&fingerprint)?, LEAF_FILES, leaf)?;
        let link = self.private().join(LIVE);
        let served = std::fs::read_link(&link).ok();
        let target = Path::new(ISSUED).join(&fingerprint);
        file::replace_link(&link, target.as_os_str())?;
        for name in issued.names()? {
            let kept =
                name == fingerprint || served.as_ref().is_some_and(|served| *served == Path::new(ISSUED).join(&name));
            if !kept {
                // What stays is a key that was replaced; the next run tries again.
                let _ = std::fs::remove_dir_all(issued.path().join(name));
            }
        }
        Ok(())
    }

    /// Publishes the authority's certificate.
    pub(super) fn publish(&self, next: &Stored) -> Result<(), Report> {
        let Some(authority) = &next.authority else { return Ok(()) };
        let attributes = Attributes { mode: 0o644, owner: None, force: true };
        file::replace(Path::new(&self.trust()), authority.pair().certificate, attributes)
    }
}

fn write_pair(folder: &PrivateDir, [certificate, key]: [&str; 2], found: &Found) -> Result<(), Report> {
    folder.write(key, found.pair().key)?;
    folder.write(certificate, found.pair().certificate)
}

/// The content of a file under its path; `None` if it is not there.
fn named(path: &Path) -> Result<Option<(String, Vec<u8>)>, Report> {
    Ok(read_if_there(path)?.map(|bytes| (path.display().to_string(), bytes)))
}

/// The name of the folder of this very content.
fn fingerprint(pair: &PairRef<'_>) -> String {
    let digest = Sha256::digest([pair.certificate, b"\0", pair.key].concat());
    let number = digest.iter().take(16).fold(0, |number: u128, byte| (number << 8) | u128::from(*byte));
    format!("{number:032x}")
}
