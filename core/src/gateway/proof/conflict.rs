//! No two owners meet: a host is served once, an object is there once, and the mark of the catalogue is on its objects alone.

use std::collections::HashMap;

use super::Proof;
use crate::catalogue::Owner;
use crate::diagnostic::Place;
use crate::gateway::{Manifest, Objects, codes};

pub(super) fn prove(objects: &Objects<'_>, proof: &mut Proof<'_>) {
    hosts(objects, proof);
    names(objects, proof);
    marks(objects, proof);
}

fn words(owner: Option<&Owner>) -> String {
    match owner {
        Some(Owner::Service(name)) => format!("service `{name}`"),
        Some(Owner::Laboratory(name)) => format!("laboratory `{name}`"),
        None => "the gateway itself".to_owned(),
    }
}

fn hosts(objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let mut first = HashMap::new();
    for service in &objects.virtual_services {
        for host in &service.spec.hosts {
            let earlier = *first.entry(host.as_ref()).or_insert(service);
            if std::ptr::eq(earlier, service) {
                continue;
            }
            let (one, other) = (words(earlier.owner()), words(service.owner()));
            let place = service.routes.iter().next().map_or_else(|| Place::named(host), |route| (proof.place)(route));
            let words = format!("`GET https://{host}/` is asked of {one} and of {other}");
            proof.fails_at(codes::LABORATORY_CONFLICT, place, words);
        }
    }
}

fn names(objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let mut first: HashMap<(&str, &str, &str), Manifest<'_>> = HashMap::new();
    let mut found = Vec::new();
    for manifest in objects.manifests() {
        match first.entry((manifest.kind, manifest.namespace, manifest.name)) {
            std::collections::hash_map::Entry::Vacant(free) => drop(free.insert(manifest)),
            std::collections::hash_map::Entry::Occupied(taken) => {
                let (one, other) = (words(taken.get().owner), words(manifest.owner));
                let what = format!("{} `{}` of namespace `{}`", manifest.kind, manifest.name, manifest.namespace);
                found.push((manifest.name.to_owned(), format!("{one} and {other} both have {what}")));
            }
        }
    }
    for (name, words) in found {
        proof.fails_at(codes::LABORATORY_CONFLICT, Place::named(&name), words);
    }
}

fn marks(objects: &Objects<'_>, proof: &mut Proof<'_>) {
    let key = proof.settings.mesh.route_label.as_str();
    let mut found = Vec::new();
    for manifest in objects.manifests() {
        let marked = manifest.label(key).is_some();
        let meant = matches!(manifest.owner, Some(Owner::Service(_)));
        if marked != meant {
            let is = if marked { "carries" } else { "lacks" };
            let words =
                format!("{} `{}` of {} {is} the label `{key}`", manifest.kind, manifest.name, words(manifest.owner));
            found.push((manifest.name.to_owned(), words));
        }
    }
    for (name, words) in found {
        proof.fails_at(codes::LABORATORY_CONFLICT, Place::named(&name), words);
    }
}
