//! The registry of an edge: the extensions that it keeps serving whoever runs its playbook.
//!
//! Each laboratory has one file there, `<name>.yaml`. What an edge is to serve are the registered files, with the caller's in the
//! place of the one of its laboratory.

use std::sync::Arc;

use super::{ExtensionDocument, codes};
use crate::diagnostic::{Diagnostic, Findings, Place, Report, Source};
use crate::document;
use crate::name::DnsLabel;

/// The folder on the edge host.
pub const REGISTRY: &str = "/opt/pharos-edge/extensions";

/// The file of a laboratory there.
pub fn file_of(laboratory: &DnsLabel) -> String {
    format!("{REGISTRY}/{laboratory}.yaml")
}

/// A file of the registry.
#[derive(Clone, Debug)]
pub struct RegisteredFile {
    /// Its name in the folder.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// What a caller wants of its laboratory.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// It is served by this extension.
    Present(&'a Arc<Source>),
    /// It is served no longer; its extension names it.
    Absent(&'a Arc<Source>),
}

/// The name of the laboratory that an extension is about, as far as that can be told without judging the rest of it.
pub fn name_of(extension: &Arc<Source>) -> Option<DnsLabel> {
    document::parse(extension).tree()?.text_at("/name")?.parse().ok()
}

/// The extensions that an edge is to serve: those of its registry, with the caller's in the place of the one of its laboratory. The
/// file that it takes the place of is not read, so that one that is damaged can be replaced.
///
/// # Errors
/// `extension/registered-file` for each file that cannot be read as an extension, with what is wrong with it, and
/// `extension/file-name` for each that is not named after its laboratory. Of the caller's own only `document/*`, and only where it
/// does not name its laboratory.
pub fn served(registered: &[RegisteredFile], given: Option<Given<'_>>) -> Result<Vec<Arc<Source>>, Report> {
    let mut findings = Findings::new();
    let replaced = given.and_then(|given| match given {
        Given::Present(source) | Given::Absent(source) => name_of(source),
    });
    let replaced = replaced.map(|name| format!("{name}.yaml"));
    let others = registered.iter().filter(|file| Some(&file.name) != replaced.as_ref());
    let mut served: Vec<Arc<Source>> = others.filter_map(|file| read(file, &mut findings)).collect();
    match given {
        Some(Given::Present(source)) => served.push(Arc::clone(source)),
        // What is to be removed must be told; the rest of its extension does not matter.
        Some(Given::Absent(source)) if replaced.is_none() => {
            findings.extend(document::read::<ExtensionDocument>(source).err().unwrap_or_default());
        }
        Some(Given::Absent(_)) | None => {}
    }
    findings.conclude(served).map(|(served, _)| served)
}

/// A file of the registry; `None` if it is refused.
fn read(file: &RegisteredFile, findings: &mut Findings) -> Option<Arc<Source>> {
    let path = format!("{REGISTRY}/{}", file.name);
    let stem = file.name.strip_suffix(".yaml").and_then(|stem| stem.parse::<DnsLabel>().ok());
    let Some(stem) = stem else {
        findings.push(
            Diagnostic::error(codes::FILE_NAME, format!("`{}` is not the name of a laboratory's file", file.name))
                .at(Place::named(&path), "")
                .help("files of the registry are named `<laboratory>.yaml`; move what is none out of the folder"),
        );
        return None;
    };
    let source = document::source_from_bytes(&path, &file.bytes);
    let extension = source.and_then(|source| document::read::<ExtensionDocument>(&source));
    match extension {
        Ok(extension) if extension.value.name == stem => Some(Arc::clone(extension.source())),
        Ok(extension) => {
            let name = &extension.value.name;
            findings.push(
                Diagnostic::error(
                    codes::FILE_NAME,
                    format!("the file of laboratory `{stem}` says that it is `{name}`'s"),
                )
                .at(extension.place("/name"), "")
                .help(format!("name the file `{name}.yaml`, or write `name: {stem}`")),
            );
            None
        }
        Err(report) => {
            findings.push(
                Diagnostic::error(
                    codes::REGISTERED_FILE,
                    format!("the registered extension of laboratory `{stem}` cannot be read"),
                )
                .at(Place::named(&path), "")
                .help(format!(
                    "run the playbook with the laboratory's own file as `edge_extension`, which replaces it, or remove it with \
                     `pharos.platform.route_extension` and `name: {stem}`, `state: absent`"
                )),
            );
            findings.extend(report);
            None
        }
    }
}
