//! Lines of other people's configuration that may be shown.

/// Directives that tell where nginx listens and what it reads. Headers, upstreams, variables, answers and parameters of other
/// programs may hold a credential.
const DIRECTIVES: [&str; 20] = [
    "daemon",
    "default_type",
    "events",
    "gzip",
    "http",
    "http2",
    "include",
    "listen",
    "location",
    "mail",
    "root",
    "sendfile",
    "server",
    "server_name",
    "server_names_hash_bucket_size",
    "server_names_hash_max_size",
    "stream",
    "user",
    "worker_connections",
    "worker_processes",
];

/// Whether a line holds nothing but such directives, or braces; a comment is somebody's own words and not shown.
pub(super) fn is_harmless(line: &str) -> bool {
    !line.contains('#') && line.split([';', '{', '}']).all(statement)
}

fn statement(text: &str) -> bool {
    let mut words = text.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (None, ..) => true,
        // A status alone; with a text or an address it may be anything.
        (Some("return"), Some(status), None) => status.bytes().all(|byte| byte.is_ascii_digit()),
        (Some(name), ..) => DIRECTIVES.contains(&name),
    }
}

#[cfg(test)]
mod tests {
    use super::is_harmless;

    #[test]
    fn a_line_is_shown_if_all_of_it_is_harmless() {
        for line in [
            "",
            "}",
            "server { listen 80 default_server; server_name a.example; }",
            "    location /.well-known/acme-challenge/ {",
            "return 404;",
        ] {
            assert!(is_harmless(line), "{line}");
        }
        for line in [
            "server { listen 80; proxy_set_header Authorization \"Bearer hunter2\"; }",
            "listen 80; # hunter2",
            "return 200 hunter2;",
            "server hunter2.example; set $token hunter2;",
            "auth_basic hunter2;",
            "hunter2",
            "\"a b\" hunter2;",
        ] {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
