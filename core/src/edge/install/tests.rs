//! Every starting state, every failing step and every place where a run may be killed, on a model of a host.

use super::{Goal, Listener, Marker, Plan, Situation, Stage, Step, aftermath, plan};
use crate::edge::inspect::{BoundSocket, Endpoint, RestartReason, Transport};

const TARGET: &str = "/etc/nginx/sites-available/default";

/// What a host is, as far as the transaction touches it.
#[derive(Clone, Debug, Eq, PartialEq)]
struct Host {
    file: Option<String>,
    welcome: bool,
    marker: Option<Marker>,
    running: bool,
    enabled: bool,
    /// What the running nginx has read.
    loaded: Option<(Option<String>, bool)>,
}

impl Host {
    fn new(file: Option<&str>, welcome: bool, running: bool, enabled: bool) -> Self {
        let file = file.map(str::to_owned);
        let loaded = running.then(|| (file.clone(), welcome));
        Self { file, welcome, marker: None, running, enabled, loaded }
    }

    /// nginx's test: our port-80 file and the welcome site both want to be the default server.
    fn passes(&self) -> bool {
        !(self.file.is_some() && self.welcome)
    }

    fn situation(&self) -> Situation {
        Situation {
            live: self.file.clone(),
            marker: self.marker.clone(),
            welcome: self.welcome.then(|| TARGET.to_owned()),
            running: self.running,
            enabled: self.enabled,
            served: self.loaded == Some((self.file.clone(), self.welcome)),
            restart: Vec::new(),
        }
    }

    fn perform(&mut self, step: &Step) {
        match step {
            Step::Mark(marker) => self.marker = Some(marker.clone()),
            Step::RetireWelcome => self.welcome = false,
            Step::PutBackWelcome { target } => {
                assert_eq!(target, TARGET);
                self.welcome = true;
            }
            Step::Write(text) => self.file = Some(text.clone()),
            Step::Remove => self.file = None,
            Step::Enable => self.enabled = true,
            Step::Disable => self.enabled = false,
            Step::Reload | Step::Start | Step::Restart => {
                assert!(self.running || !matches!(step, Step::Reload), "a stopped nginx cannot be reloaded");
                self.running = true;
                self.loaded = Some((self.file.clone(), self.welcome));
            }
            Step::Stop => {
                self.running = false;
                self.loaded = None;
            }
            Step::Clear => self.marker = None,
            Step::Test | Step::Prove | Step::Settle => {}
        }
        assert!(self.passes(), "{step:?} leaves a tree that nginx refuses: {self:?}");
    }

    fn perform_all(&mut self, steps: &[Step]) {
        for step in steps {
            self.perform(step);
        }
    }

    /// One whole run.
    fn run(&mut self, goal: &Goal) -> Plan {
        let plan = plan(goal, &self.situation()).unwrap();
        self.perform_all(&plan.steps);
        plan
    }

    /// What a run leads to: the goal, served by a running nginx that comes back at boot, and no marker.
    fn assert_reached(&self, goal: &Goal) {
        assert_eq!((&self.file, &self.marker), (&goal.text, &None));
        if goal.text.is_some() {
            assert!(self.running && self.enabled && !self.welcome, "{self:?}");
        }
        assert!(!self.running || self.loaded == Some((self.file.clone(), self.welcome)), "{self:?}");
        assert!(plan(goal, &self.situation()).unwrap().is_empty(), "a second run has nothing to do: {self:?}");
    }
}

fn goal(text: Option<&str>) -> Goal {
    Goal {
        listener: Listener::Http,
        text: text.map(str::to_owned),
        allow_restart: false,
        retire_welcome: text.is_some(),
    }
}

fn starting_states() -> Vec<Host> {
    let mut states = Vec::new();
    for (file, welcome) in [(None, true), (None, false), (Some("old"), false), (Some("new"), false)] {
        for (running, enabled) in [(true, true), (true, false), (false, true), (false, false)] {
            states.push(Host::new(file, welcome, running, enabled));
        }
    }
    states
}

fn goals() -> [Goal; 2] {
    [goal(Some("new")), goal(None)]
}

#[test]
fn every_starting_state_leads_to_the_goal() {
    for state in starting_states() {
        for goal in goals() {
            let mut host = state.clone();
            host.run(&goal);
            host.assert_reached(&goal);
        }
    }
}

#[test]
fn a_run_that_is_killed_after_any_step_is_completed_by_the_next() {
    for state in starting_states() {
        for goal in goals() {
            let steps = plan(&goal, &state.situation()).unwrap().steps;
            for killed in 1..=steps.len() {
                let mut host = state.clone();
                host.perform_all(&steps[..killed]);
                host.run(&goal);
                host.assert_reached(&goal);
            }
        }
    }
}

#[test]
fn a_killed_run_with_a_boot_after_it_is_completed_too() {
    for state in starting_states() {
        let goal = goal(Some("new"));
        let steps = plan(&goal, &state.situation()).unwrap().steps;
        for killed in 1..=steps.len() {
            let mut host = state.clone();
            host.perform_all(&steps[..killed]);
            host.running = host.enabled;
            host.loaded = host.running.then(|| (host.file.clone(), host.welcome));
            host.run(&goal);
            host.assert_reached(&goal);
        }
    }
}

#[test]
fn a_step_that_fails_is_undone_or_its_reload_stays_pending() {
    for state in starting_states() {
        for goal in goals() {
            let plan = plan(&goal, &state.situation()).unwrap();
            for (failed, step) in plan.steps.iter().enumerate().filter(|_| plan.marker.is_some()) {
                let mut host = state.clone();
                host.perform_all(&plan.steps[..failed]);
                if *step == Step::Start {
                    host.running = false;
                }
                let after = aftermath(&plan, failed);
                host.perform_all(&after.steps);
                if after.pending {
                    assert!(after.steps.is_empty());
                    assert_eq!(host.file, goal.text, "the validated file stays");
                } else {
                    assert_eq!(host, state, "{step:?} failed");
                }
                host.run(&goal);
                host.assert_reached(&goal);
            }
        }
    }
}

#[test]
fn an_undo_that_is_killed_is_completed_by_the_next_run() {
    for state in starting_states() {
        let goal = goal(Some("new"));
        let plan = plan(&goal, &state.situation()).unwrap();
        for failed in 0..plan.steps.len() {
            let after = aftermath(&plan, failed);
            for killed in 0..=after.steps.len() {
                let mut host = state.clone();
                host.perform_all(&plan.steps[..failed]);
                host.perform_all(&after.steps[..killed]);
                host.run(&goal);
                host.assert_reached(&goal);
            }
        }
    }
}

#[test]
fn a_completion_that_fails_restores_what_was_last_proven() {
    let first = Host::new(None, true, true, true);
    let goal = goal(Some("new"));
    let steps = plan(&goal, &first.situation()).unwrap().steps;
    for killed in 1..steps.len() {
        let mut host = first.clone();
        host.perform_all(&steps[..killed]);
        let second = plan(&goal, &host.situation()).unwrap();
        let failed = second.steps.iter().position(|step| *step == Step::Prove).unwrap();
        host.perform_all(&second.steps[..failed]);
        host.perform_all(&aftermath(&second, failed).steps);
        assert_eq!(host, first, "killed after {killed} steps, then not proven");
    }
}

#[test]
fn a_first_installation_retires_the_welcome_link_first_and_an_undo_puts_it_back_last() {
    let plan = plan(&goal(Some("new")), &Host::new(None, true, true, true).situation()).unwrap();
    assert_eq!(plan.words(), ["mark", "retire_welcome", "write", "test", "mark", "reload", "prove", "clear"]);
    let words: Vec<_> = aftermath(&plan, 6).steps.iter().map(Step::word).collect();
    assert_eq!(words, ["remove", "put_back_welcome", "reload", "settle", "clear"]);
}

#[test]
fn the_https_transaction_retires_the_welcome_link_where_it_is_asked_to() {
    let goal = Goal { listener: Listener::Https, retire_welcome: false, ..goal(Some("new")) };
    let situation =
        Situation { welcome: Some(TARGET.to_owned()), running: true, enabled: true, ..Situation::default() };
    let left = plan(&goal, &situation).unwrap();
    assert_eq!(left.words(), ["mark", "write", "test", "mark", "reload", "prove", "clear"]);
    // a development box: the file is as it should be, and the link alone is to go
    let goal = Goal { retire_welcome: true, ..goal };
    let retired = plan(&goal, &Situation { live: goal.text.clone(), served: true, ..situation }).unwrap();
    assert_eq!(retired.words(), ["mark", "retire_welcome", "test", "mark", "reload", "prove", "clear"]);
}

#[test]
fn a_pending_reload_is_all_that_is_left_to_do() {
    let mut host = Host::new(Some("old"), false, true, true);
    let goal = goal(Some("new"));
    let steps = plan(&goal, &host.situation()).unwrap().steps;
    let reload = steps.iter().position(|step| *step == Step::Reload).unwrap();
    host.perform_all(&steps[..reload]);
    assert_eq!(host.marker.as_ref().unwrap().stage, Stage::Validated);
    let plan = plan(&goal, &host.situation()).unwrap();
    assert!(plan.resumes && plan.only_completes());
    assert_eq!(plan.words(), ["reload", "prove", "clear"]);
}

#[test]
fn a_pending_reload_with_another_goal_keeps_the_proven_restore_point() {
    let mut host = Host::new(Some("old"), false, true, true);
    let first = plan(&goal(Some("new")), &host.situation()).unwrap().steps;
    host.perform_all(&first[..4]);
    let plan = plan(&goal(Some("newer")), &host.situation()).unwrap();
    assert!(plan.resumes && !plan.only_completes());
    assert_eq!(plan.words(), ["mark", "write", "test", "mark", "reload", "prove", "clear"]);
    assert_eq!(plan.marker.unwrap().previous.as_deref(), Some("old"));
}

#[test]
fn a_certificate_that_changed_is_a_reload_that_cannot_be_undone() {
    let situation = Situation { served: false, ..Host::new(Some("new"), false, true, true).situation() };
    let plan = plan(&goal(Some("new")), &situation).unwrap();
    assert_eq!(plan.words(), ["test", "mark", "reload", "prove", "clear"]);
    let after = aftermath(&plan, 3);
    assert!(after.pending && after.steps.is_empty());
}

#[test]
fn a_restart_is_made_only_where_it_is_allowed() {
    let socket = |endpoint| BoundSocket { endpoint, transport: Transport::Tcp, ipv6only: true, reuseport: false };
    let old = socket(Endpoint::any_v4(443));
    let new = socket(Endpoint::Ip("192.0.2.1:443".parse().unwrap()));
    let restart = vec![RestartReason::Occupied { new, old }];
    let mut situation = Situation { restart, ..Host::new(Some("old"), false, true, true).situation() };
    let report = plan(&goal(Some("new")), &situation).unwrap_err();
    assert_eq!(report.diagnostics()[0].code.name(), "edge/restart-needed");
    assert!(report.to_string().contains("`192.0.2.1:443` cannot be opened while `0.0.0.0:443` is open"), "{report}");
    let allowed = Goal { allow_restart: true, ..goal(Some("new")) };
    let plan_with = plan(&allowed, &situation).unwrap();
    assert!(plan_with.steps.contains(&Step::Restart) && !plan_with.steps.contains(&Step::Reload));
    let failed = plan_with.steps.iter().position(|step| *step == Step::Restart).unwrap();
    let words: Vec<_> = aftermath(&plan_with, failed).steps.iter().map(Step::word).collect();
    assert_eq!(words, ["write", "restart", "settle", "clear"], "what was served is served again");
    situation.running = false;
    assert!(plan(&goal(Some("new")), &situation).unwrap().steps.contains(&Step::Start), "a start is no restart");
}
