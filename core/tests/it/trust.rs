//! The trust of backends: what is published of what the cluster holds, on one reference of the committed catalogue.

use openssl::x509::X509;
use pharos_core::catalogue::{CatalogueDocument, MeshDocument};
use pharos_core::certificate::UnixTime;
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document;
use pharos_core::gateway::TRUST_LABEL;
use pharos_core::release::Said;
use pharos_core::trust::{Publication, answers, places, publish};
use serde_json::{Value, json};

use crate::certificate::{AT, Draft, Issuer, p256, pem};
use crate::rejected::Fixture;

const REFERENCE: &str = "site-api-trust";

fn mesh() -> MeshDocument {
    let text = include_str!("../../../catalogue/services.yaml");
    let catalogue = document::read::<CatalogueDocument>(&Source::public("services.yaml", text)).unwrap();
    catalogue.value.mesh.unwrap()
}

/// A self-signed authority that is valid for these days around the instant.
fn authority(from: i64, to: i64) -> X509 {
    let key = p256();
    Draft::authority("Site API", None).days(from, to).issue(&key, Issuer { name: "Site API", key: &key })
}

fn source(data: &Value) -> Value {
    json!({"kind": "ConfigMap", "metadata": {"namespace": "pharos", "name": "site-api-trust"}, "data": data})
}

fn bundle(certificates: &[&X509]) -> Value {
    source(&json!({"ca.crt": String::from_utf8(pem(certificates)).unwrap()}))
}

fn decide(objects: &[Value]) -> Result<(Vec<Publication>, Report), Report> {
    let texts: Vec<String> = objects.iter().map(ToString::to_string).collect();
    publish(&mesh(), &texts, UnixTime::new(AT))
}

/// The one publication that the catalogue asks for.
fn only(objects: &[Value]) -> Publication {
    let (publications, _) = decide(objects).unwrap();
    let [publication] = publications.as_slice() else { panic!("one trust has a source: {publications:?}") };
    publication.clone()
}

#[test]
fn the_authority_is_published_as_both_objects_and_then_left_alone() {
    let certificate = authority(-1, 300);
    let publication = only(&[bundle(&[&certificate])]);
    assert_eq!((publication.namespace.as_str(), publication.name.as_str()), ("istio-system", "pharos-site-api-trust"));
    assert_eq!(publication.reference.as_str(), REFERENCE);
    assert_eq!(publication.fingerprints.len(), 1);
    let kinds: Vec<&str> = publication.apply.iter().map(|object| object["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["ConfigMap", "Secret"]);
    for object in &publication.apply {
        assert_eq!(object["metadata"]["labels"][TRUST_LABEL], REFERENCE);
    }
    let text = String::from_utf8(pem(&[&certificate])).unwrap();
    assert_eq!(publication.apply[0]["data"]["ca.crt"], text);
    assert_eq!(publication.apply[1]["data"]["ca.crt"], openssl::base64::encode_block(text.as_bytes()));

    // as the API server answers them
    let mut present = publication.apply.clone();
    for object in &mut present {
        object["metadata"]["uid"] = json!("1");
        object["metadata"]["resourceVersion"] = json!("7");
    }
    let mut all = vec![bundle(&[&certificate])];
    all.extend(present.clone());
    assert_eq!(only(&all).apply, Vec::<Value>::new());

    // one that was changed, and one that is gone
    all[1]["data"]["ca.crt"] = json!("old");
    assert_eq!(only(&all).apply, publication.apply[..1]);
    all.truncate(2);
    assert_eq!(only(&all).apply.len(), 2);

    // a renewed authority
    let renewed = bundle(&[&authority(-1, 400)]);
    assert_eq!(only(&[renewed, present[0].clone(), present[1].clone()]).apply.len(), 2);
}

#[test]
fn words_around_the_certificates_are_not_published() {
    let text = String::from_utf8(pem(&[&authority(-1, 300)])).unwrap();
    let publication = only(&[source(&json!({"ca.crt": format!("# password=hunter2\n{text}\n# end\n"), "other": "x"}))]);
    assert_eq!(publication.apply[0]["data"], json!({"ca.crt": text}));
}

#[test]
fn a_bundle_with_one_valid_authority_is_published_with_a_warning() {
    let (publications, report) = decide(&[bundle(&[&authority(-300, -1), &authority(-1, 300)])]).unwrap();
    assert_eq!(publications[0].fingerprints.len(), 2);
    assert_eq!(report.diagnostics()[0].code.name(), "trust/expired");
}

#[test]
fn every_object_that_is_looked_at_is_named() {
    let named: Vec<String> = places(&mesh()).iter().map(ToString::to_string).collect();
    assert_eq!(
        named,
        [
            "ConfigMap pharos/site-api-trust",
            "ConfigMap istio-system/pharos-site-api-trust",
            "Secret istio-system/pharos-site-api-trust"
        ]
    );
}

/// The report on what a fixture names.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let good = || bundle(&[&authority(-1, 300)]);
    let (namespace, name) = ("istio-system", "pharos-site-api-trust");
    let foreign =
        |labels: Value| json!({"kind": "Secret", "metadata": {"namespace": namespace, "name": name, "labels": labels}});
    let objects = match fixture.source().text().trim() {
        "nothing is there" => vec![],
        "no bundle" => vec![source(&Value::Null)],
        "another key" => vec![source(&json!({"ca.pem": "x"}))],
        "a private key beside the bundle" => {
            let key = String::from_utf8(p256().private_key_to_pem_pkcs8().unwrap()).unwrap();
            vec![source(&json!({"ca.crt": String::from_utf8(pem(&[&authority(-1, 300)])).unwrap(), "tls.key": key}))]
        }
        "a private key in binary data" => {
            let mut object = good();
            let key = p256().private_key_to_pem_pkcs8().unwrap();
            object["binaryData"] = json!({"key": openssl::base64::encode_block(&key)});
            vec![object]
        }
        "the authority is over" => vec![bundle(&[&authority(-300, -1)])],
        "one authority is over" => vec![bundle(&[&authority(-300, -1), &authority(-1, 300)])],
        "a secret of somebody else" => vec![good(), foreign(Value::Null)],
        "a secret of another trust" => vec![good(), foreign(json!({TRUST_LABEL: "ceph-trust"}))],
        "kubectl has no answer" => {
            let refused = |stderr: &str| Said { rc: 1, stderr: stderr.to_owned(), ..Said::default() };
            let said = [
                refused(concat!(
                    "E1201 05:38:44.000000     123 memcache.go:265] \"Unhandled Error\" err=\"connection refused\"\n",
                    "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n"
                )),
                Said::default(),
                Said { rc: 2, msg: "Error executing command: no such file: kubectl".to_owned(), ..Said::default() },
            ];
            return answers(&places(&mesh()), &said).unwrap_err();
        }
        "no object" => {
            let texts = ["Error from server: secret".to_owned()];
            return publish(&mesh(), &texts, UnixTime::new(AT)).unwrap_err();
        }
        other => panic!("no such case: {other}"),
    };
    decide(&objects).map_or_else(|report| report, |(_, report)| report)
}
