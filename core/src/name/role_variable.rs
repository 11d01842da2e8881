//! Names of the variables that the roles of the cluster read.

use super::{NameError, codes, error::quoted, macros::text_name};
use crate::diagnostic::suggest;

/// A role: the prefix of its variables, and what follows it.
struct Role {
    name: &'static str,
    prefix: &'static str,
    variables: &'static [&'static str],
}

/// The roles, by name.
const ROLES: [Role; 4] = [
    Role {
        name: "gateway_routes",
        prefix: "gateway_routes_",
        variables: &["catalogue_file", "chart", "helm", "kubeconfig", "policy_file", "stages_done", "timeout"],
    },
    Role { name: "helm_release", prefix: "helm_release_", variables: &["kubeconfig", "program", "wanted"] },
    Role {
        name: "mesh",
        prefix: "mesh_",
        variables: &[
            "catalogue_file",
            "charts",
            "containerd_configurations",
            "helm",
            "images",
            "kubeconfig",
            // What the role keeps of a node, for the plays that follow.
            "node",
            "nodes",
            "policy_file",
            "timeout",
        ],
    },
    Role { name: "site_trust", prefix: "site_trust_", variables: &["catalogue_file", "kubeconfig", "stages_done"] },
];

/// A variable of the roles `gateway_routes`, `helm_release`, `mesh` and `site_trust`: `mesh_kubeconfig`. A name that begins as theirs and
/// is none is a slip, and would be passed over: the cluster of another kubeconfig would be changed.
///
/// ```
/// use pharos_core::name::RoleVariable;
/// assert!("mesh_kubeconfig".parse::<RoleVariable>().is_ok());
/// assert!("mesh_kubecofig".parse::<RoleVariable>().unwrap_err().help.contains("`mesh_kubeconfig`"));
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RoleVariable(Box<str>);

impl RoleVariable {
    /// All of them, in the order of the alphabet.
    pub fn all() -> impl Iterator<Item = String> {
        ROLES.iter().flat_map(|role| role.variables.iter().map(|name| format!("{}{name}", role.prefix)))
    }
}

impl std::str::FromStr for RoleVariable {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let named = ROLES.iter().find_map(|role| Some((role, text.strip_prefix(role.prefix)?)));
        let Some((role, name)) = named else {
            let prefixes: Vec<String> = ROLES.iter().map(|role| format!("`{}`", role.prefix)).collect();
            let message = format!("{} is no variable of a role", quoted(text));
            return Err(NameError::new(
                codes::ROLE_VARIABLE,
                message,
                format!("name variables that begin with one of {}", prefixes.join(", ")),
            ));
        };
        if role.variables.contains(&name) {
            return Ok(Self(text.into()));
        }
        let prefix = role.prefix;
        // The prefix, which all have, would make any two alike.
        let help = match suggest::nearest(name, role.variables.iter().copied()) {
            Some(near) => format!("did you mean `{prefix}{near}`?"),
            None => {
                format!("names that begin with `{prefix}` belong to the role: give a variable of your own another one")
            }
        };
        let message = format!("{} is no variable of the role `{}`, and would be passed over", quoted(text), role.name);
        Err(NameError::new(codes::ROLE_VARIABLE, message, help))
    }
}

text_name!(RoleVariable, "role-variable", "a variable of a role of the cluster");

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{ROLES, RoleVariable};

    #[test]
    fn a_slip_is_told_from_a_stranger() {
        let help = |text: &str| text.parse::<RoleVariable>().unwrap_err().help;
        for (text, near) in [
            ("gateway_routes_kubecofig", "gateway_routes_kubeconfig"),
            ("site_trust_kubecofig", "site_trust_kubeconfig"),
            ("mesh_kubecofig", "mesh_kubeconfig"),
            ("helm_release_kubecofig", "helm_release_kubeconfig"),
        ] {
            assert_eq!(help(text), format!("did you mean `{near}`?"));
        }
        for text in ["mesh_rack_7", "mesh_"] {
            assert!(help(text).contains("another one"), "{text}: {}", help(text));
        }
        assert!(help("mash_kubeconfig").contains("`helm_release_`"));
        assert!(RoleVariable::all().all(|name| name.parse::<RoleVariable>().is_ok()));
    }

    /// The specification of each role has exactly these, beside what a role keeps for itself.
    #[test]
    fn the_roles_have_these_variables() {
        let specifications = [
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/gateway_routes/meta/argument_specs.yml")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/helm_release/meta/argument_specs.yml")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/mesh/meta/argument_specs.yml")),
            include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../roles/site_trust/meta/argument_specs.yml")),
        ];
        for (role, specification) in ROLES.iter().zip(specifications) {
            let option = |line: &str| {
                let name = line.strip_prefix("      ")?.strip_prefix(role.prefix)?;
                Some(name.trim_end_matches(':').to_owned())
            };
            let options: BTreeSet<String> = specification.lines().filter_map(option).collect();
            let kept = |name: &&str| (role.name, *name) != ("mesh", "node");
            let named: BTreeSet<String> = role.variables.iter().copied().filter(kept).map(str::to_owned).collect();
            assert_eq!(options, named, "{}", role.name);
        }
    }
}
