//! The rules about what may stand together in one route.

use super::RouteAt;
use crate::catalogue::{BodyLimit, Stream, Transport, codes};
use crate::diagnostic::Findings;

pub(super) fn judge(route: RouteAt<'_>, findings: &mut Findings) {
    match route.route.transport {
        Transport::Grpc => grpc(route, findings),
        Transport::Http => http(route, findings),
    }
}

/// gRPC has streams of its own, without a length known beforehand, in both directions.
fn grpc(route: RouteAt<'_>, findings: &mut Findings) {
    if route.route.websocket {
        findings.push(route.refuse(
            codes::GRPC_WEBSOCKET,
            "/websocket",
            "is gRPC and cannot be upgraded to a WebSocket",
            "leave `websocket` out, or write `transport: http`",
        ));
    }
    if let Some(BodyLimit::Bytes(_)) = route.route.body {
        findings.push(route.refuse(
            codes::GRPC_BODY,
            "/body",
            "is gRPC and has no body to limit",
            "leave `body` out: messages are limited by the server that receives them",
        ));
    }
    if route.route.stream.is_some_and(|stream| stream != Stream::Both) {
        findings.push(route.refuse(
            codes::GRPC_STREAM,
            "/stream",
            "is gRPC and always streams in both directions",
            "leave `stream` out",
        ));
    }
}

fn http(route: RouteAt<'_>, findings: &mut Findings) {
    let stated = route.route;
    if stated.websocket && stated.timeout.is_none() {
        findings.push(route.refuse(
            codes::WEBSOCKET_TIMEOUT,
            "/websocket",
            "is a WebSocket without a `timeout`",
            "state how many seconds a connection may be silent: the default of 60 cuts idle connections",
        ));
    }
    if stated.body != Some(BodyLimit::Unlimited) {
        return;
    }
    if stated.timeout.is_none() {
        findings.push(route.refuse(
            codes::UNLIMITED_TIMEOUT,
            "/body",
            "has an unlimited body without a `timeout`",
            "state how many seconds the backend may take: the default of 60 cuts large uploads",
        ));
    }
    if stated.stream.is_some_and(|stream| !stream.request()) {
        findings.push(route.refuse(
            codes::UNLIMITED_STREAM,
            "/stream",
            "has an unlimited body, which is never buffered",
            "write `stream: request` or `stream: both`, or leave it out",
        ));
    }
}
