//! Requests on their way through the example site: the table of cases beside its answers, and what is refused as a question.

use pharos_core::diagnostic::{Report, Source};
use pharos_core::document;
use pharos_core::explain::{
    self, Answer, Answered, CallerWord, HopName, Normalization, PresentedGateway, Question, QuestionDocument, Site,
};

use crate::rejected::{Fixture, refused};

fn read(name: &str) -> String {
    std::fs::read_to_string(format!("{}/tests/explain/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The site that the cases are asked of.
fn site() -> Site {
    site_of(&read("catalogue.yaml"), &read("policy.yaml"))
}

fn site_of(catalogue: &str, policy: &str) -> Site {
    Site::of_files(
        ("catalogue.yaml", catalogue.as_bytes()),
        ("environments/example/policy.yaml", policy.as_bytes()),
        &[("lab.yaml", read("lab.yaml").as_bytes())],
    )
    .unwrap_or_else(|report| panic!("{report}"))
}

fn ask(site: &Site, question: &QuestionDocument) -> Result<Answer, Report> {
    site.explain(&Question::parse(question)?)
}

/// A fixture is a question.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    let site = if fixture.what() == "no-gateway" { site_without_gateway("") } else { site() };
    refused(document::read::<QuestionDocument>(&fixture.source()).and_then(|question| ask(&site, &question.value)))
}

/// The same site with another gateway behind its edge, of which nothing is described; `edge` is what its policy says of that more.
fn site_without_gateway(edge: &str) -> Site {
    let policy = read("policy.yaml");
    let (policy, _) = policy.split_once("gateway:\n  node_port").unwrap();
    let upstreams = "upstreams: [\"127.0.0.1:30088\"]";
    assert!(policy.contains(upstreams));
    site_of(&read("catalogue.yaml"), &policy.replace(upstreams, &format!("{upstreams}{edge}")))
}

/// Where no gateway is described the edge is answered for, and the answer says that it ends there.
#[test]
fn explain_answers_for_the_edge_alone() {
    let site = site_without_gateway("");
    let asked = |url: &str| QuestionDocument { url: url.to_owned(), ..Default::default() };
    let refused = ask(&site, &asked("https://platform.example.org/admin")).unwrap();
    assert_eq!(refused.refusal().map(|hop| hop.name), Some(HopName::Edge));
    let passed = ask(&site, &asked("https://site.example.org/v1/site")).unwrap();
    assert_eq!(passed.hops.iter().map(|hop| hop.name).collect::<Vec<_>>(), [HopName::Edge, HopName::Gateway]);
    assert_eq!(passed.view()["judged_to"], "edge");
    assert_eq!(passed.view()["verdict"], "allow");
    let text = explain::render(&passed);
    assert!(
        text.starts_with("allow at the edge, and no gateway is described behind it, route site-site, from anywhere\n"),
        "{text}"
    );
    assert!(text.contains("environment `example` describes none"), "{text}");
    // How the edge verifies it is in the policy all the same.
    let https = site_without_gateway("\n    protocol: https\n    sni: gw.example.org\n    trust: /etc/gw.pem");
    let presented = |names: &[&str]| {
        let names = names.iter().map(ToString::to_string).collect();
        let gateway = Some(PresentedGateway { trusted: true, names });
        let question = QuestionDocument { gateway, ..asked("https://site.example.org/v1/site") };
        ask(&https, &question).unwrap().hops.iter().map(|hop| (hop.name, hop.refused)).collect::<Vec<_>>()
    };
    assert_eq!(presented(&["gw.example.org"]).last(), Some(&(HopName::Gateway, None)));
    assert_eq!(presented(&["other"]).last(), Some(&(HopName::EntranceTrust, Some(Answered::Status(502)))));
}

#[test]
fn explain_answers_the_table() {
    let site = site();
    let folder = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/explain/cases"));
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let question = document::read::<QuestionDocument>(&Source::public(&name, &text)).unwrap();
        let answer = ask(&site, &question.value).unwrap_or_else(|report| panic!("{name}: {report}"));
        insta::with_settings!({
            snapshot_path => folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name, explain::render(&answer));
        });
    }
}

/// What Envoy 1.40.0 made of made-up targets, under each of Istio's path normalisations but the one that changes nothing: `null` is a 400.
/// Measured with `path_with_escaped_slashes_action`, `normalize_path` and `merge_slashes` as Istio sets them, and a response header that
/// repeats `%REQ(:PATH)%`.
#[test]
fn explain_makes_of_paths_what_envoy_does() {
    let rows = include_str!("../explain/envoy-paths.jsonl");
    let mut refused = 0;
    for row in rows.lines() {
        let [target, paths @ ..]: [Option<String>; 4] = serde_json::from_str(row).unwrap();
        let target = target.unwrap();
        for (word, path) in ["BASE", "MERGE_SLASHES", "DECODE_AND_MERGE_SLASHES"].into_iter().zip(paths) {
            let applied = Normalization::of(word).unwrap().apply(target.as_bytes());
            assert_eq!(applied.map(|bytes| String::from_utf8(bytes).unwrap()), path, "{word}: {target}");
            refused += u32::from(path.is_none());
        }
    }
    assert!(rows.lines().count() >= 450 && refused > 100, "{refused}");
}

/// A gateway over HTTPS is verified by the edge, for every transport; whoever else speaks to it is not the edge.
#[test]
fn explain_holds_the_gateway_against_name_and_bundle() {
    let tls =
        "protocol: https\n    sni: gateway.example.org\n    trust: /etc/pharos-edge/gateway-ca.pem\n    upstreams";
    let policy =
        read("policy.yaml").replace("upstreams", tls).replace("  node_port", "  certificate: own\n  node_port");
    let catalogue = read("catalogue.yaml").replace("  http:", "  https: {service: 443, pod: 8443}\n  http:");
    let site = site_of(&catalogue, &policy);
    let asked = |url: &str, trusted, names: &[&str]| {
        let names = names.iter().map(ToString::to_string).collect();
        let gateway = Some(PresentedGateway { trusted, names });
        QuestionDocument { url: url.to_owned(), gateway, ..Default::default() }
    };
    let seen = |question: &QuestionDocument| {
        let answer = ask(&site, question).unwrap_or_else(|report| panic!("{report}"));
        answer.refusal().map(|hop| (hop.name, hop.refused, hop.rule.clone()))
    };
    for url in ["https://platform.example.org/api/me", "https://models.example.org/inference.v1.Models/Infer"] {
        assert_eq!(seen(&asked(url, true, &["x", "Gateway.example.org"])), None);
        assert_eq!(seen(&asked(url, true, &["*.example.org"])), None);
        for (trusted, names, words) in
            [(false, "gateway.example.org", "does not chain to it"), (true, "other.example.org", "has another name")]
        {
            let (hop, answered, rule) = seen(&asked(url, trusted, &[names])).unwrap();
            assert_eq!((hop, answered), (HopName::EntranceTrust, Some(Answered::Status(502))));
            assert!(rule.contains("SNI `gateway.example.org`") && rule.ends_with(words), "{rule}");
        }
        let own = QuestionDocument { by: CallerWord::Edge, ..asked(url, false, &[]) };
        assert_eq!(seen(&own), None);
    }
}
