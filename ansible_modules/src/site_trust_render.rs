//! `site_trust_render`: what the gateway is to trust, from what the cluster holds.

use pharos_core::catalogue::CatalogueDocument;
use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::Source;
use pharos_core::document;
use pharos_core::release::Said;
use pharos_core::trust::{ObjectPlace, answers, places, publish};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::module::{Context, ControllerDocument, Family, Module, Place};
use crate::outcome::{Failure, Outcome};

/// The module.
pub(crate) struct SiteTrustRender;

/// The trust of backends, as it is published for the gateway.
///
/// The gateway verifies some backends with an authority that their own Application brings, and reads its own namespace alone. Given what
/// was read of both places, the objects are returned that are to be applied; none if all is published as it is to be.
///
/// A bundle that is not there, that is over or that holds a private key is refused, and so is an object that somebody else keeps in the
/// place of a published trust. Without `objects` nothing is judged: the places that are to be read are returned alone.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The service catalogue, whose `mesh` says which trust is published where.
    catalogue_file: ControllerDocument,
    /// The answers of `kubectl get --ignore-not-found --output=json` to the objects of `places`, in their order: each as JSON, or an empty
    /// text for one that is not there. A source may hold a private key, which is refused and shown nowhere.
    objects: Option<Vec<Said>>,
}

/// What is returned.
#[derive(JsonSchema, Serialize)]
pub(crate) struct Data {
    /// The objects that are to be read.
    places: Vec<ObjectPlace>,
    /// The objects that are to be applied, each as JSON. Nothing of them is secret.
    apply: Vec<String>,
    /// Whether every trust was found published as it is to be. Only then are routes qualified.
    published: bool,
    /// SHA-256 of the certificates that are published, by bundle and in their order.
    fingerprints: Vec<String>,
}

impl Module for SiteTrustRender {
    const NAME: &'static str = "site_trust_render";
    const FAMILY: Family = Family::Render;
    const PLACE: Place = Place::Controller;
    const EXAMPLES: &'static str = include_str!("examples/site_trust_render.yml");
    type Arguments = Arguments;
    type Data = Data;

    fn run(arguments: Arguments, context: &Context) -> Result<Outcome<Data>, Failure> {
        let ControllerDocument { name, text } = &arguments.catalogue_file;
        let catalogue = document::read::<CatalogueDocument>(&Source::public(name, text))?;
        let Some(mesh) = catalogue.value.mesh else {
            // Without a mesh no backend is verified.
            let data = Data { places: Vec::new(), apply: Vec::new(), published: true, fingerprints: Vec::new() };
            return Ok(Outcome::of(data));
        };
        let places = places(&mesh);
        let Some(objects) = arguments.objects else {
            return Ok(Outcome::of(Data { places, apply: Vec::new(), published: false, fingerprints: Vec::new() }));
        };
        let objects = answers(&places, &objects)?;
        let (publications, report) = publish(&mesh, &objects, UnixTime::new(context.instant))?;
        let apply: Vec<String> =
            publications.iter().flat_map(|publication| publication.apply.iter().map(ToString::to_string)).collect();
        let published = apply.is_empty();
        let fingerprints = publications.into_iter().flat_map(|publication| publication.fingerprints).collect();
        Ok(Outcome::of(Data { places, apply, published, fingerprints }).with_report(report))
    }
}
