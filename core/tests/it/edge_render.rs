//! The rendered edge: each case's files beside its documents, and what must hold for all of them.

use pharos_core::diagnostic::{Findings, Report, Source};
use pharos_core::edge::nginx::{Directive, parse, print};
use pharos_core::edge::render::{self, Authorship, ConfigFile};

use crate::edge_case::{self, Case};
use crate::rejected::{Fixture, refused};

/// A folder fixture is a case that must be refused.
pub(crate) fn judge(fixture: &Fixture) -> Report {
    refused(edge_case::read(fixture.path()).and_then(|case| render::https(&case.table, &case.environment, &case.host)))
}

/// The files of a case; the second where it has one.
pub(crate) fn files(case: &Case) -> (ConfigFile, Option<ConfigFile>) {
    let (https, warnings) = render::https(&case.table, &case.environment, &case.host).unwrap();
    assert!(warnings.is_empty(), "{warnings}");
    (https, render::http(&case.table, &case.host).unwrap())
}

#[test]
fn edge_render_snapshots() {
    for name in edge_case::all() {
        let folder = edge_case::root().join(&name);
        let (https, http) = files(&edge_case::read(&folder).unwrap());
        insta::with_settings!({
            snapshot_path => folder,
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!("https.conf", https.text());
            if let Some(http) = http {
                insta::assert_snapshot!("http.conf", http.text());
            }
        });
    }
}

#[test]
fn edge_render_is_read_back_as_it_was_meant() {
    for name in edge_case::all() {
        let (https, http) = files(&edge_case::read(&edge_case::root().join(&name)).unwrap());
        for file in [Some(https), http].into_iter().flatten() {
            let text = file.text();
            assert_eq!(render::authorship(&text), Authorship::Intact);
            let source = Source::public(file.path(), &text);
            let mut findings = Findings::new();
            let read = parse(&source, &mut findings);
            assert!(findings.is_empty(), "{}", findings.into_report());
            assert_eq!(read, file.directives(), "{name}");
            assert!(text.ends_with(&print(&read)));
        }
    }
}

/// Every directive of a tree, with the blocks it stands in.
fn walk<'a>(directives: &'a [Directive], above: &mut Vec<&'a str>, see: &mut impl FnMut(&[&'a str], &'a Directive)) {
    for directive in directives {
        see(above, directive);
        above.push(directive.name.as_str());
        walk(directive.children(), above, see);
        above.pop();
    }
}

#[test]
fn edge_render_keeps_to_its_own_names() {
    for name in edge_case::all() {
        let (https, http) = files(&edge_case::read(&edge_case::root().join(&name)).unwrap());
        for file in [Some(https), http].into_iter().flatten() {
            walk(file.directives(), &mut Vec::new(), &mut |above, directive| {
                let word = |at: usize| directive.argument(at).unwrap_or_default();
                let global = match directive.name.as_str() {
                    "upstream" | "log_format" | "zone" => word(0),
                    "ssl_session_cache" => word(0).trim_start_matches("shared:"),
                    "map" => word(1).trim_start_matches('$'),
                    "set" => word(0).trim_start_matches('$'),
                    _ => "pharos_",
                };
                assert!(global.starts_with("pharos_"), "{name}: {} {global}", directive.name.as_str());
                let headers = ["proxy_set_header", "grpc_set_header", "add_header"];
                let in_location = above.contains(&"location") && file.path() == render::HTTPS_FILE;
                assert!(!(in_location && headers.contains(&directive.name.as_str())), "{name}: a header in a location");
            });
        }
    }
}

/// The configuration of a case has exactly the policy's hosts and certificate files, and one HTTPS listener an address.
#[test]
fn edge_render_has_exactly_the_hosts_of_the_policy() {
    for name in edge_case::all() {
        let case = edge_case::read(&edge_case::root().join(&name)).unwrap();
        let (https, _) = files(&case);
        let mut names = Vec::new();
        let mut certificates = Vec::new();
        let mut defaults = Vec::new();
        walk(https.directives(), &mut Vec::new(), &mut |_, directive| match directive.name.as_str() {
            "server_name" => names.extend(directive.arguments.iter().map(|word| word.as_str().to_owned())),
            "ssl_certificate" => certificates.extend(directive.argument(0)),
            "listen" if directive.arguments.iter().any(|word| word.as_str() == "default_server") => {
                defaults.extend(directive.argument(0));
            }
            _ => {}
        });
        let served = render::served(&case.table, &case.host);
        let hosts: Vec<String> = case.environment.origins.values().map(|origin| origin.host().to_string()).collect();
        names.sort();
        assert_eq!(
            names,
            {
                let mut sorted = hosts.clone();
                sorted.sort();
                sorted
            },
            "{name}"
        );
        assert_eq!(certificates, served.iter().map(|s| s.files.certificate.as_str()).collect::<Vec<_>>(), "{name}");
        let distinct: std::collections::BTreeSet<&str> = defaults.iter().copied().collect();
        assert_eq!(distinct.len(), defaults.len(), "{name}: a second default server");
    }
}
