//! Writing them where they are served as well.

use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use pharos_core::diagnostic::{Diagnostic, Findings, Place as Where, Report};
use pharos_core::edge::codes;
use pharos_core::name::HostName;
use pharos_live::file::{self, Attributes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Content;
use crate::edge_config;
use crate::files::unreadable;
use crate::module::{Context, Family, Module, Place};
use crate::outcome::{Failure, Outcome, State};

/// Where the folders of certificates lie, by host and fingerprint.
const STORE: &str = "/var/lib/pharos-edge/certificates";
/// Where nginx's configuration names them, as if certbot had put them there.
const LIVE: &str = "/etc/letsencrypt/live";

/// The module.
pub(crate) struct CertificateFiles;

/// Certificates of another edge, written where this one serves them.
///
/// Each certificate is written with its key into a folder of its own; then the place that nginx reads is turned to it in one
/// step. nginx is not reloaded: `pharos.platform.edge_config` finds that it serves another certificate, and proves the new one.
///
/// Private keys are arguments. They reach the program on its standard input and rest nowhere but in the files themselves; with
/// `become_method: su`, or where the host asks for a terminal, they pass through Ansible's private temporary folder.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The certificates, as `pharos.platform.certificate_files_info` returns them.
    files: Vec<Content>,
}

/// What is returned.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Data {
    /// The host names whose certificate changed, or in check mode would change.
    replaced: Vec<HostName>,
}

impl Module for CertificateFiles {
    const NAME: &'static str = "certificate_files";
    const FAMILY: Family = Family::Write;
    const PLACE: Place = Place::Target;
    const EXAMPLES: &'static str = include_str!("../examples/certificate_files.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let mut findings = Findings::new();
        judge_places(arguments.files.iter().map(|file| &file.host), &mut findings);
        let ((), report) = findings.conclude(())?;
        let certificates: Vec<Certificate> = arguments.files.into_iter().map(Certificate::new).collect();
        let replaced: Vec<&Certificate> = certificates.iter().filter(|each| !each.stands()).collect();
        let states = |shown: fn(&Certificate) -> String| -> State {
            certificates.iter().map(|each| (format!("certificate of {}", each.content.host), shown(each))).collect()
        };
        let (before, after) = (states(Certificate::before), states(Certificate::after));
        if !context.check && !replaced.is_empty() {
            let _lock = edge_config::lock("certificate_files".to_owned())?;
            for certificate in &replaced {
                certificate.write()?;
            }
        }
        let replaced = replaced.into_iter().map(|each| each.content.host.clone()).collect();
        Ok(Outcome::of(Data { replaced }).with_change(before, after).with_report(report))
    }
}

/// Judges the places of these hosts' certificates: `edge/lineage-in-the-way` where certbot keeps one of this edge's own.
pub(crate) fn judge_places<'a>(hosts: impl Iterator<Item = &'a HostName>, findings: &mut Findings) {
    for host in hosts {
        let link = Path::new(LIVE).join(host.as_str());
        if std::fs::symlink_metadata(&link).is_ok_and(|metadata| !metadata.is_symlink()) {
            findings.push(
                Diagnostic::error(
                    codes::LINEAGE_IN_THE_WAY,
                    format!("this edge keeps a certificate of its own for `{host}`"),
                )
                .at(Where::named(&link.to_string_lossy()), "")
                .help(format!(
                    "name this edge in `edge_acme_issuer`, or remove the lineage: `certbot delete --cert-name {host}`"
                )),
            );
        }
    }
}

/// A certificate and its places.
struct Certificate {
    content: Content,
    /// The folder of this very content.
    folder: PathBuf,
    /// The link that nginx's configuration leads through.
    link: PathBuf,
}

impl Certificate {
    fn new(content: Content) -> Self {
        let digest = Sha256::digest([content.certificate.as_bytes(), b"\0", content.key.as_bytes()].concat());
        let fingerprint = digest.iter().take(16).fold(0, |number, byte| (number << 8) | u128::from(*byte));
        let folder = Path::new(STORE).join(content.host.as_str()).join(format!("{fingerprint:032x}"));
        let link = Path::new(LIVE).join(content.host.as_str());
        Self { content, folder, link }
    }

    fn files(&self) -> [(PathBuf, &str); 2] {
        [
            (self.folder.join("fullchain.pem"), &self.content.certificate),
            (self.folder.join("privkey.pem"), &self.content.key),
        ]
    }

    /// Whether it is in place.
    fn stands(&self) -> bool {
        let complete =
            self.files().iter().all(|(path, text)| std::fs::read(path).is_ok_and(|bytes| bytes == text.as_bytes()));
        complete && std::fs::read_link(&self.link).is_ok_and(|target| target == self.folder)
    }

    fn before(&self) -> String {
        std::fs::read_link(&self.link).map_or_else(|_| String::new(), |target| format!("{}\n", target.display()))
    }

    fn after(&self) -> String {
        format!("{}\n", self.folder.display())
    }

    /// Writes both files, then turns the link; older folders go, but for the one that was served until now.
    fn write(&self) -> Result<(), Report> {
        private_folder(&self.folder)?;
        for (path, text) in self.files() {
            file::replace(&path, text.as_bytes(), Attributes { mode: 0o600, owner: None, force: true })?;
        }
        let served = std::fs::read_link(&self.link).ok();
        private_folder(Path::new(LIVE))?;
        file::replace_link(&self.link, self.folder.as_os_str())?;
        for folder in
            std::fs::read_dir(self.folder.parent().unwrap_or(Path::new(STORE))).into_iter().flatten().flatten()
        {
            let path = folder.path();
            if path != self.folder && Some(&path) != served.as_ref() {
                // What stays is a key that was replaced; the next run tries again.
                let _ = std::fs::remove_dir_all(path);
            }
        }
        Ok(())
    }
}

/// A folder with those above it; new ones are the owner's alone.
fn private_folder(path: &Path) -> Result<(), Report> {
    let made = std::fs::DirBuilder::new().mode(0o700).recursive(true).create(path);
    Ok(made.map_err(|error| unreadable(path, &error))?)
}
