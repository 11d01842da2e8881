//! The laboratories that an edge serves beside the catalogue: those of its registry, and the caller's.

use std::path::Path;
use std::sync::Arc;

use pharos_core::catalogue::extension::{self, Given, REGISTRY, RegisteredFile};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::MAX_BYTES;
use pharos_live::guarded::GuardedDir;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::ControllerDocument;
use crate::site::source;

/// Whether a laboratory is to be served.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Presence {
    /// It is served.
    #[default]
    Present,
    /// It is served no longer.
    Absent,
}

/// What a task says of the laboratory that it is run for.
#[derive(Clone, Copy)]
pub(crate) struct Laboratory<'a> {
    /// Its extension; without one the registered laboratories are served as they are.
    pub(crate) extension: Option<&'a ControllerDocument>,
    /// Whether it is to be served.
    pub(crate) presence: Presence,
}

impl Laboratory<'_> {
    /// The extensions that the edge is to serve.
    pub(crate) fn served(self) -> Result<Vec<Arc<Source>>, Report> {
        let registered = registered()?;
        let extension = self.extension.map(source);
        let given = extension.as_ref().map(|extension| match self.presence {
            Presence::Present => Given::Present(extension),
            Presence::Absent => Given::Absent(extension),
        });
        extension::served(&registered, given)
    }
}

/// The files of the registry; none if there is no such folder.
pub(crate) fn registered() -> Result<Vec<RegisteredFile>, Report> {
    let Some(folder) = GuardedDir::open(Path::new(REGISTRY))? else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for name in folder.names()? {
        if let Some(bytes) = read(&folder, &name)? {
            files.push(RegisteredFile { name, bytes });
        }
    }
    Ok(files)
}

/// A file of the registry; one that is larger than a document may be is read one byte further, so that the core refuses it.
pub(crate) fn read(folder: &GuardedDir, name: &str) -> Result<Option<Vec<u8>>, Report> {
    folder.read(name, MAX_BYTES as u64 + 1)
}
