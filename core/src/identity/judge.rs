//! What a file is refused for.

use std::collections::HashMap;

use super::{ExternalIdentity, Requirement, authority, codes};
use crate::certificate::UnixTime;
use crate::diagnostic::{Diagnostic, Findings, suggest};
use crate::document::{Document, Remains};
use crate::name::{DnsLabel, Origin};

type File = Document<ExternalIdentity>;

/// Judges what stands of a file. A client that is missing because its registration was refused is not missed.
pub(super) fn judge(
    remains: &Remains<ExternalIdentity>,
    requirement: &Requirement,
    at: UnixTime,
    findings: &mut Findings,
) {
    let (file, lost) = (remains.judged(), remains.ground().lost);
    issuer(file, requirement, findings);
    authority::judge(file, at, findings);
    missing_clients(file, requirement, |client| lost.knows_entry("/clients", client), findings);
    clients(file, requirement, findings);
}

/// `OpenID` Connect Discovery 1.0, section 3: `https`, host, and a path without query or fragment.
fn issuer(file: &File, requirement: &Requirement, findings: &mut Findings) {
    let text = file.value.issuer.as_str();
    let rest = text.strip_prefix("https://").unwrap_or_default();
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let plain = path.bytes().all(|b| b.is_ascii_graphic() && !matches!(b, b'?' | b'#' | b'@' | b'\\' | b'"'));
    let origin = format!("https://{host}").parse::<Origin>().ok().filter(|_| plain);
    let Some(origin) = origin else {
        findings.push(
            Diagnostic::error(codes::ISSUER, "this is not the URL of an issuer").at(file.place("/issuer"), "").help(
                "write `https://`, host and path as the discovery document states them, without query and credentials",
            ),
        );
        return;
    };
    if let Some(expected) = requirement.issuer.as_ref().filter(|expected| **expected != origin) {
        findings.push(
            Diagnostic::error(codes::ISSUER_ORIGIN, "the issuer is at another origin than the policy's")
                .at(file.place("/issuer"), "")
                .at(requirement.issuer_place.clone(), format!("here it is {expected}"))
                .help("name the issuer that the site's clients are registered at, in both places"),
        );
    }
}

fn missing_clients(file: &File, requirement: &Requirement, known: impl Fn(&str) -> bool, findings: &mut Findings) {
    let bound = &file.value.clients;
    let missing = |client: &DnsLabel| !bound.contains_key(client) && known(client.as_str());
    for (client, services) in requirement.clients.iter().filter(|(client, _)| missing(client)) {
        let services: Vec<String> = services.iter().map(|service| format!("`{service}`")).collect();
        findings.push(
            Diagnostic::error(codes::CLIENT_MISSING, format!("no registration of the client `{client}`"))
                .at(file.place("/clients"), "")
                .help(format!("add `{client}`: people sign in to {} with it", services.join(", "))),
        );
    }
}

fn clients(file: &File, requirement: &Requirement, findings: &mut Findings) {
    let bound = &file.value.clients;
    let free = || requirement.known.iter().filter(|known| !bound.contains_key(*known)).map(DnsLabel::as_str);
    for client in bound.keys().filter(|client| !requirement.known.contains(*client)) {
        findings.push(
            Diagnostic::error(codes::CLIENT_UNKNOWN, format!("no service of the catalogue has a client `{client}`"))
                .at(file.key_place(&format!("/clients/{client}")), "")
                .help(suggest::help(client.as_str(), free(), "leave it out")),
        );
    }
    let mut first: HashMap<&str, &DnsLabel> = HashMap::new();
    for (client, registration) in bound {
        if let Some(earlier) = first.insert(&registration.client_id, client) {
            findings.push(
                Diagnostic::error(codes::CLIENT_SHARED, format!("`{earlier}` and `{client}` have one registration"))
                    .at(file.place(&format!("/clients/{client}/client_id")), "")
                    .at(file.place(&format!("/clients/{earlier}/client_id")), "the same one")
                    .help("register each client by itself: what one may do and be redirected to is not the other's"),
            );
        }
        secret(file, client, registration.client_secret.reveal(), findings);
    }
}

fn secret(file: &File, client: &DnsLabel, text: &str, findings: &mut Findings) {
    if text.trim() == text && !text.chars().any(char::is_control) {
        return;
    }
    findings.push(
        Diagnostic::error(
            codes::SECRET_FORM,
            format!("the secret of `{client}` has white space around it or a control character"),
        )
        .at(file.place(&format!("/clients/{client}/client_secret")), "")
        .help("copy the secret again without the line end: the issuer compares every byte"),
    );
}
