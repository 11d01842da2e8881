//! Names, as documents state them: every bad name of a document is reported at once.

use std::collections::BTreeMap;

use pharos_core::diagnostic::Report;
use pharos_core::document;
use pharos_core::name::{
    AbsolutePath, DnsLabel, HostName, MailAddress, Network, Origin, RepositoryUrl, ServiceName, SocketAddress, UrlPath,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

/// A document with every kind of name.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only read, and refused")]
struct Names {
    #[serde(default)]
    labels: Vec<DnsLabel>,
    #[serde(default)]
    hosts: Vec<HostName>,
    #[serde(default)]
    origins: BTreeMap<ServiceName, Origin>,
    #[serde(default)]
    paths: Vec<UrlPath>,
    #[serde(default)]
    networks: Vec<Network>,
    #[serde(default)]
    addresses: Vec<SocketAddress>,
    #[serde(default)]
    files: Vec<AbsolutePath>,
    #[serde(default)]
    senders: Vec<MailAddress>,
    #[serde(default)]
    repositories: Vec<RepositoryUrl>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    refused(document::read::<Names>(&fixture.source()))
}
