//! Which environment is selected, and what a selection is refused for.

use pharos_core::diagnostic::Report;
use pharos_core::environment::{Given, Operation, Site, missing_inventory, select};
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

#[derive(Deserialize)]
struct Case {
    given: Given,
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let case: Case = serde_json::from_str(fixture.source().text()).unwrap();
    if fixture.what() == "inventory-missing" {
        return missing_inventory(
            "example",
            "/home/ada/.config/pharos/environments/example/inventory/hosts.yml",
            fixture.variant() == "folder",
        );
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
        ..Given::default()
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
    let names = |offline| -> Vec<&str> { Operation::DeployPlan.tools(offline).map(|tool| tool.name).collect() };
    assert_eq!(names(true), ["git", "python3", "uv"]);
    assert_eq!(names(false), ["git", "python3", "uv", "ssh", "setpriv", "prlimit", "timeout"]);
    let without_ssh = |offline: &[(&str, &str)]| {
        let absent = vec!["ssh".to_owned()];
        let variables: Vec<_> = [("ENV", "icarus-cloud")].iter().chain(offline).copied().collect();
        select(Operation::DeployPlan, &Given { absent, ..given(&variables) })
    };
    assert!(without_ssh(&[("OFFLINE", "1")]).is_ok(), "an offline plan reaches no host");
    assert!(without_ssh(&[]).is_err());
    let missed = given(&[("ENV", "icarus-cloud")]);
    assert!(select(Operation::DeployPlan, &Given { absent: vec!["kubectl".to_owned()], ..missed }).is_ok());
}

#[test]
fn a_command_ends_by_the_class_of_what_is_wrong() {
    let ends = |variables: &[(&str, &str)], absent: &[&str]| {
        let absent = absent.iter().map(|tool| (*tool).to_owned()).collect();
        refused(select(Operation::DeployPlan, &Given { absent, ..given(variables) })).exit_status()
    };
    assert_eq!(ends(&[("ENV", "example"), ("OFFLINE", "1")], &[]), 1, "a runner is refused");
    assert_eq!(ends(&[("ENV", "nowhere")], &[]), 2, "that is wrong usage");
    assert_eq!(ends(&[("ENV", "example"), ("OFFLINE", "no")], &[]), 2, "and more than a refusal");
    assert_eq!(ends(&[("ENV", "nowhere")], &["uv"]), 3, "nothing can be done without its tools");
}

#[test]
fn records_are_apart_from_private_files() {
    let selected = |state: &str| {
        select(Operation::DeployPlan, &given(&[("ENV", "icarus-cloud"), ("STATE_DIR", state), ("OFFLINE", "1")]))
    };
    for state in [
        "~/.config/pharos/environments",
        "~/.config/pharos/environments/icarus-cloud/keys",
        "~/.config/pharos/environments/other",
        "~/.config/pharos",
        "~",
    ] {
        let report = refused(selected(state));
        assert_eq!(report.diagnostics().len(), 1, "{report}");
        assert!(report.to_string().contains("the private root"), "{report}");
    }
    assert!(selected("~/.config/pharos/environments-state").is_ok());
}
