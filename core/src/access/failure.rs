//! What stopped a reader of the Kubernetes API.

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};

/// What stopped it, as the program that read says it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Failure {
    /// The kubeconfig names a certificate, a key or a file that cannot be used.
    Credentials,
    /// The program that gives credentials failed or took too long. What it said is not kept: it may be a credential.
    Plugin,
    /// The program that gives credentials is not on this machine, or may not be executed.
    NoPlugin {
        /// Its name, as the kubeconfig has it and as it was allowed.
        program: String,
    },
    /// No connection came about, or it broke.
    Connection {
        /// What the system or TLS said.
        cause: String,
    },
    /// No answer in time.
    Timeout {
        /// The seconds that were waited.
        seconds: u64,
    },
    /// The API server has too much to do, and asked to come back later until it was no longer waited.
    Throttled {
        /// How often it was asked.
        asked: u32,
        /// The seconds that it asked to wait at last.
        seconds: u64,
    },
    /// The API answered with a status that is none of success.
    Status {
        /// The HTTP status.
        status: u16,
        /// What the API said.
        message: String,
    },
    /// The API answered something that is not what was asked for.
    Shape {
        /// What does not fit, without the answer's text.
        cause: String,
    },
}

impl Failure {
    /// The report of a request that failed. `kubeconfig` is the file it was made with, `server` where it was sent, `request` what was
    /// asked for: `GET /version`.
    pub fn refusal(&self, kubeconfig: &str, server: &str, request: &str) -> Report {
        let at = |diagnostic: Diagnostic| diagnostic.at(Place::named(kubeconfig), format!("{server}, {request}"));
        let (diagnostic, help) = match self {
            Self::Credentials => (
                Diagnostic::error(codes::KUBECONFIG, "a certificate, a key or a file that it names cannot be used"),
                "`kubectl --kubeconfig FILE get --raw /version` shows what is wrong with it",
            ),
            Self::Plugin => (
                Diagnostic::error(
                    codes::EXEC_FAILED,
                    "the program that gives the user's credentials failed, or took too long",
                ),
                "run it as `exec` in the kubeconfig says, and see what it answers",
            ),
            Self::NoPlugin { program } => (
                Diagnostic::error(
                    codes::EXEC_FAILED,
                    format!("the program `{}` that gives the user's credentials is not there", tame(program)),
                ),
                "install it where PATH leads, or name it by its whole path in the kubeconfig and in \
                 PHAROS_KUBECONFIG_PLUGIN; it must be executable",
            ),
            Self::Connection { cause } => (
                Diagnostic::error(codes::UNREACHABLE, format!("the API cannot be reached: {}", tame(cause))),
                "see that the API server runs and is reached from here; where it is not, set `pharos_api_access: ssh` on the primary",
            ),
            Self::Timeout { seconds } => (
                Diagnostic::error(codes::UNREACHABLE, format!("the API did not answer within {seconds} s")),
                "see that the API server runs and is reached from here; where it is not, set `pharos_api_access: ssh` on the primary",
            ),
            Self::Throttled { asked, seconds } => (
                Diagnostic::error(
                    codes::ANSWER,
                    format!(
                        "the API server asks to come back after {seconds} s (429), and was asked {}",
                        if *asked == 1 { "once".to_owned() } else { format!("{asked} times") }
                    ),
                ),
                "plan again when it has less to do; `kubectl get flowschemas` shows whose requests it holds back",
            ),
            Self::Status { status: status @ (401 | 403), message } => (
                Diagnostic::error(codes::DENIED, format!("the API refuses this ({status}): {}", tame(message))),
                "use the administrator's kubeconfig, or let its user get and list nodes, namespaces and cephclusters.ceph.rook.io",
            ),
            Self::Status { status, message } => (
                Diagnostic::error(codes::ANSWER, format!("the API answers {status}: {}", tame(message))),
                "see what the API server's log says about it",
            ),
            Self::Shape { cause } => (
                Diagnostic::error(codes::ANSWER, format!("the API's answer has another shape: {}", tame(cause))),
                "see that the address is that of a Kubernetes API",
            ),
        };
        at(diagnostic).help(help).into()
    }
}

/// The refusal of a site with more than one Ceph cluster; `names` are those of their objects, as `namespace/name`.
pub fn several_ceph_clusters(kubeconfig: &str, names: &[String]) -> Report {
    let shown: Vec<String> = names.iter().map(|name| tame(name)).collect();
    Diagnostic::error(
        codes::SEVERAL_CEPH_CLUSTERS,
        format!("the cluster has more than one Ceph cluster: {}", shown.join(", ")),
    )
    .at(Place::named(kubeconfig), "")
    .help("one site has one Ceph cluster; take the others away, or look at what made them")
    .into()
}

/// Words of another program: one line, no control characters, not too long.
fn tame(words: &str) -> String {
    const LONGEST: usize = 300;
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).take(LONGEST).collect();
    words.trim().to_owned()
}
