//! The modules that compute from documents: `site_info` and `edge_render`.

use serde_json::{Value, json};

use crate::ask::{ask, catalogue, codes, committed, environment, policy, refusal};

#[test]
fn site_info_tells_hosts_routes_and_certificates() {
    let answer = ask("site_info", &json!({ "environment_file": environment(), "catalogue_file": catalogue() }));
    assert_eq!((&answer["environment"], &answer["mode"]), (&json!("example"), &json!("distributed")));
    assert_eq!(answer["changed"], false);
    let names: Vec<&str> = answer["certificate_names"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(names.contains(&"platform.example.org") && names.is_sorted(), "{names:?}");
    let site = answer["hosts"].as_array().unwrap().iter().find(|host| host["host"] == "site.example.org").unwrap();
    let paths: Vec<&str> =
        site["routes"].as_array().unwrap().iter().filter_map(|route| route["path"].as_str()).collect();
    assert_eq!(paths, ["/v1/site/ssh-access/", "/v1/site/commands/"]);
}

#[test]
fn faults_of_both_documents_are_said_together() {
    let mut environment = environment();
    let text = environment["text"].as_str().unwrap().replace("https://platform", "ftp://platform");
    environment["text"] = text.into();
    let broken = json!({ "name": "services.yaml", "text": "version: 1\nservices: yes\n" });
    let answer = ask("site_info", &json!({ "environment_file": environment, "catalogue_file": broken }));
    assert_eq!(answer["failed"], true);
    let files: Vec<&Value> =
        answer["diagnostics"].as_array().unwrap().iter().map(|one| &one["labels"][0]["file"]).collect();
    assert!(files.contains(&&json!("edge.yaml")) && files.contains(&&json!("services.yaml")), "{files:?}");
}

/// Helm would hold the objects against what somebody else reviewed.
#[test]
fn a_chart_with_the_schema_of_another_catalogue_is_refused() {
    let judged = |schema: &str| {
        let files = [("Chart.yaml", "name: routes"), ("values.schema.json", schema)];
        let files = files.map(|(path, text)| json!({ "path": path, "text": text }));
        ask(
            "routes_render",
            &json!({
                "catalogue_file": catalogue(), "policy_file": policy(), "chart": "/chart", "chart_files": files,
                "namespaces": r#"{"items": []}"#,
            }),
        )
    };
    let fit = judged(&committed("charts/routes/values.schema.json"));
    assert_eq!(codes(&fit), Vec::<&str>::new(), "{fit}");
    let other = judged("{}");
    assert_eq!(codes(&other), ["gateway/chart-schema"]);
    assert!(other["msg"].as_str().unwrap().contains("`pharos gateway schema > /chart/values.schema.json`"), "{other}");
}

fn render(more: &Value) -> Value {
    let mut arguments = json!({
        "environment_file": environment(), "catalogue_file": catalogue(), "nginx": "1.22.1", "certificate_mode": "certbot",
    });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ask("edge_render", &arguments)
}

fn contents(answer: &Value) -> Vec<&str> {
    answer["files"].as_array().unwrap().iter().map(|file| file["content"].as_str().unwrap()).collect()
}

#[test]
fn edge_render_follows_the_nginx_that_is_named() {
    let old = render(&json!({}));
    let paths: Vec<&Value> = old["files"].as_array().unwrap().iter().map(|file| &file["path"]).collect();
    assert_eq!(paths[0], "/etc/nginx/conf.d/pharos-platform-http.conf");
    assert_eq!(paths.len(), 2);
    assert!(contents(&old)[1].contains("listen 443 ssl http2"), "{old}");
    let new = render(&json!({ "nginx": "nginx version: nginx/1.26.3\n", "ipv6": "no" }));
    assert!(contents(&new)[1].contains("http2 on;") && !contents(&new)[1].contains("[::]"));
    assert_eq!(contents(&render(&json!({}))), contents(&old), "equal arguments, equal bytes");
}

#[test]
fn edge_render_takes_the_files_of_each_host() {
    let host =
        |host: &str| json!({ "host": host, "certificate": format!("/c/{host}.pem"), "key": format!("/k/{host}.pem") });
    let site = ask("site_info", &json!({ "environment_file": environment(), "catalogue_file": catalogue() }));
    let names = site["certificate_names"].as_array().unwrap();
    let files: Vec<Value> = names.iter().map(|name| host(name.as_str().unwrap())).collect();
    let answer = render(&json!({ "certificate_mode": "existing", "certificate_files": files }));
    assert_eq!(answer["files"].as_array().unwrap().len(), 1, "nothing listens on port 80");
    assert!(contents(&answer)[0].contains("/c/platform.example.org.pem"));
    let missing = render(&json!({ "certificate_mode": "existing", "certificate_files": files[1..] }));
    assert_eq!(codes(&missing), ["edge/certificate-files"]);
}

#[test]
fn a_laboratory_is_part_of_what_is_served() {
    let text = "{version: 1, name: icarus, namespace: icarus, routes: [{name: bench, host: bench.example.org, match: {prefix: /}, \
                access: public, transport: http, backend: {service: bench, port: 8080}}]}";
    let laboratory = |text: &str| json!({ "name": "routes.yaml", "text": text });
    let info = |extension: Value| {
        let documents =
            json!({ "environment_file": environment(), "catalogue_file": catalogue(), "extension_file": extension });
        ask("site_info", &documents)
    };
    let answer = info(laboratory(text));
    let names = answer["certificate_names"].as_array().unwrap();
    assert!(names.contains(&json!("bench.example.org")), "{answer}");
    let rendered = render(&json!({ "extension_file": laboratory(text) }));
    assert!(contents(&rendered)[1].contains("set $pharos_route icarus-bench;"));
    assert!(contents(&rendered)[0].contains("bench.example.org"), "port 80 answers its challenges");
    assert_eq!(codes(&info(laboratory(&text.replace("bench.example", "platform.example")))), ["extension/host-taken"]);
    assert_eq!(codes(&info(laboratory("version: 1"))), ["site/unknown-document"]);
}

#[test]
fn a_laboratory_is_registered_with_all_that_it_is_judged_by() {
    let refused = |arguments: &Value| refusal("route_extension", arguments);
    assert!(refused(&json!({ "environment_file": environment() })).contains("`extension_file` is missing"));
    assert!(refused(&json!({ "state": "absent" })).contains("`name` is missing"));
    assert!(refused(&json!({ "state": "gone", "name": "icarus" })).contains("gone"));
}

#[test]
fn wrong_arguments_are_refused() {
    assert!(refusal("site_info", &json!({})).contains("`environment_file` is missing"));
    let answer = render(&json!({ "nginx": "Apache/2.4", "certificate_mode": "none" }));
    assert_eq!(codes(&answer), ["module/option-value"]);
    assert_eq!(codes(&render(&json!({ "nginx": "1.10.0" }))), ["edge/nginx-version"]);
    for existing in [json!("existing"), Value::Null] {
        assert_eq!(codes(&render(&json!({ "certificate_mode": existing }))), ["module/missing-option"]);
    }
    let slip = json!({ "listener": "http", "environment_file": environment(), "catalogue_file": catalogue(),
        "variables": ["edge_acme_email", "edge_listen_adresses"] });
    let said = refusal("edge_config", &slip);
    assert!(said.contains("name/edge-variable") && said.contains("did you mean `edge_listen_addresses`?"), "{said}");
    let relative = render(&json!({ "certificate_files": [{ "host": "A", "certificate": "c.pem", "keys": "/k" }] }));
    assert_eq!(
        codes(&relative),
        ["module/missing-option", "module/unknown-option", "name/absolute-path", "name/host-name"]
    );
}
