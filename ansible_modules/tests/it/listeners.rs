//! `edge_listeners_info`, about this machine and about a configuration of the test's own.

use std::net::TcpListener;
use std::path::Path;

use serde_json::{Value, json};

use crate::ask::{ask, codes, refusal};

const MAIN: &str = "events {}\nhttp { include /etc/nginx/conf.d/*.conf; include sites/*.conf; }\n";

fn configure(folder: &Path, sites: &[(&str, &str)]) -> Value {
    std::fs::create_dir_all(folder.join("sites")).unwrap();
    std::fs::write(folder.join("nginx.conf"), MAIN).unwrap();
    for (name, text) in sites {
        std::fs::write(folder.join("sites").join(name), text).unwrap();
    }
    json!({ "configuration": folder.join("nginx.conf"), "hosts": ["a.example.org"] })
}

#[test]
fn servers_and_sockets_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let held = TcpListener::bind("127.0.0.1:0").unwrap();
    let arguments = configure(folder.path(), &[("a.conf", "server { listen 8080; server_name b.example.org; }")]);
    let answer = ask("edge_listeners_info", &arguments);
    assert_eq!((&answer["clear"], &answer["changed"]), (&json!(true), &json!(false)), "{answer}");
    let configuration = &answer["configurations"][0];
    assert_eq!(configuration["root"], json!(folder.path().join("nginx.conf")));
    assert_eq!(configuration["listeners"][0]["endpoint"], "0.0.0.0:8080");
    assert_eq!(configuration["listeners"][0]["servers"][0]["names"], json!(["b.example.org"]));
    let address = held.local_addr().unwrap().to_string();
    let socket = answer["sockets"].as_array().unwrap().iter().find(|socket| socket["address"] == address).unwrap();
    assert_eq!(socket["pid"], json!(std::process::id()));
}

#[test]
fn what_stands_in_the_way_is_told_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let one = "server {\n    listen 443 ssl default_server;\n}\n";
    let mut arguments = configure(folder.path(), &[("a.conf", one), ("b.conf", one)]);
    let answer = ask("edge_listeners_info", &arguments);
    assert_eq!((&answer["clear"], answer.get("failed")), (&json!(false), None));
    assert!(codes(&answer).contains(&"edge/second-default-server"), "{answer}");
    arguments["refuse_conflicts"] = json!("yes");
    let message = refusal("edge_listeners_info", &arguments);
    assert!(message.contains("sites/a.conf:2"), "{message}");
    assert!(message.contains("sites/b.conf:2"), "{message}");
}

#[test]
fn a_port_that_another_process_holds_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let held = TcpListener::bind("0.0.0.0:0").unwrap();
    let mut arguments = configure(folder.path(), &[]);
    arguments["ports"] = json!([held.local_addr().unwrap().port().to_string()]);
    let answer = ask("edge_listeners_info", &arguments);
    assert_eq!(codes(&answer), ["edge/port-held"], "{answer}");
    assert!(answer.to_string().contains(&format!("pid {}", std::process::id())));
}

#[test]
fn a_host_without_nginx_has_sockets_alone() {
    let answer = ask("edge_listeners_info", &json!({ "configuration": "/nowhere/nginx.conf" }));
    assert_eq!(answer["configurations"], json!([]));
    assert!(
        refusal("edge_listeners_info", &json!({ "ports": [0], "configuration": "nginx.conf" })).contains("/ports/0")
    );
}
