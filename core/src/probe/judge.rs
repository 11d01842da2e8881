//! What an answer shows.

use super::{Expected, Manner, Outcome, Question, codes};
use crate::diagnostic::{Code, Diagnostic, Place};

/// The gRPC status of a service that does not answer (`UNAVAILABLE`).
const GRPC_UNAVAILABLE: u32 = 14;

/// Who gave an answer.
enum Origin {
    /// The backend.
    Backend,
    /// The edge or the gateway, which refused to pass the request on.
    Refusal,
    /// The edge or the gateway, for another reason.
    Chain(Code, &'static str, &'static str),
}

/// What is wrong with an answer; none if it shows what is expected.
pub fn judge(question: &Question, outcome: &Outcome) -> Option<Diagnostic> {
    let route = &question.route;
    let finding = |code: Code, message: String, label: String, help: &str| {
        Some(Diagnostic::error(code, message).at(Place::named(&question.url()), label).help(help))
    };
    let (status, backend, grpc) = match outcome {
        Outcome::Answer { status, backend, grpc } => (*status, *backend, *grpc),
        Outcome::NoAnswer(why) => {
            return finding(codes::NO_ANSWER, format!("route `{route}` gives no answer"), tame(why), remedy(why));
        }
    };
    match (origin(question, status, backend, grpc), question.expected) {
        (Origin::Backend, Expected::Backend | Expected::Either)
        | (Origin::Refusal, Expected::Refusal | Expected::Either) => None,
        (Origin::Backend, Expected::Refusal) => finding(
            codes::OPEN,
            format!("management route `{route}` answers from outside its networks"),
            outcome.to_string(),
            "take this edge off the network, then see `pharos route explain` for the rule that lets it through",
        ),
        (Origin::Refusal, Expected::Backend) => finding(
            codes::REFUSED,
            format!("route `{route}` refuses"),
            outcome.to_string(),
            "a policy in front of the backend admits less than the catalogue says: `pharos route explain` names it",
        ),
        (Origin::Chain(code, what, help), _) => {
            finding(code, format!("route `{route}`: {what}"), outcome.to_string(), help)
        }
    }
}

/// What helps where nobody answers, by the words of the system and of TLS.
fn remedy(why: &str) -> &'static str {
    let why = why.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if has(&["certificate", "self-signed", "self signed"]) {
        "name the authorities of the edge's certificate with `--trust`, or see what it serves with `pharos certificate check`"
    } else if has(&["lookup", "dns", "name or service"]) {
        "see that the name is in DNS, or ask the edge by `--address`"
    } else if has(&["refused", "reset"]) {
        "see that nginx runs where the name leads to, or ask another edge by `--address`"
    } else {
        "see that the name leads to the edge (`--address` asks one whatever it leads to), and that nginx runs there"
    }
}

fn origin(question: &Question, status: u16, backend: bool, grpc: Option<u32>) -> Origin {
    match status {
        421 => Origin::Chain(
            codes::NOT_SERVED,
            "the edge does not serve this name",
            "install the edge with the present policy: `playbooks/edge-distributed.yml`",
        ),
        200 if question.manner == Manner::Grpc && grpc == Some(GRPC_UNAVAILABLE) && !backend => unreached(),
        _ if backend => Origin::Backend,
        403 => Origin::Refusal,
        404 => Origin::Chain(
            codes::NO_ROUTE,
            "the gateway has no route for it",
            "apply the gateway's routes of the present policy; the edge alone does not make a route",
        ),
        500 | 502..=504 => unreached(),
        501 | 505.. => Origin::Chain(
            codes::FAILED,
            "the edge or the gateway itself fails",
            "their error logs say why; a backend did not give this answer",
        ),
        _ => Origin::Backend,
    }
}

fn unreached() -> Origin {
    Origin::Chain(
        codes::BACKEND_UNREACHED,
        "its backend is not reached",
        "see that the Service has endpoints, that a NetworkPolicy admits the gateway, and, behind HTTPS, that the trust of its \
         certificate is published for the gateway",
    )
}

/// A text of the network's, on one line.
fn tame(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
