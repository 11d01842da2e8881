//! Where the records of an environment are, for whoever only reads them.

use super::paths::SitePaths;
use super::select::Given;
use crate::diagnostic::{Findings, Report};
use crate::name::EnvironmentName;

/// The state directory of an environment: `STATE_DIR`, or the default below the home. Nothing is selected by it: a record can be
/// read beside any personal selection, and wherever its runner is.
///
/// # Errors
/// `environment/path`
pub fn state_directory(given: &Given, environment: &EnvironmentName) -> Result<String, Report> {
    let mut findings = Findings::new();
    let own: Given = Given {
        // What else is set is no matter of the records.
        variables: given
            .variables
            .iter()
            .filter(|(name, _)| *name == "STATE_DIR")
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect(),
        ..given.clone()
    };
    let paths = SitePaths::of(&own, environment.as_str(), &mut findings);
    findings.conclude(paths.state).map(|(state, _)| state)
}

#[cfg(test)]
mod tests {
    use super::state_directory;
    use crate::environment::Given;

    #[test]
    fn the_variable_or_the_default() {
        let given = |variables: &[(&str, &str)]| Given {
            variables: variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            home: "/h/ada".to_owned(),
            directory: "/d".to_owned(),
            ..Given::default()
        };
        let environment = "example".parse().unwrap();
        let state = |variables: &[(&str, &str)]| state_directory(&given(variables), &environment).unwrap();
        assert_eq!(state(&[("KUBECONFIG", "a:b")]), "/h/ada/.local/state/pharos/deployments/example");
        assert_eq!(state(&[("STATE_DIR", "records")]), "/d/records");
        assert!(state_directory(&given(&[("STATE_DIR", "/a/../b")]), &environment).is_err());
    }
}
