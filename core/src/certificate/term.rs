//! The time of a certificate by itself, where no path is verified: trust that somebody is configured with, a client's own certificate.

use super::instant::{DAY, span};
use super::{CertificateSummary, Remaining, UnixTime, codes};
use crate::diagnostic::{Diagnostic, Place};

/// From when to when a certificate is valid, and whether it is an authority's.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Term {
    /// Start of validity.
    pub not_before: UnixTime,
    /// End of validity.
    pub not_after: UnixTime,
    /// Whether it is an authority's: its owner needs longer to replace it than a program needs for another one.
    pub authority: bool,
}

impl Term {
    /// The term of a certificate.
    pub const fn of(certificate: &CertificateSummary) -> Self {
        let CertificateSummary { not_before, not_after, authority, .. } = certificate;
        Self { not_before: *not_before, not_after: *not_after, authority: *authority }
    }

    /// Whole days that are left, rounded down: negative after the end.
    pub fn days_left(self, at: UnixTime) -> i64 {
        self.not_after.since(at).div_euclid(DAY)
    }

    /// How much is left: of an authority's certificate less than a tenth is little, of another one what
    /// [`Remaining::grade`] says.
    pub fn remaining(self, at: UnixTime) -> Remaining {
        match Remaining::grade(self.not_before, self.not_after, at) {
            Remaining::RenewalDue if self.authority && self.not_after.since(at) >= self.lifetime() / 10 => {
                Remaining::Enough
            }
            remaining => remaining,
        }
    }

    fn lifetime(self) -> i64 {
        self.not_after.since(self.not_before)
    }

    /// The finding on its time, if there is one. `what` is what a message calls the certificate, and `help` says how it is replaced.
    /// `certificate/expired` and `certificate/not-yet-valid` are refusals, `certificate/expires-soon` and
    /// `certificate/issuer-expires-soon` warnings.
    pub fn judge(self, what: &str, place: Place, help: &str, at: UnixTime) -> Option<Diagnostic> {
        let left = span(self.not_after.since(at));
        let diagnostic = match self.remaining(at) {
            Remaining::Enough => return None,
            Remaining::Nothing => {
                let message = format!("{what} expired {left} ago, on {}", self.not_after);
                Diagnostic::error(codes::EXPIRED, message)
            }
            Remaining::NotYet => {
                let until = span(self.not_before.since(at));
                let message = format!("{what} is valid only in {until}, from {}", self.not_before);
                Diagnostic::error(codes::NOT_YET_VALID, message)
            }
            Remaining::RenewalDue => {
                let code = if self.authority { codes::ISSUER_EXPIRES_SOON } else { codes::EXPIRES_SOON };
                Diagnostic::warning(code, format!("{what} ends in {left}, on {}", self.not_after))
            }
        };
        Some(diagnostic.at(place, format!("valid for {}", span(self.lifetime()))).help(help))
    }
}

#[cfg(test)]
mod tests {
    use super::{DAY, Remaining, Term, UnixTime};

    #[test]
    fn an_authority_has_little_left_at_a_tenth_and_another_one_at_a_third() {
        let remaining = |authority: bool, left: i64| {
            let term = Term { not_before: UnixTime::new(0), not_after: UnixTime::new(100 * DAY), authority };
            assert_eq!(term.days_left(UnixTime::new((100 - left) * DAY)), left);
            term.remaining(UnixTime::new((100 - left) * DAY))
        };
        assert_eq!(
            [34, 33, 0].map(|left| remaining(false, left)),
            [Remaining::Enough, Remaining::RenewalDue, Remaining::Nothing]
        );
        assert_eq!(
            [10, 9, -1, 101].map(|left| remaining(true, left)),
            [Remaining::Enough, Remaining::RenewalDue, Remaining::Nothing, Remaining::NotYet]
        );
    }
}
