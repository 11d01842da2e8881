//! What a failed step is answered with.

use super::{Plan, Step};

/// The answer to a failed step.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Aftermath {
    /// The steps that put back what was there, in order.
    pub steps: Vec<Step>,
    /// Whether the validated file stays and its reload remains pending: the next run completes it.
    pub pending: bool,
}

/// What follows when the step at `failed` of the plan did not succeed and those before it did.
///
/// A reload that fails leaves the validated file and its marker. Everything else is undone in reverse: the file, then the welcome
/// link; and where nginx may have read the new files, it is made to read the old ones. Of an interrupted run that is being
/// completed, all that its marker records is put back, whichever run did it.
pub fn aftermath(plan: &Plan, failed: usize) -> Aftermath {
    let Some(marker) = &plan.marker else { return Aftermath::default() };
    let step = plan.steps.get(failed);
    let starts = plan.steps.contains(&Step::Start);
    if matches!(step, Some(Step::Reload | Step::Clear)) || (marker.restores_nothing() && !starts) {
        return Aftermath { steps: Vec::new(), pending: true };
    }
    let touched = plan.steps.get(..=failed).unwrap_or(&plan.steps);
    let touched = |wanted: fn(&Step) -> bool| plan.resumes || touched.iter().any(wanted);
    let mut steps = Vec::new();
    if marker.previous != marker.candidate && touched(|step| matches!(step, Step::Write(_) | Step::Remove)) {
        steps.push(marker.previous.clone().map_or(Step::Remove, Step::Write));
    }
    if let Some(target) = &marker.welcome
        && touched(|step| matches!(step, Step::RetireWelcome))
    {
        steps.push(Step::PutBackWelcome { target: target.clone() });
    }
    if !marker.enabled && touched(|step| matches!(step, Step::Enable)) {
        steps.push(Step::Disable);
    }
    let tried = plan.steps.get(..=failed).unwrap_or(&plan.steps).iter().find(|step| step.activates());
    match (tried, starts) {
        (Some(Step::Restart), _) => steps.extend([Step::Restart, Step::Settle]),
        (Some(_), _) if !marker.running => steps.push(Step::Stop),
        // nginx ran when the interrupted run began, and was found stopped.
        (Some(Step::Start), _) => steps.extend([Step::Restart, Step::Settle]),
        (Some(_), _) => steps.extend([Step::Reload, Step::Settle]),
        // An interrupted run may have let nginx read its files.
        (None, false) if plan.resumes && marker.running => steps.extend([Step::Reload, Step::Settle]),
        (None, false) if plan.resumes => steps.push(Step::Stop),
        (None, _) => {}
    }
    steps.push(Step::Clear);
    Aftermath { steps, pending: false }
}
