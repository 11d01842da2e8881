//! ACME lineages: what certbot keeps for a host, and what it is asked to do.
//!
//! One lineage per host, named like the host. [`decide`] compares the files under `/etc/letsencrypt` with the policy and
//! gives for each host what to do, why, and the arguments for certbot. [`CertbotRun`] reads what certbot answered, which
//! its exit code does not tell, and [`compare_served`] proves that the new certificate arrived at clients.

mod certbot;
mod conf;
mod decide;
mod served;
mod server;

pub use certbot::{AcmePolicy, CertbotRun, CertbotVersion, DEPLOY_HOOK, renewal_check};
pub use conf::RenewalConf;
pub use decide::{Action, LineageDecision, LineageFiles, Reason, ReasonKind, decide};
pub use served::compare_served;
pub use server::{AcmeServer, AcmeServerError};
