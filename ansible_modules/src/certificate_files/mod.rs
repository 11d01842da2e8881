//! `certificate_files` and `certificate_files_info`: certificates of one edge, given to another.
//!
//! They travel through the controller's memory: out of one program's answer, into another's standard input. A certificate lies in
//! a folder of its own, and the lineage's place is a link to that folder: chain and key change together, in one rename.

mod read;
mod write;

use pharos_core::name::HostName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) use read::CertificateFilesInfo;
pub(crate) use write::{CertificateFiles, judge_places};

/// A certificate with its key, by content.
#[derive(Clone, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    /// The host name that it serves.
    host: HostName,
    /// The chain in PEM, the server's own certificate first.
    certificate: String,
    /// The private key in PEM.
    #[schemars(extend("x-no-log" = true))]
    key: String,
}
