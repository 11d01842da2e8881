//! The objects of a site's gateway.

use std::collections::BTreeSet;

use pharos_core::catalogue::Owner;
use pharos_core::diagnostic::{self as core, suggest};
use pharos_core::gateway::{Manifest, Objects};
use pharos_core::site::Mesh;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::diagnostics::rejected;
use crate::site::{Text, file};
use crate::value::plain;

/// The objects of a policy's gateway in the order in which they are applied, each `{stage, owner, manifest}`, and what the mesh itself
/// is told. With `laboratory` those of its routes alone.
#[pyfunction]
#[pyo3(signature = (catalogue, policy, *, extensions = Vec::new(), laboratory = None))]
pub(crate) fn gateway_render(
    py: Python<'_>,
    catalogue: Text,
    policy: Text,
    extensions: Vec<Text>,
    laboratory: Option<String>,
) -> PyResult<Bound<'_, PyAny>> {
    let mesh = py.detach(|| mesh(&catalogue, &policy, &extensions)).map_err(|report| rejected(py, report))?;
    known(&mesh, laboratory.as_deref())?;
    let rendered = py.detach(|| values(&mesh, laboratory.as_deref()));
    plain(py, &rendered.map_err(|report| rejected(py, report))?)
}

/// The same objects as one stream of YAML documents.
#[pyfunction]
#[pyo3(signature = (catalogue, policy, *, extensions = Vec::new(), laboratory = None))]
pub(crate) fn gateway_yaml(
    py: Python<'_>,
    catalogue: Text,
    policy: Text,
    extensions: Vec<Text>,
    laboratory: Option<String>,
) -> PyResult<String> {
    let mesh = py.detach(|| mesh(&catalogue, &policy, &extensions)).map_err(|report| rejected(py, report))?;
    known(&mesh, laboratory.as_deref())?;
    let text: Result<String, core::Report> = py.detach(|| {
        let objects = mesh.objects()?;
        selected(&objects, laboratory.as_deref()).map(|manifest| Ok(format!("---\n{}", manifest.yaml()?))).collect()
    });
    text.map_err(|report| rejected(py, report))
}

pub(crate) fn mesh(catalogue: &Text, policy: &Text, extensions: &[Text]) -> Result<Mesh, core::Report> {
    Mesh::of_files(file(catalogue), file(policy), &extensions.iter().map(file).collect::<Vec<_>>())
}

/// A laboratory that is none of the given ones is a `ValueError`.
fn known(mesh: &Mesh, laboratory: Option<&str>) -> PyResult<()> {
    let Some(name) = laboratory else { return Ok(()) };
    let owners = mesh.table.routes().filter_map(|(_, route)| match &route.owner {
        Owner::Laboratory(laboratory) => Some(laboratory.as_str()),
        Owner::Service(_) => None,
    });
    let known: BTreeSet<&str> = owners.collect();
    if known.contains(name) {
        return Ok(());
    }
    let help = suggest::help(name, known, "name its file with `--extension`");
    Err(PyValueError::new_err(format!("no laboratory `{}` among the extensions; {help}", name.escape_debug())))
}

fn is_laboratory(owner: Option<&Owner>, name: &str) -> bool {
    matches!(owner, Some(Owner::Laboratory(laboratory)) if laboratory.as_str() == name)
}

fn values(mesh: &Mesh, laboratory: Option<&str>) -> Result<Value, core::Report> {
    let objects = mesh.objects()?;
    let list: Vec<Value> = selected(&objects, laboratory)
        .map(|manifest| {
            json!({"stage": manifest.stage, "owner": manifest.owner.map(Owner::name), "manifest": manifest.value()})
        })
        .collect();
    Ok(json!({"mesh_config": objects.mesh_config, "objects": list}))
}

fn selected<'o>(objects: &'o Objects<'o>, laboratory: Option<&'o str>) -> impl Iterator<Item = Manifest<'o>> {
    objects.manifests().filter(move |manifest| laboratory.is_none_or(|name| is_laboratory(manifest.owner, name)))
}
