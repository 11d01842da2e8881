//! Lines of other people's configuration that may be shown.

/// Directives that tell where nginx listens, what it reads and whom it lets in. Headers, upstreams, variables, answers and parameters of other
/// programs may hold a credential.
const DIRECTIVES: [&str; 22] = [
    "allow",
    "daemon",
    "default_type",
    "deny",
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

/// The comment that certbot writes.
const CERTBOT: &str = "# managed by Certbot";

/// What the usual redirections lead to.
const REDIRECTIONS: [&str; 2] = ["https://$host$request_uri", "https://$server_name$request_uri"];

/// Whether a line holds nothing but such directives, or braces; a comment is somebody's own words and not shown.
pub(super) fn is_harmless(line: &str) -> bool {
    let line = line.trim_end();
    let line = line.strip_suffix(CERTBOT).unwrap_or(line);
    !line.contains('#') && line.split([';', '{', '}']).all(statement)
}

fn statement(text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    match words.as_slice() {
        [] => true,
        // Another text or address may be anything.
        ["return", status] => number(status),
        ["return", status, target] => number(status) && REDIRECTIONS.contains(target),
        [name, ..] => DIRECTIVES.contains(name),
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
            "return 301 https://$host$request_uri;",
            "    listen 443 ssl; # managed by Certbot",
        ] {
            assert!(is_harmless(line), "{line}");
        }
        for line in [
            "server { listen 80; proxy_set_header Authorization \"Bearer hunter2\"; }",
            "listen 80; # hunter2",
            "return 200 hunter2;",
            "server hunter2.example; set $token hunter2;",
            "return 301 https://$host$request_uri?token=hunter2;",
            "listen 80; # hunter2 # managed by Certbot",
            "auth_basic hunter2;",
            "hunter2",
            "\"a b\" hunter2;",
        ] {
            assert!(!is_harmless(line), "{line}");
        }
    }
}
