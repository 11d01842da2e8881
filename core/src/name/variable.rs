//! Names of the variables that the roles of the edge read.

use super::{NameError, codes, error::quoted, macros::text_name};
use crate::diagnostic::suggest;

/// The prefix of all of them.
const PREFIX: &str = "edge_";

/// What follows it.
const NAMES: [&str; 19] = [
    "acme_email",
    "acme_issuer",
    "acme_issuer_address",
    "acme_renewal_check",
    "acme_server",
    "acme_staging",
    "acme_webroot",
    "allow_restart",
    "catalogue_file",
    "certbot_source",
    "certificate_files",
    "certificate_mode",
    "certificate_trust",
    "development_bindings",
    "development_folder",
    "environment_file",
    "extension",
    "extension_state",
    "listen_addresses",
];

/// A variable of the roles `edge` and `edge_development`: `edge_listen_addresses`. A name that begins so and is none is a slip, and would be passed over.
///
/// ```
/// use pharos_core::name::EdgeVariable;
/// assert!("edge_acme_email".parse::<EdgeVariable>().is_ok());
/// assert!("edge_acme_emial".parse::<EdgeVariable>().unwrap_err().help.contains("`edge_acme_email`"));
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct EdgeVariable(Box<str>);

impl EdgeVariable {
    /// All of them, in the order of the alphabet.
    pub fn all() -> impl Iterator<Item = String> {
        NAMES.iter().map(|name| format!("{PREFIX}{name}"))
    }
}

impl std::str::FromStr for EdgeVariable {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let name = text.strip_prefix(PREFIX).unwrap_or(text);
        if text.starts_with(PREFIX) && NAMES.contains(&name) {
            return Ok(Self(text.into()));
        }
        // The prefix, which all have, would make any two alike.
        let help = match suggest::nearest(name, NAMES) {
            Some(near) => format!("did you mean `{PREFIX}{near}`?"),
            None => {
                format!("names that begin with `{PREFIX}` belong to the role: give a variable of your own another one")
            }
        };
        let message = format!("{} is no variable of the role `edge`, and would be passed over", quoted(text));
        Err(NameError::new(codes::EDGE_VARIABLE, message, help))
    }
}

text_name!(EdgeVariable, "edge-variable", "a variable of the role edge");

#[cfg(test)]
mod tests {
    use super::EdgeVariable;

    #[test]
    fn a_slip_is_told_from_a_stranger() {
        let help = |text: &str| text.parse::<EdgeVariable>().unwrap_err().help;
        for (text, near) in [
            ("edge_listen_adresses", "edge_listen_addresses"),
            ("edge_certifcate_mode", "edge_certificate_mode"),
            ("edge_enviroment_file", "edge_environment_file"),
            ("edge_allow_restarts", "edge_allow_restart"),
        ] {
            assert_eq!(help(text), format!("did you mean `{near}`?"));
        }
        for text in ["edge_vip_of_rack_7", "edge_", "edge"] {
            assert!(help(text).contains("another one"), "{text}: {}", help(text));
        }
        assert!(EdgeVariable::all().all(|name| name.parse::<EdgeVariable>().is_ok()));
    }

    /// The specifications of both roles have exactly these.
    #[test]
    fn the_roles_have_these_variables() {
        let edge = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/edge/meta/argument_specs.yml"));
        let development =
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/edge_development/meta/argument_specs.yml"));
        let specification = format!("{edge}{development}");
        let is_option = |line: &&str| line.starts_with("      edge_");
        let mut options: Vec<String> =
            specification.lines().filter(is_option).map(|line| line.trim().trim_end_matches(':').to_owned()).collect();
        options.sort_unstable();
        options.dedup();
        assert_eq!(options, EdgeVariable::all().collect::<Vec<_>>());
    }
}
