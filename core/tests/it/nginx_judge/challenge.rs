//! Port 80: the challenge, and everything else.

use super::client::plain;
use super::{SERIES, backend, bed, site};

const CHALLENGE: &str = "/.well-known/acme-challenge";

fn webroot() -> tempfile::TempDir {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::Builder::new().permissions(PermissionsExt::from_mode(0o755)).tempdir().unwrap();
    let challenges = folder.path().join(&CHALLENGE[1..]);
    std::fs::create_dir_all(&challenges).unwrap();
    std::fs::write(challenges.join("token-1_A"), "token-1_A.thumbprint").unwrap();
    std::fs::write(folder.path().join("outside"), "outside").unwrap();
    symlink("/etc/passwd", challenges.join("link")).unwrap();
    symlink("../../outside", challenges.join("inner-link")).unwrap();
    folder
}

#[test]
fn port_80_answers_the_challenge_and_redirects_the_rest() {
    bed::enter();
    for series in SERIES {
        let webroot = webroot();
        let mut case = site::case("certbot-trixie");
        case.environment.gateway = site::ordinary().environment.gateway;
        case.host.certificates = pharos_core::edge::CertificateMode::Certbot {
            webroot: webroot.path().to_str().unwrap().parse().unwrap(),
            issuer: None,
            staging: true,
        };
        let edge = site::start(series, case, "autoindex on;");
        for host in ["platform.example.org", "git.example.org", "GIT.example.org:80"] {
            let answer = plain(host, &format!("{CHALLENGE}/token-1_A"));
            assert_eq!((answer.status, answer.body.as_str()), (200, "token-1_A.thumbprint"), "{host}");
            assert_eq!(answer.header("Content-Type"), Some("text/plain"));
        }
        for (file, status) in [
            ("/none", 404),
            ("/", 404),
            ("/link", 404),
            ("/inner-link", 404),
            ("/../../outside", 308),
            ("/%2e%2e/%2e%2e/outside", 308),
            ("/..%2f..%2foutside", 308),
        ] {
            let answer = plain("platform.example.org", &format!("{CHALLENGE}{file}"));
            assert_eq!(answer.status, status, "{file} with nginx {series}: {}", answer.body);
        }
        for target in ["/", "/a/b%20c?x=1&y=%2f", CHALLENGE, "/.well-known/acme-challengex"] {
            let answer = plain("PLATFORM.example.org:80", target);
            let location = format!("https://platform.example.org{target}");
            assert_eq!((answer.status, answer.header("Location")), (308, Some(location.as_str())));
        }
        for host in ["other.example.org", "127.0.0.1", "localhost"] {
            for target in ["/", "/.well-known/acme-challenge/token-1_A"] {
                let answer = plain(host, target);
                assert_eq!((answer.status, answer.header("Location")), (421, None), "{host}{target}");
            }
        }
        for target in ["/?secret", "/.well-known/acme-challenge/none?secret", "/.well-known/acme-challenge/link;secret"]
        {
            plain("git.example.org", target);
            plain("other.example.org", target);
        }
        let logged = edge.nginx.access_log("http", 17);
        assert!(logged.iter().any(|line| line["path"] == "/.well-known/acme-challenge/none"), "{logged:?}");
        for (name, text) in edge.nginx.logs() {
            assert!(!text.contains("secret"), "{name} of nginx {series}: {text}");
        }
    }
}

#[test]
fn the_challenge_is_passed_on_to_the_edge_that_issues() {
    bed::enter();
    let issuer = backend::start("192.0.2.7:8080", backend::echo);
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let mut case = site::case("certbot-behind-issuer");
        if let pharos_core::edge::CertificateMode::Certbot { issuer, .. } = &mut case.host.certificates {
            *issuer = Some("192.0.2.7:8080".parse().unwrap());
        }
        let _edge = site::start(series, case, "");
        let answer = plain("platform.example.org", &format!("{CHALLENGE}/token"));
        assert_eq!(answer.status, 200);
        let seen = issuer.take().remove(0);
        assert!(
            seen.starts_with("GET /.well-known/acme-challenge/token HTTP/1.1\r\nHost: platform.example.org\r\n"),
            "{seen}"
        );
        assert_eq!(plain("platform.example.org", "/x").status, 308);
        assert!(issuer.take().is_empty());
    }
}

#[test]
fn names_that_need_a_larger_table_are_served_on_both_ports() {
    bed::enter();
    let _gateway = backend::start("127.0.0.1:30080", backend::echo);
    for series in SERIES {
        let edge = site::start(series, site::case("long-names"), "");
        let name = edge.case.table.hosts()[0].origin.host().as_str();
        assert_eq!(plain(name, "/x").header("Location"), Some(format!("https://{name}/x").as_str()));
        assert_eq!(super::client::get(name, "/v1/site/commands/x").status, 200);
        assert_eq!(plain(&format!("x{name}"), "/").status, 421);
        assert_eq!(plain(&name.replace('.', "x"), "/").status, 421, "a dot is a dot");
    }
}
