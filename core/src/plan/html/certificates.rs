//! The certificates that were seen, in a report.

use maud::{Markup, html as markup};

use super::section;
use crate::certificate::Remaining;
use crate::plan::human::days;
use crate::plan::{Plan, SeenCertificate};

pub(super) fn certificates(plan: &Plan) -> Markup {
    let content = markup! {
        p.about { "Public certificates on the administration machine, and what the API server presents." }
        div.scroll {
            table {
                thead { tr { @for heading in ["What", "Left", "Ends", "Subject", "Issuer"] { th scope="col" { (heading) } } } }
                tbody { @for seen in &plan.certificates { (row(plan, seen)) } }
            }
        }
    };
    section("certificates", "Certificates", &content)
}

fn row(plan: &Plan, seen: &SeenCertificate) -> Markup {
    let class = match seen.remaining(plan.at) {
        Remaining::Nothing | Remaining::NotYet => "bad",
        Remaining::RenewalDue => "warn",
        Remaining::Enough => "good",
    };
    markup! {
        tr {
            th scope="row" { (seen.r#use.words()) }
            td {
                span class=(format!("pill {class}")) { (days(seen, plan.at)) }
                // An attribute and not a style: the report's policy admits no style of its elements.
                svg class=(format!("bar {class}")) viewBox="0 0 100 5" preserveAspectRatio="none" aria-hidden="true" {
                    rect width=(seen.percent_left(plan.at)) height="5" {}
                }
            }
            td { time datetime=(seen.not_after.to_string()) { (seen.not_after.to_string()) } }
            td { (seen.subject) }
            td { (seen.issuer) }
        }
    }
}
