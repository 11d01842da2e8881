//! The stages in which a development box is brought up, and their order.
//!
//! A first installation and a reconciliation go through the same stages in the same order: each is written so that an unchanged
//! run changes nothing. The order has one point where it is easily got wrong. The first pass of the edge publishes routing before
//! the Applications exist, and with them the authority that the Site API's backend is verified with. A gateway that is asked
//! before [`Stage::EdgeFinal`] has published that authority answers 503, so no route is qualified until the trust is *seen*; that a
//! record says so is not enough.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// A stage.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, JsonSchema, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// The cluster.
    Kubernetes,
    /// Ceph, and the storage classes on it.
    Storage,
    /// Istio: base, control plane, CNI and gateway.
    Mesh,
    /// The host edge, with the routing of everything that is to come.
    Edge,
    /// Argo CD, and with it the Applications.
    Argo,
    /// What the edge could not have before the Applications: the trust of their backends.
    EdgeFinal,
    /// Storage, asked by a pod.
    StorageCheck,
    /// Every route, asked through the edge.
    RouteCheck,
}

impl Stage {
    /// All of them, in their order.
    pub const ALL: [Self; 8] = [
        Self::Kubernetes,
        Self::Storage,
        Self::Mesh,
        Self::Edge,
        Self::Argo,
        Self::EdgeFinal,
        Self::StorageCheck,
        Self::RouteCheck,
    ];

    /// Its name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Kubernetes => "kubernetes",
            Self::Storage => "storage",
            Self::Mesh => "mesh",
            Self::Edge => "edge",
            Self::Argo => "argo",
            Self::EdgeFinal => "edge-final",
            Self::StorageCheck => "storage-check",
            Self::RouteCheck => "route-check",
        }
    }

    /// The stages that must be done before it, in their order: each is needed for a reason of its own.
    pub const fn needs(self) -> &'static [Self] {
        match self {
            Self::Kubernetes => &[],
            // The operator and the mesh are workloads.
            Self::Storage | Self::Mesh => &[Self::Kubernetes],
            // Its gateway is that of the mesh.
            Self::Edge => &[Self::Mesh],
            // Applications claim storage, and reach their issuer through the edge.
            Self::Argo => &[Self::Storage, Self::Edge],
            // The Pharos Application creates the authority that is published.
            Self::EdgeFinal => &[Self::Edge, Self::Argo],
            Self::StorageCheck => &[Self::Storage, Self::Argo],
            Self::RouteCheck => &[Self::Edge, Self::Argo, Self::EdgeFinal],
        }
    }

    /// Whether it asks the gateway for verified backends, which the trust must be published for.
    pub const fn needs_trust(self) -> bool {
        matches!(self, Self::RouteCheck)
    }
}

/// What was seen of the cluster, beside what is recorded.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Observed {
    /// Whether every authority that a backend of the site is verified with stands beside the gateway.
    pub trust_published: bool,
}

/// The next stage of a run; `None` when all are done.
///
/// A trust that is not there takes `edge-final` back, whatever is recorded: it was removed, or the record is of another cluster.
///
/// # Errors
/// `foundation/stage-order` if a stage is recorded as done without one that it needs.
pub fn next(done: &BTreeSet<Stage>, observed: &Observed) -> Result<Option<Stage>, Report> {
    for stage in done {
        judge_order(*stage, done)?;
    }
    let stale = |stage: Stage| stage == Stage::EdgeFinal && !observed.trust_published;
    Ok(Stage::ALL.into_iter().find(|stage| !done.contains(stage) || stale(*stage)))
}

/// Whether the trust of backends is to be published by now: the Applications that bring it are there. Before that, the gateway is given its
/// routes without.
pub fn trust_is_due(done: &BTreeSet<Stage>) -> bool {
    done.contains(&Stage::Argo)
}

/// Judges whether a stage may run now.
///
/// # Errors
/// `foundation/stage-order` before a stage that it needs, and `foundation/trust-not-published` for routes that would be qualified before
/// the gateway can verify their backends.
pub fn judge(stage: Stage, done: &BTreeSet<Stage>, observed: &Observed) -> Result<(), Report> {
    judge_order(stage, done)?;
    if stage.needs_trust() && !observed.trust_published {
        let message =
            format!("`{}` cannot run: the trust of the backends is not published for the gateway", stage.word());
        return Err(Diagnostic::error(codes::TRUST_NOT_PUBLISHED, message)
            .at(Place::named(stage.word()), "every route to such a backend would answer 503")
            .help(format!("run `{}` first: it publishes the trust", Stage::EdgeFinal.word()))
            .into());
    }
    Ok(())
}

fn judge_order(stage: Stage, done: &BTreeSet<Stage>) -> Result<(), Report> {
    let missing: Vec<&str> =
        stage.needs().iter().filter(|needed| !done.contains(needed)).map(|needed| needed.word()).collect();
    let Some(first) = missing.first() else { return Ok(()) };
    let listed = missing.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    Err(Diagnostic::error(codes::STAGE_ORDER, format!("`{}` comes after {listed}", stage.word()))
        .at(Place::named(stage.word()), "not done yet")
        .help(format!("run `{first}` first"))
        .into())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Observed, Stage, judge, next, trust_is_due};

    const SEEN: Observed = Observed { trust_published: true };
    const UNSEEN: Observed = Observed { trust_published: false };

    fn before(stage: Stage) -> BTreeSet<Stage> {
        Stage::ALL.into_iter().take_while(|earlier| *earlier != stage).collect()
    }

    /// A run from the first stage on; the trust is there from `edge-final` on, or from the start.
    fn run(trust_from_the_start: bool) -> Vec<Stage> {
        let (mut done, mut order) = (BTreeSet::new(), Vec::new());
        let mut observed = Observed { trust_published: trust_from_the_start };
        while let Some(stage) = next(&done, &observed).unwrap() {
            judge(stage, &done, &observed).unwrap();
            assert!(order.len() < Stage::ALL.len(), "a stage comes twice: {order:?}");
            observed.trust_published |= stage == Stage::EdgeFinal;
            done.insert(stage);
            order.push(stage);
        }
        order
    }

    #[test]
    fn a_first_installation_and_a_reconciliation_have_one_order() {
        assert_eq!(run(false), Stage::ALL);
        assert_eq!(run(true), Stage::ALL);
    }

    #[test]
    fn trust_comes_with_the_applications() {
        assert!(!trust_is_due(&before(Stage::Argo)));
        assert!(trust_is_due(&before(Stage::EdgeFinal)));
    }

    /// The native Site route that answered 503: the gateway was rendered before the trust was published.
    #[test]
    fn no_route_is_qualified_before_the_trust_is_published() {
        let code = |done: &BTreeSet<Stage>, observed| {
            judge(Stage::RouteCheck, done, observed).unwrap_err().diagnostics()[0].code.name()
        };
        // a first installation that left edge-final out
        let mut first = before(Stage::EdgeFinal);
        assert_eq!(code(&first, &UNSEEN), "foundation/stage-order");
        assert_eq!(next(&first, &UNSEEN).unwrap(), Some(Stage::EdgeFinal));
        // a trust that somebody else published is not enough on the way there
        assert_eq!(code(&first, &SEEN), "foundation/stage-order");
        first.insert(Stage::EdgeFinal);
        assert_eq!(judge(Stage::RouteCheck, &first, &SEEN), Ok(()));

        // a reconciliation whose record says that it was done, of a cluster that has lost it
        let all: BTreeSet<Stage> = Stage::ALL.into_iter().collect();
        assert_eq!(code(&all, &UNSEEN), "foundation/trust-not-published");
        assert_eq!(next(&all, &UNSEEN).unwrap(), Some(Stage::EdgeFinal));
        assert_eq!(next(&all, &SEEN).unwrap(), None);
    }

    #[test]
    fn what_a_stage_needs_comes_before_it() {
        for stage in Stage::ALL {
            assert_eq!(judge(stage, &before(stage), &SEEN), Ok(()), "{stage:?}");
            for needed in stage.needs() {
                let mut without = before(stage);
                without.remove(needed);
                assert!(judge(stage, &without, &SEEN).is_err(), "{stage:?} without {needed:?}");
            }
            assert_eq!(serde_json::to_value(stage).unwrap(), stage.word());
        }
        assert!(next(&BTreeSet::from([Stage::Argo]), &SEEN).is_err());
    }
}
