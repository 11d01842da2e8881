//! Whether certificates are valid at an instant, and for how much longer.

use super::UnixTime;
use super::codes;
use super::facts::Certificate;
use super::instant::{DAY, span};
use crate::diagnostic::{Diagnostic, Findings};

/// The longest lifetime that browsers have accepted from public authorities since September 2020.
const LONGEST: i64 = 398 * DAY;

/// Whatever its lifetime, a certificate with no more than this left is worth a warning: it is over a long weekend.
const LAST_DAYS: i64 = 3 * DAY;

/// How much of its lifetime a certificate has left at an instant.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Remaining {
    /// It is not valid yet.
    NotYet,
    /// Enough.
    Enough,
    /// Less than the share at which renewal is due: a third, or a half of lifetimes below ten days.
    RenewalDue,
    /// It is over.
    Nothing,
}

impl Remaining {
    /// Grades the interval at the instant. ACME clients renew when a third of the lifetime is left (a half if the whole is
    /// shorter than ten days), so that whoever sees less sees a renewal that did not happen.
    pub fn grade(not_before: UnixTime, not_after: UnixTime, at: UnixTime) -> Self {
        let lifetime = not_after.since(not_before);
        let due = if lifetime < 10 * DAY { lifetime / 2 } else { lifetime / 3 };
        match not_after.since(at) {
            _ if at < not_before => Self::NotYet,
            left if left <= 0 => Self::Nothing,
            left if left < due => Self::RenewalDue,
            _ => Self::Enough,
        }
    }

    fn of(certificate: &Certificate, at: UnixTime) -> Self {
        Self::grade(certificate.summary.not_before, certificate.summary.not_after, at)
    }
}

/// Judges the dates of every certificate in a path, the server's own first.
pub(super) fn check(path: &[&Certificate], at: UnixTime, findings: &mut Findings) {
    let Some((leaf, issuers)) = path.split_first() else {
        return;
    };
    dates(leaf, at, findings);
    let last_days = Remaining::of(leaf, at) == Remaining::Enough && leaf.summary.not_after.since(at) <= LAST_DAYS;
    if last_days || Remaining::of(leaf, at) == Remaining::RenewalDue {
        findings.push(leaf_ends(leaf, at));
    }
    let lifetime = leaf.summary.not_after.since(leaf.summary.not_before);
    if lifetime > LONGEST {
        let message = format!("{} is valid for {}, longer than browsers accept", leaf.title(), span(lifetime));
        findings.push(
            Diagnostic::warning(codes::LONG_LIVED, message)
                .at(leaf.place.clone(), "398 days is the most for a public authority")
                .help("have it issued for a shorter time, and renewed by a program"),
        );
    }
    for issuer in issuers {
        dates(issuer, at, findings);
        if let Some(diagnostic) = issuer_ends(issuer, leaf, at) {
            findings.push(diagnostic);
        }
    }
}

/// Errors: expired, or not valid yet.
fn dates(certificate: &Certificate, at: UnixTime, findings: &mut Findings) {
    let summary = &certificate.summary;
    let (code, message, help) = match Remaining::of(certificate, at) {
        Remaining::Nothing => (
            codes::EXPIRED,
            format!(
                "{} expired {} ago, on {}",
                certificate.title(),
                span(at.since(summary.not_after)),
                summary.not_after
            ),
            if summary.position == 1 {
                "renew it; where a program renews it, find out why it did not"
            } else {
                "replace it by the issuer's present certificate: the chain that comes with the next renewal has it"
            },
        ),
        Remaining::NotYet => (
            codes::NOT_YET_VALID,
            format!(
                "{} is valid only in {}, from {}",
                certificate.title(),
                span(summary.not_before.since(at)),
                summary.not_before
            ),
            "check the clock of this host and of the issuer, or install it when its time has come",
        ),
        Remaining::Enough | Remaining::RenewalDue => return,
    };
    findings.push(Diagnostic::error(code, message).at(certificate.place.clone(), "").help(help));
}

fn leaf_ends(leaf: &Certificate, at: UnixTime) -> Diagnostic {
    let summary = &leaf.summary;
    let left = span(summary.not_after.since(at));
    let lifetime = span(summary.not_after.since(summary.not_before));
    Diagnostic::warning(codes::EXPIRES_SOON, format!("{} ends in {left}, on {}", leaf.title(), summary.not_after))
        .at(leaf.place.clone(), format!("{left} of {lifetime} are left"))
        .help(if Remaining::of(leaf, at) == Remaining::RenewalDue {
            "renewal is due at a third of the lifetime (a half below ten days): find out why it did not happen"
        } else {
            "its whole lifetime is short: see that a program renews it at half of it, several times a week, and reloads the server"
        })
}

/// An authority is worth a warning when it ends before the server's certificate does, or has a tenth of its time left: its
/// owner needs longer to replace it than a program needs for the leaf, yet years before the end nothing is wrong.
fn issuer_ends(issuer: &Certificate, leaf: &Certificate, at: UnixTime) -> Option<Diagnostic> {
    let summary = &issuer.summary;
    let left = summary.not_after.since(at);
    if left <= 0 || at < summary.not_before {
        return None;
    }
    let why = if summary.not_after < leaf.summary.not_after {
        format!("it ends before {} does", leaf.title())
    } else if left < summary.not_after.since(summary.not_before) / 10 {
        "less than a tenth of its lifetime is left".to_owned()
    } else {
        return None;
    };
    let message = format!("the issuing {} ends in {}, on {}", issuer.title(), span(left), summary.not_after);
    Some(
        Diagnostic::warning(codes::ISSUER_EXPIRES_SOON, message)
            .at(issuer.place.clone(), why)
            .help("ask the authority for its next certificate, and renew the server's certificate under it in time"),
    )
}

#[cfg(test)]
mod tests {
    use super::{DAY, Remaining, UnixTime};

    #[test]
    fn grades_by_share() {
        let grade =
            |days: i64, at: i64| Remaining::grade(UnixTime::new(0), UnixTime::new(days * DAY), UnixTime::new(at * DAY));
        assert_eq!(grade(90, -1), Remaining::NotYet);
        assert_eq!(grade(90, 0), Remaining::Enough);
        assert_eq!(grade(90, 60), Remaining::Enough);
        assert_eq!(grade(90, 61), Remaining::RenewalDue);
        assert_eq!(grade(90, 90), Remaining::Nothing);
        assert_eq!(grade(6, 3), Remaining::Enough);
        assert_eq!(grade(6, 4), Remaining::RenewalDue);
        assert_eq!(grade(3650, 2400), Remaining::Enough);
    }
}
