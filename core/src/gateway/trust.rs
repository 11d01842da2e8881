//! Public CA bundles beside the gateway: from wherever they come to the objects that the gateway reads.

use super::codes;
use super::kind::{ConfigMapData, Map, Metadata, Object, Routes, SecretData};
use crate::catalogue::MeshDocument;
use crate::certificate::{Input, authorities};
use crate::diagnostic::{Diagnostic, Place, Report, suggest};
use crate::name::DnsLabel;

/// The key that a bundle stands under, in both objects: the one that Istio looks for.
pub const TRUST_KEY: &str = "ca.crt";

/// The label that a published bundle carries, with its reference. An object without it is somebody else's, and is left alone.
pub const TRUST_LABEL: &str = "pharos.platform/trust";

/// A CA bundle as it is published in the gateway's namespace, under one name.
#[derive(Clone, Debug, PartialEq)]
pub struct Trust<'a> {
    /// For people and programs.
    pub config_map: Object<'a, ConfigMapData<'a>>,
    /// For the gateway, which reads bundles from Secrets. Nothing in it is secret.
    pub secret: Object<'a, SecretData<'a>>,
}

/// Publishes the bundle of a trust reference: its certificates and nothing else of the file.
///
/// # Errors
/// `gateway/unpublished-trust` for a reference that the catalogue gives no name beside the gateway, `gateway/trust-private-key` for a
/// file with a private key in it, and the codes of certificates for one that is no bundle of authorities.
pub fn publish<'a>(
    mesh: &'a MeshDocument,
    reference: &DnsLabel,
    bundle: &Input<'_>,
) -> Result<(Trust<'a>, Report), Report> {
    let Some(known) = mesh.trust.get(reference) else {
        let names = mesh.trust.keys().map(AsRef::as_ref);
        return Err(Report::from(
            Diagnostic::error(codes::UNPUBLISHED_TRUST, format!("`{reference}` is not published for the gateway"))
                .at(Place::named(bundle.name), "")
                .help(suggest::help(reference.as_str(), names, "add it to `mesh.trust`")),
        ));
    };
    // Before anything of the file is looked at, so that nothing of it can be shown.
    if bundle.bytes.windows(11).any(|window| window == b"PRIVATE KEY") {
        return Err(Report::from(
            Diagnostic::error(codes::TRUST_PRIVATE_KEY, format!("the bundle of `{reference}` holds a private key"))
                .at(Place::named(bundle.name), "")
                .help("give the certificates of the authorities alone"),
        ));
    }
    let (pem, report) = authorities(bundle)?;
    let metadata = || Metadata {
        name: known.published.as_str().into(),
        namespace: mesh.namespace.as_str().into(),
        labels: Map::of(TRUST_LABEL, reference.to_string()),
    };
    let trust = Trust {
        config_map: Object {
            metadata: metadata(),
            spec: ConfigMapData(Map::of(TRUST_KEY, pem.clone())),
            routes: Routes::NONE,
        },
        secret: Object {
            metadata: metadata(),
            spec: SecretData(vec![(TRUST_KEY.into(), pem.into())]),
            routes: Routes::NONE,
        },
    };
    Ok((trust, report))
}
