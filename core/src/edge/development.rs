//! Where an authority of the machine's own may issue what an edge serves.

use super::codes;
use crate::diagnostic::{Diagnostic, Place, Report};
use crate::policy::{EdgeEnvironment, Mode};

/// Judges whether the edge of this environment may serve the certificate of a development authority.
///
/// # Errors
/// `edge/not-development` for any but a development box.
pub fn judge_development(name: &str, environment: &EdgeEnvironment) -> Result<(), Report> {
    if environment.mode == Mode::Development {
        return Ok(());
    }
    let message =
        format!("`{}` is no development box, and its edge serves no development certificate", environment.environment);
    Err(Diagnostic::error(codes::NOT_DEVELOPMENT, message)
        .at(Place::named(name).with_key("/mode"), "")
        .help("install it with `playbooks/edge-distributed.yml`, or name the edge environment of a development box")
        .into())
}
