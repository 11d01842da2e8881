//! What our files add to the `http` block itself: log formats, maps, and the sizes of hash tables. Every name begins `pharos_`.

use super::build::directive;
use crate::catalogue::RouteTable;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::edge::nginx::{Directive, Word};
use crate::edge::{EdgeHost, HttpSetting, codes};
use crate::name::HostName;

/// The format of the HTTPS listener's access log: one JSON object a line.
///
/// No query string, `Referer`, cookie, user name or authorization is in it; the path is the request's own, cut at the first `?`,
/// `;` or `#`. What nginx would have said in its error log stands in the upstream fields.
pub(super) fn access_log_format() -> Directive {
    directive!(
        "log_format",
        "pharos_https",
        "escape=json",
        r#"{"time":"$time_iso8601","client":"$remote_addr","host":"$server_name","route":"$pharos_route","#,
        r#""method":"$request_method","path":"$pharos_https_path","protocol":"$server_protocol","#,
        r#""status":"$status","sent":"$bytes_sent","seconds":"$request_time","tls":"$ssl_protocol","#,
        r#""upstream":"$upstream_addr","upstream_status":"$upstream_status","#,
        r#""upstream_connect":"$upstream_connect_time","upstream_header":"$upstream_header_time","#,
        r#""upstream_seconds":"$upstream_response_time","id":"$request_id"}"#,
    )
}

/// The same for port 80, which has no routes.
pub(super) fn plain_log_format() -> Directive {
    directive!(
        "log_format",
        "pharos_http",
        "escape=json",
        r#"{"time":"$time_iso8601","client":"$remote_addr","host":"$server_name","method":"$request_method","#,
        r#""path":"$pharos_http_path","protocol":"$server_protocol","status":"$status","sent":"$bytes_sent"}"#,
    )
}

/// The path of a request as it came, without anything that may be secret, under a name of the HTTPS file.
pub(super) fn https_path() -> Directive {
    map(
        "$request_uri",
        "$pharos_https_path",
        vec![directive!("~^(?<pharos_https_clean>[^?;#]*)", "$pharos_https_clean")],
    )
}

/// The same under a name of the port-80 file: either file must be whole without the other.
pub(super) fn http_path() -> Directive {
    map("$request_uri", "$pharos_http_path", vec![directive!("~^(?<pharos_http_clean>[^?;#]*)", "$pharos_http_clean")])
}

/// The maps that routing reads.
pub(super) fn routing_maps() -> Vec<Directive> {
    vec![
        // A backslash is a slash to some backends and a letter to others; a fragment is never sent by a client that means well.
        map("$request_uri", "$pharos_refused_path", vec![directive!(r"~^[^?]*(?:\\|%5[Cc]|#)", "1")]),
        // What nginx takes out of a path before it chooses a location, and the gateway may not.
        map("$request_uri", "$pharos_odd_path", vec![directive!(r"~^[^?]*(?:\\|%5[Cc]|#|%2[Ff]|//|;)", "1")]),
        // `Upgrade: h2c` would open a tunnel past every rule of ours: only WebSockets are upgraded, and only where the route
        // says so. Each location states on or off, so that no header can imitate the word.
        map("$pharos_websocket:$http_upgrade", "$pharos_upgrade", vec![directive!("~*^on:websocket$", "websocket")]),
        map("$pharos_upgrade", "$pharos_connection", vec![directive!("websocket", "upgrade")]),
    ]
}

fn map(source: &'static str, target: &'static str, mut entries: Vec<Directive>) -> Directive {
    entries.insert(0, directive!("default", ""));
    Directive::block("map", vec![source.into(), target.into()], entries)
}

/// The hash sizes that our names need and nobody has set.
pub(super) fn hash_sizes(table: &RouteTable, host: &EdgeHost) -> Vec<Directive> {
    needs(table)
        .into_iter()
        .filter(|(setting, need)| *need > setting.default_value() && !host.existing.contains_key(setting))
        .map(|(setting, need)| Directive::simple(setting.directive(), vec![Word::from(&need)]))
        .collect()
}

/// Refuses sizes that were set too small: we never edit the file that sets them.
pub(super) fn judge(table: &RouteTable, host: &EdgeHost, findings: &mut Findings) {
    for (setting, need) in needs(table) {
        let Some(set) = host.existing.get(&setting).filter(|set| **set < need) else { continue };
        let name = setting.directive();
        let message = format!("`{name}` is set to {set}, but the host names of this site need {need}");
        findings.push(
            Diagnostic::error(codes::HASH_SIZE, message).at(Place::named("nginx.conf"), "").help(format!(
                "write `{name} {need};` in the `http` block that sets it, or take the setting out there"
            )),
        );
    }
}

/// Whether nginx's defaults cannot hold our names.
pub(super) fn needs_hash_sizes(table: &RouteTable) -> bool {
    needs(table).into_iter().any(|(setting, need)| need > setting.default_value())
}

/// What our names need of each setting.
fn needs(table: &RouteTable) -> [(HttpSetting, u64); 2] {
    let hosts = table.hosts();
    let bucket = hosts.iter().map(|host| bucket(host.origin.host())).max().unwrap_or(0);
    // nginx looks for a number of buckets in which none overflows. A bucket of the size above may hold a single name, so
    // the number grows with the square of the names (the birthday problem); `nginx -t` warns if it is too small.
    let buckets = (hosts.len() as u64).pow(2).div_ceil(8).next_power_of_two();
    [(HttpSetting::ServerNamesHashBucketSize, bucket), (HttpSetting::ServerNamesHashMaxSize, buckets)]
}

/// The bucket that holds a name (`NGX_HASH_ELT_SIZE` and the pointer that ends a bucket): a power of two, 64 at least.
fn bucket(name: &HostName) -> u64 {
    let element = 8 + (name.as_str().len() as u64 + 2).next_multiple_of(8);
    (element + 8).next_power_of_two().max(64)
}

#[cfg(test)]
mod tests {
    use super::bucket;

    #[test]
    fn the_longest_name_that_a_bucket_holds() {
        let of = |length: usize| {
            bucket(
                &format!("{}.{}", "a".repeat(length.saturating_sub(64).clamp(1, 63)), "b".repeat(63)).parse().unwrap(),
            )
        };
        assert_eq!(bucket(&format!("{}.b", "a".repeat(44)).parse().unwrap()), 64);
        assert_eq!(bucket(&format!("{}.b", "a".repeat(45)).parse().unwrap()), 128);
        assert_eq!([of(110), of(111)], [128, 256]);
    }
}
