//! Which environment is selected, and what a selection is refused for.

use pharos_core::diagnostic::Report;
use pharos_core::environment::{Given, Operation, Site, missing_inventory, missing_tools, select};
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
struct Case {
    given: Given,
    /// Tools that are not installed.
    #[serde(default)]
    absent: Vec<String>,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    if fixture.what() == "tool" {
        return missing_tools(Operation::DeployPlan, &case.absent);
    }
    if fixture.what() == "inventory-missing" {
        return missing_inventory("example", "/home/ada/.config/pharos/environments/example/inventory/hosts.yml");
    }
    refused(select(Operation::DeployPlan, &case.given))
}

fn given(variables: &[(&str, &str)]) -> Given {
    Given {
        variables: variables.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect(),
        environments: vec!["example".to_owned(), "icarus-cloud".to_owned()],
        runners: vec!["example".to_owned()],
        home: "/home/ada".to_owned(),
        directory: "/home/ada/pharos".to_owned(),
    }
}

fn site(variables: &[(&str, &str)]) -> Site {
    select(Operation::DeployPlan, &given(variables)).unwrap()
}

#[test]
fn an_environment_has_its_own_private_paths() {
    let site = site(&[("ENV", "icarus-cloud"), ("OFFLINE", "1"), ("TARGET", ""), ("DEPLOY_RUNNER", "")]);
    assert_eq!((site.environment.as_str(), site.offline), ("icarus-cloud", true));
    assert_eq!(site.policy, "environments/icarus-cloud/policy.yaml");
    assert_eq!(site.paths.private_root, "/home/ada/.config/pharos/environments");
    assert_eq!(site.paths.inventory, "/home/ada/.config/pharos/environments/icarus-cloud/inventory/hosts.yml");
    assert_eq!(site.paths.kubeconfig, "/home/ada/.config/pharos/environments/icarus-cloud/admin/kubeconfig");
    assert_eq!(site.paths.keys, "/home/ada/.config/pharos/environments/icarus-cloud/keys");
    assert_eq!(site.paths.state, "/home/ada/.local/state/pharos/deployments/icarus-cloud");
}

#[test]
fn each_path_is_selected_by_itself() {
    let site = site(&[
        ("ENV", "icarus-cloud"),
        ("OFFLINE", "1"),
        ("PHAROS_PRIVATE_ROOT", "/private//root/"),
        ("INVENTORY", "~/ntua/./hosts.yml"),
        ("STATE_DIR", "state"),
    ]);
    assert_eq!(site.paths.private_root, "/private/root");
    assert_eq!(site.paths.inventory, "/home/ada/ntua/hosts.yml");
    assert_eq!(site.paths.kubeconfig, "/private/root/icarus-cloud/admin/kubeconfig");
    assert_eq!(site.paths.state, "/home/ada/pharos/state");
    assert_eq!(site.paths.keys, "/private/root/icarus-cloud/keys");
}

#[test]
fn a_runner_of_another_environment_is_not_in_the_way() {
    assert!(select(Operation::DeployPlan, &given(&[("ENV", "icarus-cloud"), ("OFFLINE", "1")])).is_ok());
    assert!(!site(&[("ENV", "icarus-cloud")]).offline);
    assert!(select(Operation::DeployPlan, &given(&[("ENV", "example"), ("OFFLINE", "1")])).is_err());
}

#[test]
fn only_tools_of_the_operation_are_missed() {
    let names: Vec<&str> = Operation::DeployPlan.tools().iter().map(|tool| tool.name).collect();
    assert_eq!(names, ["git", "python3", "uv"]);
    assert!(missing_tools(Operation::DeployPlan, &["kubectl".to_owned()]).is_empty());
}
