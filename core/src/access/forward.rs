//! A host that was to lead to the Kubernetes API, and does not.

use super::codes;
use super::host::{HostAnswer, cause, place};
use crate::diagnostic::{Diagnostic, Place, Report};

/// By way of which host an API was to be reached.
#[derive(Clone, Debug)]
pub struct Forward<'f> {
    /// The host: the primary.
    pub host: &'f str,
    /// Where the inventory asks for it.
    pub asked: Option<&'f Place>,
    /// Where the API is, as the kubeconfig has it: `HOST:PORT`.
    pub address: &'f str,
}

/// The refusal of a way that leads nowhere, by what became of its first connection.
pub fn not_led(forward: &Forward<'_>, answer: &HostAnswer<'_>) -> Report {
    let Forward { host, asked, address } = forward;
    // What sshd says of the far end comes first: ssh has reached the host then.
    let far = [
        (
            "administratively prohibited",
            "its sshd forwards nothing",
            "allow `AllowTcpForwarding local` and `PermitOpen` for this user on the host",
        ),
        (
            "Connection refused",
            "nothing listens there",
            "see that the API server runs, and that the kubeconfig names the address that it has on the host",
        ),
        (
            "Name or service not known",
            "the host knows no such name",
            "write an address into the kubeconfig that the host reaches",
        ),
        ("timed out", "no answer comes from there", "see that the host reaches that address"),
        ("No route to host", "no route leads there", "see that the host reaches that address"),
    ];
    let stopped = answer.errors.contains("open failed") || answer.errors.contains("stdio forwarding failed");
    let found = far.iter().find(|(words, ..)| stopped && answer.errors.contains(words));
    let (cause, help) = match found {
        Some((_, cause, help)) => (*cause, *help),
        None if stopped => ("its sshd opens no connection", "see what the log of sshd on the host says"),
        None => (cause(answer), "log in to it once by hand as Ansible would, with a key and without a password"),
    };
    let message = format!("host {host} does not lead to the Kubernetes API: {cause}");
    let diagnostic = Diagnostic::error(codes::NO_FORWARD, message);
    let diagnostic = match asked {
        Some(asked) => diagnostic.at((*asked).clone(), "asked for here").at(place(host), format!("to {address}")),
        None => diagnostic.at(place(host), format!("to {address}")),
    };
    diagnostic.help(format!("{help}; where the API is reached from here, leave `pharos_api_access` out")).into()
}
