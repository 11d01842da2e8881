//! Composing a plan.

use super::document::topology_fingerprint;
use super::{
    Fingerprint, Fingerprints, KeyedFingerprint, Observations, Operation, Pinned, Plan, Revision, SeenCertificate,
    Unseen, VERSION, authority, codes, edge, finding, inputs, is_fresh, layers, observed,
};
use crate::catalogue::RouteTable;
use crate::certificate::UnixTime;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::inventory::Topology;
use crate::name::EnvironmentName;
use crate::policy::PolicyDocument;

/// What a plan is composed of. Each part was judged by its own room; one that was refused is `None`, and its report says why.
#[derive(Clone, Debug)]
pub struct Draft<'d> {
    /// The environment.
    pub environment: EnvironmentName,
    /// The operation that is planned.
    pub operation: Operation,
    /// Whether the site is not looked at. Observations are then left aside.
    pub offline: bool,
    /// The source.
    pub revision: Revision,
    /// The policy.
    pub policy: Option<&'d PolicyDocument>,
    /// The routes; `None` too for a foundation alone.
    pub routes: Option<&'d RouteTable>,
    /// The topology.
    pub topology: Option<&'d Topology>,
    /// The hosts of the group `platform-edge`, by name.
    pub edges: &'d [String],
    /// The keyed fingerprint of the private file of the external identity, where there is one.
    pub external_identity: Option<KeyedFingerprint>,
    /// The public certificates that were read on the administration machine; whoever read them judged them.
    pub certificates: &'d [SeenCertificate],
    /// Which site is expected.
    pub expected: &'d Expected,
    /// What was seen of the site.
    pub observations: Option<&'d Observations>,
    /// Whether the Kubernetes API was to be seen and was not; the report says why.
    pub api_refused: bool,
    /// What the rooms found, warnings and refusals.
    pub report: &'d Report,
    /// The instant.
    pub at: UnixTime,
}

/// The site that is expected, as private inventory variables state it. It enters no plan, for it is private.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Expected {
    /// `pharos_expected_cluster_uid`.
    pub cluster_uid: Option<String>,
    /// `pharos_expected_ceph_fsid`.
    pub ceph_fsid: Option<String>,
}

/// Without the values, which are private.
impl std::fmt::Debug for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Expected").finish_non_exhaustive()
    }
}

/// Composes a plan: what would run and what it needs, every finding, what was not seen, and what it may authorise.
///
/// Equal inputs give equal plans. What was observed is judged here; the other rooms have judged theirs.
pub fn draft(draft: &Draft<'_>) -> Plan {
    let observations = draft.observations.filter(|_| !draft.offline);
    let mut findings = Findings::new();
    findings.extend(draft.report.clone());
    if !draft.offline {
        // Where nothing could be seen, nothing confirms what is expected.
        let nothing = Observations::default();
        let seen = observations.unwrap_or(&nothing);
        observed::judge(seen, draft.topology, draft.policy, draft.expected, &mut findings);
    }
    let mut certificates = draft.certificates.to_vec();
    let presented = observations.and_then(|seen| seen.cluster.as_ref()?.certificate.as_ref());
    if let Some(presented) = presented.map(|presented| presented.seen(draft.at)) {
        let place = Place::named("the API server");
        SeenCertificate::judge(std::slice::from_ref(&presented), &place, draft.at, &mut findings);
        certificates.push(presented);
    }
    let public = draft.routes.is_some_and(|table| !table.hosts().is_empty());
    // An inventory that could not be resolved says nothing of its edges.
    if public && draft.topology.is_some() && draft.edges.is_empty() {
        findings.push(no_edge_host());
    }
    let pinned = draft.policy.map(Pinned::of);
    let findings = finding::of(&findings.into_report());
    let fresh = observations.is_some_and(|seen| is_fresh(seen, draft.expected, draft.api_refused));
    let mut plan = Plan {
        version: VERSION,
        environment: draft.environment.clone(),
        operation: draft.operation,
        offline: draft.offline,
        at: draft.at,
        revision: draft.revision.clone(),
        fingerprints: fingerprints(draft, pinned.as_ref(), observations),
        layers: layers::layers(
            draft.policy,
            draft.topology.ok_or(finding::no_topology(&findings)),
            observations,
            fresh,
        ),
        edge: draft.routes.map(|table| edge::planned(table, draft.edges)),
        certificates,
        findings,
        unseen: unseen(draft, observations),
        obstacles: Vec::new(),
        observations: observations.cloned(),
        policy: draft.policy.cloned(),
        topology: draft.topology.cloned(),
        pinned,
    };
    plan.obstacles = authority::obstacles(&plan);
    plan
}

fn no_edge_host() -> Diagnostic {
    Diagnostic::warning(codes::NO_EDGE_HOST, "the site has public names, and no edge host serves them")
        .at(Place::named("group platform-edge"), "no host of the inventory is in it")
        .help("put the edge hosts into `platform-edge`")
}

fn fingerprints(draft: &Draft<'_>, pinned: Option<&Pinned>, observations: Option<&Observations>) -> Fingerprints {
    Fingerprints {
        source: Fingerprint::of(&draft.revision),
        policy: draft.policy.map(Fingerprint::of),
        inputs: draft.topology.map(|topology| inputs::fingerprint(topology, draft.edges, draft.routes)),
        topology: draft.topology.zip(pinned).map(|(topology, pinned)| topology_fingerprint(topology, pinned)),
        identities: observations.map(Observations::identities),
        external_identity: draft.external_identity.clone(),
    }
}

fn unseen(draft: &Draft<'_>, observations: Option<&Observations>) -> Vec<Unseen> {
    let needs_certificates = draft.routes.is_some_and(|table| !table.hosts().is_empty());
    let seen = |look: fn(&Observations) -> bool| observations.is_some_and(look);
    let parts = [
        (!seen(|seen| seen.cluster.is_some()), Unseen::Cluster),
        (!seen(|seen| seen.ceph.is_some()), Unseen::Ceph),
        (!seen(|seen| !seen.hosts.is_empty()), Unseen::Hosts),
        (needs_certificates, Unseen::Certificates),
    ];
    parts.into_iter().filter_map(|(missing, part)| missing.then_some(part)).collect()
}
