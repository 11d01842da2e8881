//! The mesh of the committed sites: what each chart of Istio is told, and what nodes and namespaces are refused for.

use std::collections::BTreeMap;

use pharos_core::diagnostic::{Report, Source};
use pharos_core::mesh::{
    COMPONENTS, CniFolders, Containerd, MeshSettings, agreed, judge_folders, judge_namespaces, missing_namespaces,
    no_containerd, node, releases,
};
use pharos_core::release::Wanted;
use pharos_core::site::{EdgeSources, Mesh};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    containerd: Option<String>,
    there: Option<[bool; 2]>,
    nodes: Option<BTreeMap<String, String>>,
    limits: Option<BTreeMap<String, u64>>,
    files: Option<BTreeMap<String, String>>,
    namespaces: Option<Value>,
}

fn folders(text: &str) -> Result<CniFolders, Report> {
    Containerd { path: "/etc/containerd/config.toml", text }.folders(&[])
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    if let Some(text) = case.containerd {
        let judged = folders(&text)
            .and_then(|folders| judge_folders("/etc/containerd/config.toml", &folders, case.there.unwrap()));
        return refused(judged);
    }
    if let Some(nodes) = case.nodes {
        let nodes: Vec<_> = nodes.iter().map(|(name, text)| (name.as_str(), folders(text).unwrap())).collect();
        return refused(agreed(nodes.iter().map(|(name, folders)| (*name, folders))).cloned());
    }
    if let Some(limits) = case.limits {
        let files = case.files.unwrap_or_default();
        let others: Vec<_> = files.iter().flat_map(|(path, text)| node::stated(path, text)).collect();
        return match node::plan(&limits, &others) {
            Ok((_, warned)) => warned,
            Err(report) => report,
        };
    }
    match case.namespaces {
        Some(namespaces) => refused(judge_namespaces(&namespaces.to_string())),
        None => no_containerd(&["/etc/containerd/config.toml".parse().unwrap()]).into(),
    }
}

fn site(environment: &str) -> Mesh {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| Source::public(name, &std::fs::read_to_string(root.join(name)).unwrap());
    let (catalogue, policy) =
        (read("catalogue/services.yaml"), read(&format!("environments/{environment}/policy.yaml")));
    Mesh::of(&EdgeSources { catalogue: &catalogue, environment: &policy, laboratories: &[] }).unwrap()
}

fn of(environment: &str) -> Vec<Wanted> {
    let cni = folders("[plugins.cri.cni]\nbin_dir = \"/var/lib/pharos-metallo/k3s/data/cni\"").unwrap();
    let charts = "/srv/charts".parse().unwrap();
    let site = site(environment);
    releases(&MeshSettings { gateway: &site.settings, cni: &cni, charts: &charts, images: None, timeout: "5m" })
}

#[test]
fn the_charts_of_a_site() {
    let all = of("devbox");
    let names: Vec<&str> = all.iter().map(|wanted| wanted.chart.as_str()).collect();
    assert_eq!(names, ["base", "istiod", "cni", "gateway"]);
    assert_eq!(names, COMPONENTS.map(pharos_core::mesh::Component::chart));
    assert!(all.iter().all(|wanted| wanted.namespace == "istio-system"));
    assert_eq!(all.iter().filter(|wanted| wanted.creates_namespace).count(), 1);
    let shown: Value =
        all.iter().map(|wanted| (wanted.name.clone(), wanted.values.clone())).collect::<serde_json::Map<_, _>>().into();
    insta::assert_json_snapshot!(shown);
}

#[test]
fn the_mesh_is_told_what_the_proofs_take_for_granted() {
    for environment in ["devbox", "example", "icarus-cloud"] {
        let site = site(environment);
        let all = of(environment);
        assert_eq!(all[1].values["meshConfig"], json!(site.objects().unwrap().mesh_config), "{environment}");
        // the port of a node is an object of the routes, and there is no second one
        assert_eq!(all[3].values["service"], json!({"type": "None"}));
        let pods: BTreeMap<String, String> =
            site.settings.mesh.pods.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
        assert_eq!(all[3].values["labels"], json!(pods));
    }
}

#[test]
fn images_come_from_where_the_site_says() {
    let (site, cni) = (site("devbox"), folders("").unwrap());
    let charts = "/srv/charts".parse().unwrap();
    let settings = MeshSettings {
        gateway: &site.settings,
        cni: &cni,
        charts: &charts,
        images: Some("mirror.example.org/istio"),
        timeout: "5m",
    };
    for wanted in releases(&settings).iter().filter(|wanted| ["istiod", "cni"].contains(&wanted.chart.as_str())) {
        assert_eq!(wanted.values["global"]["hub"], "mirror.example.org/istio");
        assert_eq!(Some(&wanted.values["global"]["tag"]), wanted.version.clone().map(Value::String).as_ref());
    }
}

#[test]
fn namespaces_outside_are_fit() {
    let list = json!({"items": [
        {"metadata": {"name": "pharos"}},
        {"metadata": {"name": "gitlab", "labels": {"istio-injection": "disabled", "istio.io/dataplane-mode": "none"}}},
    ]});
    assert!(judge_namespaces(&list.to_string()).is_ok());
    let needed = ["waldur", "pharos", "llm"].map(str::to_owned).into();
    assert_eq!(missing_namespaces(&list.to_string(), needed).unwrap(), ["llm", "waldur"]);
}
