//! A host: where it is listened for, and which of its requests go where.

use super::Site;
use super::backend::Backends;
use crate::catalogue::{Route, RouteTable, Stream, Transport, VirtualHost};
use crate::gateway::kind::{
    Destination, GatewaySpec, HttpMatch, HttpRetry, HttpRoute, Object, PortSelector, RouteDestination, Routes, Seconds,
    Server, ServerPort, ServerTls, StringMatch, Text, VirtualServiceSpec,
};
use crate::name::PathMatch;
use crate::policy::GatewayProtocol;

/// The route whose name the objects of a host have: the least specific one, which changes least. Joined names are unique over all
/// owners and a host has one owner, so these are unique too.
pub(super) fn representative(host: &VirtualHost) -> Option<&Route> {
    host.routes.last()
}

fn name(host: &VirtualHost) -> &str {
    representative(host).map_or_else(|| host.origin.host().as_str(), |route| route.id.as_str())
}

/// The gateways: over plain HTTP one for each host.
///
/// Over TLS there is one for all hosts. The edge names the gateway in its SNI and the host in its request, so that a listener of a host's
/// own, which is chosen by the SNI, would never be.
pub(super) fn gateways<'a>(table: &'a RouteTable, site: &Site<'a>) -> Vec<Object<'a, GatewaySpec<'a>>> {
    let settings = site.settings;
    let spec = |servers| GatewaySpec { selector: std::sync::Arc::clone(&site.pods), servers };
    if settings.protocol == GatewayProtocol::Https {
        let ports = settings.mesh.https.unwrap_or(settings.mesh.http);
        let server = Server {
            port: ServerPort { number: ports.service.get(), name: "https", protocol: "HTTPS" },
            hosts: vec!["./*".into()],
            tls: settings.policy.certificate.as_ref().map(|certificate| ServerTls {
                mode: "SIMPLE",
                credential_name: certificate.as_str().into(),
                min_protocol_version: "TLSV1_2",
            }),
        };
        return vec![site.object(settings.mesh.gateway.as_str(), Routes::NONE, None, spec(vec![server]))];
    }
    let hosts = table.hosts().iter().map(|host| {
        let server = Server {
            port: ServerPort { number: settings.mesh.http.service.get(), name: "http", protocol: "HTTP" },
            hosts: vec![format!("./{}", host.origin.host()).into()],
            tls: None,
        };
        site.object(name(host), Routes::Slice(&host.routes), representative(host), spec(vec![server]))
    });
    hosts.collect()
}

/// The virtual service of a host: a route for each of ours, in the order of the table, which is the order in which they are tried.
pub(super) fn virtual_service<'a>(
    host: &'a VirtualHost,
    backends: &Backends<'a>,
    site: &Site<'a>,
) -> Object<'a, VirtualServiceSpec<'a>> {
    let settings = site.settings;
    let gateway = match settings.protocol {
        GatewayProtocol::Http => name(host),
        GatewayProtocol::Https => settings.mesh.gateway.as_str(),
    };
    let spec = VirtualServiceSpec {
        hosts: [host.origin.host().as_str().into()],
        gateways: vec![gateway.into()],
        export_to: ["."],
        http: host.routes.iter().map(|route| http_route(route, backends)).collect(),
    };
    site.object(name(host), Routes::Slice(&host.routes), representative(host), spec)
}

fn http_route<'a>(route: &'a Route, backends: &Backends<'a>) -> HttpRoute<'a> {
    HttpRoute {
        name: route.id.as_str().into(),
        matches: matches(&route.path),
        route: [RouteDestination {
            destination: Destination {
                host: backends.host(&route.backend),
                port: PortSelector { number: route.backend.port.get() },
            },
        }],
        timeout: timeout(route),
        // Only what never reached the backend: the edge's own rule is that a slow answer is not asked for twice.
        retries: HttpRetry { attempts: 2, retry_on: "connect-failure,refused-stream" },
    }
}

/// What the paths of a route are to a matcher that knows no segments: a prefix that ends in a slash is one as it is; any other is the
/// path itself and what follows its slash.
fn matches(path: &PathMatch) -> Vec<HttpMatch<'_>> {
    let text = path.path().as_str();
    let of = |uri| HttpMatch { uri };
    match path {
        PathMatch::Exact(_) => vec![of(StringMatch::Exact(text.into()))],
        PathMatch::Prefix(_) if text.ends_with('/') => vec![of(StringMatch::Prefix(text.into()))],
        PathMatch::Prefix(_) => {
            vec![of(StringMatch::Exact(text.into())), of(StringMatch::Prefix(Text::from(format!("{text}/"))))]
        }
    }
}

/// How long the whole exchange may take: as long as the edge waits between two reads, where the answer is no stream. Where it is one, or
/// may become a WebSocket, no time can be stated.
fn timeout(route: &Route) -> Option<Seconds> {
    let bounded = route.transport == Transport::Http && !route.websocket && route.stream == Stream::None;
    route.timeout.filter(|_| bounded).map(Seconds)
}

#[cfg(test)]
mod tests {
    use super::matches;
    use crate::name::PathMatch;

    /// On every path that is near a route's, the matchers agree with the route.
    #[test]
    fn segments_are_kept() {
        let near = ["/", "/v1", "/v1/", "/v1/site", "/v1/sitex", "/v1/site/", "/v1/site/x", "/v1/site//", "/v1/sit"];
        let routes = near.iter().filter_map(|text| text.parse().ok());
        for path in
            routes.flat_map(|path: crate::name::UrlPath| [PathMatch::Exact(path.clone()), PathMatch::Prefix(path)])
        {
            for asked in near {
                let taken = matches(&path).iter().any(|one| one.uri.takes(asked));
                assert_eq!(taken, path.takes(asked), "{path} and {asked}");
            }
        }
    }
}
