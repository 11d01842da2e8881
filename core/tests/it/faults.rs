//! A broken site is refused with all its faults at once: those of the writing, of the schema and of the rules, in every
//! document; and for one fault nothing is said that is not one.

use pharos_core::catalogue::CatalogueDocument;
use pharos_core::diagnostic::{Report, Source};
use pharos_core::document::tree::{Content, NodeId, Tree};
use pharos_core::document::{self, Remains, StandIn};
use pharos_core::policy::PolicyDocument;
use pharos_core::site;
use serde_json::json;

use crate::committed;

/// A passage of a committed file, and what is written instead.
type Change<'a> = (&'a str, &'a str);

fn changed(path: &str, changes: &[Change<'_>]) -> String {
    let text = std::fs::read_to_string(committed::repository().join(path)).unwrap();
    changes.iter().fold(text, |text, (from, to)| {
        assert_eq!(text.matches(from).count(), 1, "{path}: {from}");
        text.replacen(from, to, 1)
    })
}

const CATALOGUE: &str = "catalogue/services.yaml";
const POLICY: &str = "environments/icarus-cloud/policy.yaml";

/// What `check` says about the existing site with these changes.
fn site(catalogue: &[Change<'_>], policy: &[Change<'_>]) -> Report {
    site::check(&[
        Source::public(CATALOGUE, &changed(CATALOGUE, catalogue)),
        Source::public(POLICY, &changed(POLICY, policy)),
    ])
}

fn codes(report: &Report) -> Vec<&str> {
    report.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect()
}

#[test]
fn all_faults_of_all_documents_are_found_at_once() {
    let report = site(
        &[
            ("  - site-api-trust\n", "  - Site-API-Trust\n"),
            ("pharos-tools]\n    gateway: platform\n", "pharos-tools]\n    gateway: platfrom\n"),
            (
                "service: pharos-web, namespace: pharos, port: 8080",
                "service: pharos-web, namespace: pharos, port: 808O",
            ),
            ("match: {prefix: /realtime/}", "match: {prefx: /realtime/}"),
            (
                "        body: unlimited\n        stream: both\n        encoded_slashes: true\n\n  - name: waldur",
                "        body: unlimited\n        stream: response\n        encoded_slashes: yes\n\n  - name: waldur",
            ),
            ("service: waldur-mastermind-api, namespace: waldur", "service: waldur-mastermind, namespace: waldur"),
            (
                "    required_in: [distributed]\n    aai_clients: [pharos-open-webui]\n",
                "    required_in: [distributd]\n    aai_clients: [pharos-open-webui]\n",
            ),
        ],
        &[
            ("kubernetes: 1.33.5", "kubernetes: v1.33.5"),
            ("profiles: []", "profiles: [development]\ncolour: blue"),
            ("pharos: https://platform.", "pharos: https://portal."),
            ("gitlab: https://gitlab.", "gitlab: http://gitlab."),
            ("waldur: https://waldur.", "waldr: https://waldur."),
            ("    kubeflow: https://kubeflow.staging.pharosfactory.ai\n", ""),
            ("llm-chat: https://llm-chat.", "llm-chat: https://operator:hunter2@llm-chat."),
            ("management_networks: []", "management_networks: [192.0.2.77/24, 0.0.0.0/0]"),
            ("    sni: gateway.istio-system.svc\n", ""),
            ("  port: 587\n", "  port: 0587\n"),
            ("  ehlo: platform.staging.pharosfactory.ai\n", ""),
            ("public_api: https://llm-api.", "public_api: https://llm-apis."),
            ("egress: [192.0.2.128/27, ", "egress: [0.0.0.0/0, "),
            ("  path: gitops/root\n", "  path: gitops/root\n  path: gitops/other\n"),
        ],
    );
    assert!(!report.to_string().contains("hunter2"));
    insta::assert_snapshot!(report.to_string());
}

/// What is wrong with a gateway is said beside other faults, and not where it rests on what was refused.
#[test]
fn faults_of_the_gateway_are_found_beside_others() {
    let elsewhere: Change<'_> = ("  port: 587\n", "  port: 587587\n");
    let policy: &[(Change<'_>, &str)] = &[
        (("edges: [192.0.2.1/32, 192.0.2.2/32]", "edges: [192.0.2.1/32, 0.0.0.0/1]"), "gateway/edge-everyone"),
        (("edges: [192.0.2.1/32, 192.0.2.2/32]", "edges: []"), "gateway/management-unprotected"),
        (("node_port: 30443", "node_port: 443"), "gateway/node-port"),
        (("  certificate: pharos-gateway\n", ""), "gateway/certificate"),
        (("    ceph-trust: [", "    ceph-turst: ["), "gateway/fingerprint-missing"),
    ];
    for (change, code) in policy {
        let report = site(&[], &[elsewhere, *change]);
        assert!(codes(&report).contains(code) && codes(&report).contains(&"document/range"), "{change:?}\n{report}");
    }
    let catalogue: &[(Change<'_>, &str)] = &[
        (
            ("  gateway: platform\n  namespace: istio", "  gateway: platfrom\n  namespace: istio"),
            "gateway/unknown-gateway",
        ),
        (("      published: pharos-ceph-trust", "      published: pharos-site-api-trust"), "gateway/published-twice"),
        (("ports: [{service: 8181, pod: 8181}]", "ports: [{service: 8182, pod: 8181}]"), "gateway/backend-pods"),
    ];
    let lost: Change<'_> = ("issuer: https://nc-aai.example.net", "issuer: nc-aai.example.net");
    for (change, code) in catalogue {
        let report = site(&[*change], &[lost]);
        assert!(codes(&report).contains(code), "{change:?}\n{report}");
    }
    // Which edges there are is not known, nor where pods are.
    for (edges, code) in [("[192.0.2.1]", "gateway/management-unprotected"), ("192.0.2.1/32", "gateway/edge-everyone")]
    {
        let report = site(&[], &[("edges: [192.0.2.1/32, 192.0.2.2/32]", &format!("edges: {edges}"))]);
        assert!(!codes(&report).contains(&code), "{report}");
    }
}

/// For each single fault its own code and nothing else, although the rules judge what it leaves.
#[test]
fn one_fault_is_one_finding() {
    let catalogue: &[(Change<'_>, &str)] = &[
        (("gateways: [platform]", "gateways: [Platform]"), "name/dns-label"),
        (("  - ceph-trust\n", "  - Ceph-trust\n"), "name/dns-label"),
        (("  llm:\n    llm-api: [8000]", "  llm:\n    llm-api: [80000]"), "document/range"),
        (("  argocd:\n    argocd-server: [80]", "  Argocd:\n    argocd-server: [80]"), "name/dns-label"),
        (("    modes: [distributed, development]", "    modes: [distributd, development]"), "document/unknown-value"),
        (("    modes: [development]", "    modes: [developmnt]"), "document/unknown-value"),
        (
            (
                "        websocket: true\n        timeout: 3600\n      # Server",
                "        websocket: true\n        timout: 3600\n      # Server",
            ),
            "document/unknown-key",
        ),
        (("      - prefix: /v1/site/commands/\n", "      - prefix: v1/site/commands/\n"), "name/url-path"),
        (
            ("  - name: argo\n    binding: separate\n", "  - name: argo\n    binding: seperate\n"),
            "document/unknown-value",
        ),
        (
            ("  - name: llm-api\n    public_api: true\n", "  - name: llm-api\n    public_api: yes\n"),
            "document/look-alike",
        ),
        (("  - name: gitlab\n", "  - name: GitLab\n"), "name/dns-label"),
        (
            (
                "        access: management\n        transport: http\n        backend: {service: argocd-server",
                "        access: managment\n        transport: http\n        backend: {service: argocd-server",
            ),
            "document/unknown-value",
        ),
        (
            (
                "          port: 443\n          protocol: https\n          sni: ceph",
                "          port: 443\n          protocl: https\n          sni: ceph",
            ),
            "document/unknown-key",
        ),
        (
            ("backend: {service: waldur-homeport, ", "backend: {service: waldur-homport, "),
            "catalogue/unreviewed-backend",
        ),
    ];
    let policy: &[(Change<'_>, &str)] = &[
        (("environment: icarus-cloud", "environment: Icarus"), "name/dns-label"),
        (("mode: distributed", "mode: distributd"), "document/unknown-value"),
        (("kubernetes: 1.33.5", "kubernetes: v1.33.5"), "document/pattern"),
        (("cni: {name: calico, ", "cni: {"), "document/missing-key"),
        (("profiles: []", "profile: []"), "document/unknown-key"),
        (("issuer: https://nc-aai.example.net", "issuer: http://nc-aai.example.net"), "policy/distributed-origin"),
        (("kubeflow: https://kubeflow.", "kubeflow: https://operator:pw@kubeflow."), "name/origin-surplus"),
        (("kubeflow: https://kubeflow.", "Kubeflow: https://kubeflow."), "name/dns-label"),
        (("    kubeflow: https", "    pharos: https"), "document/duplicate-key"),
        (("pharos: https://platform.", "pharos: https://portal."), "policy/host-label"),
        (("  bindings:\n", "  binding:\n"), "document/unknown-key"),
        (("management_networks: []", "management_networks: [192.0.2.77/24]"), "name/network-host-bits"),
        (("protocol: https", "protocol: htps"), "document/unknown-value"),
        (("    protocol: https\n", "    protocl: https\n"), "document/unknown-key"),
        (
            ("    upstreams: [\"192.0.2.11:30443\", \"192.0.2.12:30443\", \"192.0.2.13:30443\"]", "    upstreams: []"),
            "document/length",
        ),
        (("  enabled: true\n", "  enabled: yes\n"), "document/look-alike"),
        (("  port: 587\n", ""), "smtp/incomplete"),
        (("  port: 587\n", "  port: 587587\n"), "document/range"),
        (("  host: relay.grnet.gr\n", "  hots: relay.grnet.gr\n"), "document/unknown-key"),
        (("egress: [192.0.2.128/27, \"2001:db8:0:25::/64\"]", "egress: [192.0.2.129/27]"), "name/network-host-bits"),
        (("llm-api: https://llm-api.", "llm-api: https://llm api."), "name/host-name"),
        (("mode: distributed", "mode: !kind distributed"), "document/tag"),
        (("  enabled: true\n", "  enabled: *on\n"), "document/alias"),
    ];
    let one = |change: &Change<'_>, code: &str, report: &Report| {
        assert_eq!(codes(report), [code], "{change:?}\n{report}");
    };
    for (change, code) in catalogue {
        one(change, code, &site(&[*change], &[]));
    }
    for (change, code) in policy {
        one(change, code, &site(&[], &[*change]));
    }
}

/// The other way: what a refused part does not touch is said beside it.
#[test]
fn a_refused_part_hides_no_other_fault() {
    let network = ("management_networks: []", "management_networks: [192.0.2.77/24]");
    let beside: &[(&[Change<'_>], &[Change<'_>], &[&str])] = &[
        // Whose origin is refused is known by its key: another service has none for certain.
        (
            &[],
            &[
                ("gitlab: https://", "gitlab: https://pw@"),
                ("    kubeflow: https://kubeflow.staging.pharosfactory.ai\n", ""),
            ],
            &["policy/required-service", "name/origin-surplus"],
        ),
        (
            &[],
            &[("gitlab: https://", "gitlab: https://pw@"), ("waldur: ", "waldr: ")],
            &["name/origin-surplus", "policy/unknown-service"],
        ),
        // A policy cannot do without these, and is judged all the same.
        (
            &[],
            &[("version: 1\n", "version: one\n"), ("    sni: gateway.istio-system.svc\n", "")],
            &["document/wrong-type", "policy/gateway-tls-missing"],
        ),
        (
            &[],
            &[("mode: distributed", "mode: distributd"), ("pharos: https://platform.", "pharos: https://portal.")],
            &["document/unknown-value", "policy/host-label"],
        ),
        // A key that does not exist, where all that do are written, was meant for none of them.
        (
            &[],
            &[("profiles: []", "profiles: [nothing]\ncolour: blue")],
            &["policy/unknown-profile", "document/unknown-key"],
        ),
        // A service that is refused is there by its name; another is unknown none the less.
        (
            &[("  - name: waldur\n    gateway", "  - name: waldur\n    gatway")],
            &[("gitlab: https", "gitlb: https")],
            &["document/missing-key", "document/unknown-key", "policy/unknown-service"],
        ),
        // Items before it are gone, and its place is still the right one.
        (
            &[
                ("  - name: pharos\n", "  - name: Pharos\n"),
                ("{service: waldur-homeport, ", "{service: waldur-homport, "),
            ],
            &[network],
            &["name/dns-label", "catalogue/unreviewed-backend", "name/network-host-bits"],
        ),
        (
            &[],
            &[("management_networks: []", "management_networks: [192.0.2.77/24, 0.0.0.0/0]")],
            &["name/network-host-bits", "policy/management-everyone"],
        ),
    ];
    for (catalogue, policy, expected) in beside {
        let report = site(catalogue, policy);
        assert_eq!(codes(&report), *expected, "{report}");
    }
}

#[test]
fn a_place_is_that_of_the_text_although_items_are_gone() {
    let report = site(
        &[("  - name: pharos\n", "  - name: Pharos\n"), ("{service: waldur-homeport, ", "{service: waldur-homport, ")],
        &[],
    );
    let backend = report.diagnostics().iter().find(|finding| finding.code.name() == "catalogue/unreviewed-backend");
    let place = backend.unwrap().place().unwrap();
    let (start, end) = place.span().unwrap();
    assert_eq!(place.source().text().get(start.offset..end.offset), Some("waldur-homport"));
    assert_eq!(place.key(), Some("/services/4/routes/0/backend/service"));
}

/// A policy is judged as far as it goes without the catalogue, when that cannot be read or was not given.
#[test]
fn a_policy_is_judged_without_a_catalogue() {
    let policy = changed(POLICY, &[("gitlab: https://", "gitlab: http://")]);
    let policy = Source::public(POLICY, &policy);
    let report = site::check(&[Source::public(CATALOGUE, "services: {"), policy.clone()]);
    assert_eq!(codes(&report), ["document/syntax", "policy/distributed-origin"]);
    let report = site::check(&[Source::public(CATALOGUE, "services: []"), policy]);
    assert!(codes(&report).contains(&"policy/distributed-origin"), "{report}");
    assert!(!codes(&report).contains(&"policy/unknown-service"), "{report}");
}

/// A key in the wrong place is missed where it belongs; what it holds is not said to be missing as well.
#[test]
fn a_key_in_the_wrong_place_is_one_fault() {
    let kubeflow = "    kubeflow: https://kubeflow.staging.pharosfactory.ai\n";
    let left = "  kubeflow: https://kubeflow.staging.pharosfactory.ai\n";
    let moved = changed(POLICY, &[(kubeflow, ""), ("  # Nobody but the edge host", &format!("{left}  # Nobody"))]);
    let report = site::check(&[Source::public(CATALOGUE, &changed(CATALOGUE, &[])), Source::public(POLICY, &moved)]);
    assert_eq!(codes(&report), ["document/unknown-key"], "{report}");
}

/// The spans of all scalars of a text, each with whether it is a key.
fn scalars(tree: &Tree, node: NodeId, found: &mut Vec<(std::ops::Range<usize>, bool)>) {
    match tree.content(node) {
        Content::Scalar(_) => found.push((tree.span(node), false)),
        Content::List(items) => items.iter().for_each(|item| scalars(tree, *item, found)),
        Content::Mapping(entries) => {
            for entry in entries {
                found.push((tree.span(entry.key), true));
                scalars(tree, entry.value, found);
            }
        }
    }
}

/// Every key and every value of a sound site is broken in turn, in each way that the reader refuses: the rules, which judge
/// what is left, find nothing, for there is nothing else to find.
#[test]
fn no_refused_part_makes_a_rule_speak() {
    let environments = committed::environments();
    let policies = environments.iter().map(|name| format!("environments/{name}/policy.yaml"));
    let paths: Vec<String> = std::iter::once(CATALOGUE.to_owned()).chain(policies).collect();
    let sound: Vec<_> = paths.iter().map(|path| Source::public(path, &changed(path, &[]))).collect();
    let mut broken = 0;
    for (at, source) in sound.iter().enumerate() {
        let tree = document::outline(source).unwrap();
        let mut found = Vec::new();
        scalars(&tree, tree.root(), &mut found);
        for (span, key) in found {
            let (before, rest) = source.text().split_at(span.start);
            let (written, after) = rest.split_at(span.len());
            let others: &[String] = &[format!("ZZ-{written}"), "yes".to_owned()];
            let values: &[String] = &["[[]]".to_owned(), format!("!zz {written}"), "yes".to_owned()];
            for other in if key { others } else { values } {
                // A policy is judged by the catalogue, and by no other policy.
                let mut site = if at == 0 { sound.clone() } else { vec![sound[0].clone(), source.clone()] };
                site[at.min(1)] = Source::public(source.name(), &format!("{before}{other}{after}"));
                let report = site::check(&site);
                let rules = ["catalogue", "gateway", "policy", "smtp"];
                let spurious = report.diagnostics().iter().filter(|finding| rules.contains(&finding.code.room()));
                let refused = report.diagnostics().iter().any(|finding| !rules.contains(&finding.code.room()));
                broken += usize::from(refused);
                // What is sound in another way is for the rules to judge.
                assert!(!refused || spurious.count() == 0, "{written} -> {other}\n{report}");
            }
        }
    }
    assert!(broken > 2000, "{broken}");
}

fn standing<T: serde::de::DeserializeOwned + schemars::JsonSchema + 'static>(
    text: &str,
    stand_ins: &[StandIn],
) -> (Option<Remains<T>>, Report) {
    document::parse(&Source::public("text.yaml", text)).read_what_stands(stand_ins)
}

#[test]
fn what_stands_is_reported_as_the_strict_reader_does() {
    for path in [CATALOGUE, POLICY] {
        for change in ["version: 1\n", "name: ", "https://", "[", "port: "] {
            let text = std::fs::read_to_string(committed::repository().join(path)).unwrap();
            let text = text.replacen(change, "'no-such-thing': 0\n", 1);
            let source = Source::public("text.yaml", &text);
            let strict = document::read::<PolicyDocument>(&source).unwrap_err();
            let (_, report) = document::parse(&source).read_what_stands::<PolicyDocument>(&[]);
            assert_eq!(report, strict, "{change}");
        }
    }
}

#[test]
fn without_a_stand_in_what_holds_a_needed_part_goes() {
    let text = std::fs::read_to_string(committed::repository().join(POLICY)).unwrap();
    let (whole, report) = standing::<PolicyDocument>(&text, &[]);
    assert!(whole.unwrap().whole() && report.is_empty());
    let broken = text.replace("kubernetes: 1.33.5", "kubernetes: newest");
    assert!(standing::<PolicyDocument>(&broken, &[]).0.is_none());
    let stand_in = json!({"kubernetes": "0.0.0", "cni": {"name": "none", "version": "0.0.0"}});
    let (rest, report) = standing::<PolicyDocument>(&broken, &[StandIn { pointer: "/foundation", value: stand_in }]);
    assert!(!rest.unwrap().whole() && report.refuses());
    // A stand-in that is itself refused does not go in twice.
    let (none, _) = standing::<PolicyDocument>(&broken, &[StandIn { pointer: "/foundation", value: json!(0) }]);
    assert!(none.is_none());
}

/// With aliases a fault may show elsewhere than it stands: nothing is concluded.
#[test]
fn faults_of_the_writing_beside_anchors_leave_nothing_to_judge() {
    let text = changed(CATALOGUE, &[("gateways: [platform]", "gateways: &g [platform]\ngateways: [x]")]);
    let (rest, report) = standing::<CatalogueDocument>(&text, &[]);
    assert!(rest.is_none());
    assert_eq!(codes(&report), ["document/duplicate-key"]);
}
