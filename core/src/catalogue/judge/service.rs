//! The rules about one service of the catalogue.

use std::collections::BTreeSet;

use super::ServiceAt;
use crate::catalogue::codes;
use crate::diagnostic::{Diagnostic, Findings, suggest};
use crate::name::PathMatch;

pub(super) fn judge(at: ServiceAt<'_>, findings: &mut Findings) {
    gateway(at, findings);
    profile(at, findings);
    exact_paths(at, findings);
}

fn gateway(at: ServiceAt<'_>, findings: &mut Findings) {
    let known = &at.catalogue.value.gateways;
    let gateway = &at.service.gateway;
    if known.contains(gateway) {
        return;
    }
    findings.push(
        Diagnostic::error(
            codes::UNKNOWN_GATEWAY,
            format!(
                "service `{}` stands behind gateway `{gateway}`, which the catalogue does not have",
                at.service.name
            ),
        )
        .at(at.place("/gateway"), "not one of `gateways`")
        .help(suggest::help(gateway.as_str(), known.iter().map(AsRef::as_ref), "add it to `gateways`")),
    );
}

fn profile(at: ServiceAt<'_>, findings: &mut Findings) {
    let Some(profile) = &at.service.profile else { return };
    let profiles = &at.catalogue.value.profiles;
    let Some(known) = profiles.get(profile) else {
        findings.push(
            Diagnostic::error(
                codes::UNKNOWN_PROFILE,
                format!(
                    "service `{}` belongs to profile `{profile}`, which the catalogue does not have",
                    at.service.name
                ),
            )
            .at(at.place("/profile"), "not one of `profiles`")
            .help(suggest::help(
                profile.as_str(),
                profiles.keys().map(AsRef::as_ref),
                "add it to `profiles`",
            )),
        );
        return;
    };
    for (index, mode) in at.service.required_in.iter().enumerate().filter(|(_, mode)| !known.modes.contains(mode)) {
        findings.push(
            Diagnostic::error(
                codes::REQUIRED_PROFILE,
                format!(
                    "service `{}` is required in mode `{mode}`, which its profile `{profile}` is not for",
                    at.service.name
                ),
            )
            .at(at.place(&format!("/required_in/{index}")), "")
            .at(at.catalogue.place(&format!("/profiles/{profile}/modes")), "the modes of the profile")
            .help("leave the requirement out, or allow the profile in that mode"),
        );
    }
}

/// The routes of a service that states its paths take those and no others.
fn exact_paths(at: ServiceAt<'_>, findings: &mut Findings) {
    let Some(stated) = &at.service.paths else { return };
    let allowed: BTreeSet<&PathMatch> = stated.iter().collect();
    let routed: BTreeSet<&PathMatch> = at.service.routes.iter().map(|route| &route.path).collect();
    for route in at.routes().filter(|route| !allowed.contains(&route.route.path)) {
        findings.push(
            route
                .refuse(
                    codes::EXACT_PATHS,
                    "/match",
                    format_args!("takes `{}`, which the service does not expose", route.route.path),
                    "leave the route out, or have the path reviewed and added to `paths`",
                )
                .at(at.place("/paths"), "the paths of the service"),
        );
    }
    for (index, path) in stated.iter().enumerate().filter(|(_, path)| !routed.contains(path)) {
        findings.push(
            Diagnostic::error(codes::EXACT_PATHS, format!("no route of service `{}` takes `{path}`", at.service.name))
                .at(at.place(&format!("/paths/{index}")), "")
                .help("add the route, or leave the path out"),
        );
    }
}
