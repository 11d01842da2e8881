//! A plan: what an operation would do to a site, what it was judged by, and what it may authorise.
//!
//! [`draft`] composes a [`Plan`] from values that other rooms have judged. It is a document: [`write`](write()) and [`read`] carry it through
//! releases, [`human`] and [`html`](html()) show it, [`moved`] names what is different in another one. Its [`Fingerprints`] bind it to source,
//! policy, inputs, topology and live identities; [`journal`] tells what became of it.

mod authority;
mod certificates;
pub mod codes;
mod document;
mod draft;
mod edge;
mod finding;
mod fingerprint;
mod html;
mod human;
mod inputs;
pub mod journal;
mod latest;
mod layers;
mod moved;
mod observations;
mod observed;
mod read;

pub use crate::environment::Operation;
pub use authority::{Obstacle, authorise, hold};
pub use certificates::{CertificateUse, PresentedCertificate, SeenCertificate};
pub use document::{Fingerprints, Pinned, Plan, Revision, Unseen};
pub use draft::{Draft, Expected, draft};
pub use edge::{PlannedBackend, PlannedCertificate, PlannedEdge, PlannedHost, PlannedRoute};
pub use finding::{Finding, Grade};
pub use fingerprint::{Fingerprint, FingerprintError, FingerprintKey, KEY_BYTES, KeyedFingerprint, canonical};
pub use html::{html, html_record};
pub use human::human;
pub use latest::{Latest, file_name};
pub use layers::{Layer, LayerState, PlannedLayer};
pub use moved::{Moved, Subject, moved};
pub use observations::{
    CephObservation, ClusterObservation, DeviceObservation, HostObservation, NodeObservation, Observations,
};
pub use observed::{is_fresh, is_observed_label, is_observed_taint, judge_observations};
pub use read::{Recorded, VERSION, read, unchanged, write};
