//! The chart of the routes: the values that it is given, and the schema that they are held against, also by whoever runs Helm alone.
//!
//! The chart decides nothing. Its values hold the objects of the catalogue's routes as they are rendered here, and its template prints
//! them. A laboratory applies its own objects with its workloads.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use super::kind::{
    AuthorizationPolicySpec, ConfigMapData, DestinationRuleSpec, EnvoyFilterSpec, GatewaySpec, NetworkPolicySpec,
    OBJECT_NAMESPACE, Object, SERVICE_HOST, SecretData, ServiceSpec, Spec, VirtualServiceSpec,
};
use super::{Objects, codes, service_host};
use crate::catalogue::{CatalogueDocument, MeshDocument, Owner};
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::document::{Document, arranged};
use crate::name::Namespace;
use crate::plan::Fingerprint;

/// What the chart is given.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartValues<'a> {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub version: u32,
    /// The fingerprint of the chart's own files: a release whose chart changed differs in its values, too.
    pub chart: Fingerprint,
    /// The fingerprint of the objects: the template refuses objects that were changed by hand.
    pub digest: Fingerprint,
    /// What is applied.
    pub objects: ChartObjects<'a>,
}

/// The objects of the catalogue's routes, a list a kind.
#[derive(Debug, JsonSchema, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChartObjects<'a> {
    config_maps: Vec<&'a Object<'a, ConfigMapData<'a>>>,
    secrets: Vec<&'a Object<'a, SecretData<'a>>>,
    services: Vec<&'a Object<'a, ServiceSpec<'a>>>,
    authorization_policies: Vec<&'a Object<'a, AuthorizationPolicySpec<'a>>>,
    destination_rules: Vec<&'a Object<'a, DestinationRuleSpec<'a>>>,
    envoy_filters: Vec<&'a Object<'a, EnvoyFilterSpec<'a>>>,
    gateways: Vec<&'a Object<'a, GatewaySpec<'a>>>,
    virtual_services: Vec<&'a Object<'a, VirtualServiceSpec<'a>>>,
    network_policies: Vec<&'a Object<'a, NetworkPolicySpec<'a>>>,
}

impl<'a> ChartValues<'a> {
    /// Of rendered objects; `chart` is the fingerprint of the chart's files, as [`chart_fingerprint`] gives it.
    pub fn of(objects: &'a Objects<'a>, chart: Fingerprint) -> Self {
        let objects = ChartObjects {
            config_maps: of_catalogue(&objects.config_maps),
            secrets: of_catalogue(&objects.secrets),
            services: of_catalogue(&objects.services),
            authorization_policies: of_catalogue(&objects.authorization_policies),
            destination_rules: of_catalogue(&objects.destination_rules),
            envoy_filters: of_catalogue(&objects.envoy_filters),
            gateways: of_catalogue(&objects.gateways),
            virtual_services: of_catalogue(&objects.virtual_services),
            network_policies: of_catalogue(&objects.network_policies),
        };
        Self { version: 1, chart, digest: Fingerprint::of(&objects), objects }
    }
}

/// All but what laboratories state.
fn of_catalogue<'a, S: Spec>(objects: &'a [Object<'a, S>]) -> Vec<&'a Object<'a, S>> {
    objects.iter().filter(|object| !matches!(object.owner(), Some(Owner::Laboratory(_)))).collect()
}

/// The fingerprint of a chart: over the names and texts of its files, in any order.
pub fn chart_fingerprint<'f>(files: impl IntoIterator<Item = (&'f str, &'f str)>) -> Fingerprint {
    Fingerprint::of(&files.into_iter().collect::<std::collections::BTreeMap<_, _>>())
}

/// The schema of the chart's values for the sites of a catalogue: the shape of the objects, closed, with the namespaces and Services that
/// the catalogue reviewed and no others. A catalogue without `mesh` has none.
pub fn values_schema(catalogue: &Document<CatalogueDocument>) -> Option<Value> {
    let mesh = catalogue.value.mesh.as_ref()?;
    let settings = SchemaSettings::draft07().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<ChartValues<'_>>().to_value();
    close(&mut schema);
    // Whoever gives no values is told by the template which command makes them; the schema would only name the keys.
    if let Some(root) = schema.as_object_mut() {
        root.remove("required");
    }
    // Helm hands every chart its global values.
    at(&mut schema, "/properties", |all| insert(all, "global", json!({ "type": "object" })));
    let reviewed = services(&catalogue.value, mesh);
    at(&mut schema, &format!("/definitions/{SERVICE_HOST}"), |host| insert(host, "enum", json!(reviewed)));
    let known = namespaces(mesh);
    at(&mut schema, &format!("/definitions/{OBJECT_NAMESPACE}"), |namespace| insert(namespace, "enum", json!(known)));
    // One listener may serve the hosts of several routes; all other objects are there for one route or one host.
    for kind in ["authorizationPolicies", "destinationRules", "envoyFilters", "virtualServices"] {
        let labels = json!({ "required": [mesh.route_label] });
        let of_a_route =
            json!({ "properties": { "metadata": { "required": ["labels"], "properties": { "labels": labels } } } });
        at(&mut schema, &format!("/definitions/ChartObjects/properties/{kind}/items"), |items| {
            *items = json!({ "allOf": [items.take(), of_a_route] });
        });
    }
    Some(arranged(schema))
}

/// The file of a chart that holds the schema of its values.
pub const SCHEMA_FILE: &str = "values.schema.json";

/// Holds the schema of a chart, `name` with this text, against the one that the catalogue makes; a catalogue that makes none has no chart.
///
/// # Errors
/// `gateway/chart-schema`
pub fn judge_schema(catalogue: &Document<CatalogueDocument>, name: &str, text: &str) -> Result<(), Report> {
    let Some(own) = values_schema(catalogue) else { return Ok(()) };
    let Ok(given) = serde_json::from_str::<Value>(text) else {
        return Err(other_schema(name, "this is no JSON, and so no schema of the chart's values".to_owned()));
    };
    if given == own {
        return Ok(());
    }
    // A Service is what makes the difference where the catalogue is another one.
    let hosts = format!("/definitions/{SERVICE_HOST}/enum");
    let admitted = given.pointer(&hosts).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let reviewed = own.pointer(&hosts).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let first_of = |these: &[Value], those: &[Value]| {
        let first = these.iter().find(|one| !those.contains(one))?;
        first.as_str().map(|host| host.escape_debug().to_string())
    };
    let why = match (first_of(reviewed, admitted), first_of(admitted, reviewed)) {
        (Some(host), _) => format!(": it does not admit `{host}`"),
        (None, Some(host)) => format!(": it admits `{host}`, which was not reviewed here"),
        (None, None) => String::new(),
    };
    Err(other_schema(name, format!("this schema is not the one that the site's catalogue makes{why}")))
}

fn other_schema(name: &str, message: String) -> Report {
    Diagnostic::error(codes::CHART_SCHEMA, message)
        .at(Place::named(name), "")
        .help(format!(
            "`pharos gateway schema > {name}` writes it, in the site's folder and into its own copy of the chart"
        ))
        .into()
}

/// Changes a part of a schema, which the types above have.
fn at(schema: &mut Value, pointer: &str, change: impl FnOnce(&mut Value)) {
    if let Some(part) = schema.pointer_mut(pointer) {
        change(part);
    }
}

fn insert(object: &mut Value, key: &str, value: Value) {
    if let Some(object) = object.as_object_mut() {
        object.insert(key.to_owned(), value);
    }
}

/// Refuses what a struct does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(close),
        Value::Object(object) => {
            if object.contains_key("properties") && !object.contains_key("additionalProperties") {
                object.insert("additionalProperties".to_owned(), json!(false));
            }
            object.values_mut().for_each(close);
        }
        _ => {}
    }
}

/// The full names of the reviewed Services.
fn services(catalogue: &CatalogueDocument, mesh: &MeshDocument) -> Vec<String> {
    let reviewed = catalogue.backends.iter();
    let named = reviewed.flat_map(|(namespace, services)| {
        services.0.keys().map(move |service| service_host(service, namespace, &mesh.cluster_domain))
    });
    named.collect()
}

/// Where objects may stand: beside the gateway, and in the namespaces of backends.
fn namespaces(mesh: &MeshDocument) -> std::collections::BTreeSet<&str> {
    std::iter::once(mesh.namespace.as_str()).chain(mesh.backends.keys().map(Namespace::as_str)).collect()
}
