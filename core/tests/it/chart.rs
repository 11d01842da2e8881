//! The chart of the routes: its values and their schema.

use pharos_core::diagnostic::Report;
use pharos_core::gateway::chart::{ChartValues, chart_fingerprint, judge_schema, values_schema};
use pharos_core::gateway::render;
use pharos_core::plan::Fingerprint;
use serde_json::{Value, json};

use crate::committed;
use crate::gateway::Site;

const SCHEMA: &str = "charts/routes/values.schema.json";

fn values(site: &Site) -> Result<Value, Report> {
    let (table, settings) = site.resolved()?;
    let (objects, _) = render(&table, &settings)?;
    Ok(json!(ChartValues::of(&objects, chart_fingerprint([("Chart.yaml", "name: routes")]))))
}

fn schema() -> Value {
    values_schema(&committed::catalogue()).unwrap()
}

#[test]
fn the_committed_schema_is_that_of_the_types_and_the_catalogue() {
    let (path, text) = (committed::repository().join(SCHEMA), pharos_core::schemas::text(&schema()));
    if std::env::var_os("PHAROS_UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "{SCHEMA} differs: run scripts/generate");
    assert!(!text.contains("(?"), "engines without look-around read it");
}

/// Whoever writes a schema in another layout has written the same.
#[test]
fn the_schema_of_another_catalogue_is_refused() {
    let catalogue = committed::catalogue();
    let judged =
        |schema: &Value| judge_schema(&catalogue, "values.schema.json", &schema.to_string()).map_err(|r| r.to_string());
    let mut schema = schema();
    assert_eq!(judged(&schema), Ok(()));
    let hosts = "/definitions/ServiceHost/enum";
    let admitted = schema.pointer_mut(hosts).and_then(Value::as_array_mut).unwrap();
    let removed = admitted.pop().unwrap();
    let refused = judged(&schema).unwrap_err();
    assert!(refused.contains(&format!("it does not admit `{}`", removed.as_str().unwrap())), "{refused}");
    let admitted = schema.pointer_mut(hosts).and_then(Value::as_array_mut).unwrap();
    admitted.extend([removed, json!("a.b.svc.cluster.local")]);
    let refused = judged(&schema).unwrap_err();
    assert!(
        refused.contains("it admits `a.b.svc.cluster.local`") && refused.contains("gateway schema > values"),
        "{refused}"
    );
}

#[test]
fn every_site_has_values_that_the_schema_accepts() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    for environment in committed::environments() {
        let Ok(values) = values(&Site::committed(&environment)) else { continue };
        let faults: Vec<String> =
            validator.iter_errors(&values).map(|fault| format!("{} {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{environment}: {faults:#?}");
        assert_eq!(values["digest"], json!(Fingerprint::of(&values["objects"])), "{environment}");
        assert!(values["objects"]["virtualServices"].as_array().is_some_and(|all| !all.is_empty()));
    }
}

/// The schema is the surface that was reviewed, whoever runs Helm.
#[test]
fn what_was_not_reviewed_is_refused() {
    let validator = jsonschema::draft7::new(&schema()).unwrap();
    let sound = values(&Site::committed("example")).unwrap();
    assert!(validator.is_valid(&sound));
    let wrong: [(&str, Value); 9] = [
        (
            "/objects/virtualServices/0/spec/http/0/route/0/destination/host",
            json!("metrics.monitoring.svc.cluster.local"),
        ),
        ("/objects/virtualServices/0/spec/http/0/timeout", json!("0s")),
        ("/objects/virtualServices/0/metadata/namespace", json!("kube-system")),
        ("/objects/virtualServices/0/metadata/labels", json!({})),
        ("/objects/virtualServices/0/spec/mirror", json!({})),
        ("/objects/authorizationPolicies/0/spec/action", json!("AUDIT")),
        ("/objects/services/0/spec/externalTrafficPolicy", json!("Cluster")),
        ("/objects/pods", json!([])),
        ("/version", json!(2)),
    ];
    for (pointer, value) in wrong {
        let mut changed = sound.clone();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        changed.pointer_mut(parent).unwrap()[key] = value;
        assert!(!validator.is_valid(&changed), "{pointer}");
    }
}

#[test]
fn a_chart_is_known_by_all_of_its_files() {
    let one = chart_fingerprint([("Chart.yaml", "a"), ("templates/objects.yaml", "b")]);
    assert_eq!(one, chart_fingerprint([("templates/objects.yaml", "b"), ("Chart.yaml", "a")]));
    assert_ne!(one, chart_fingerprint([("Chart.yaml", "a"), ("templates/objects.yaml", "c")]));
    assert_ne!(one, chart_fingerprint([("Chart.yaml", "a"), ("templates/other.yaml", "b")]));
}
