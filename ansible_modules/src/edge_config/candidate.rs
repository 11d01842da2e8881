//! Tests of states that the live tree does not have yet.

use std::path::Path;

use pharos_core::diagnostic::Report;
use pharos_core::edge::install::{Listener, Step, TestOutput, WELCOME_SITE};

use crate::host::program;

const SCRIPT: &str = include_str!("candidate.sh");
/// Where the packages' nginx keeps its process id. Its test creates the file.
const PID_FILE: &str = "/run/nginx.pid";

/// What nginx's own test says of the tree as it is, and after each step that changes it, in order.
pub(super) struct Tested {
    pub(super) before: TestOutput,
    pub(super) after: Vec<TestOutput>,
}

/// Applies the steps that change the tree to a full copy of it, and has nginx test the copy after each.
pub(super) fn test(listener: Listener, steps: &[Step]) -> Result<Tested, Report> {
    let mut text = "";
    let changes: Vec<String> = steps
        .iter()
        .filter_map(|step| match step {
            Step::RetireWelcome => Some(format!("remove:{WELCOME_SITE}")),
            Step::Remove => Some(format!("remove:{}", listener.file())),
            Step::Write(candidate) => {
                text = candidate;
                Some(format!("write:{}", listener.file()))
            }
            _ => None,
        })
        .collect();
    let mut arguments = vec!["--mount", "--propagation", "private", "--", "sh", "-c", SCRIPT, "candidate"];
    arguments.extend(changes.iter().map(String::as_str));
    let had_pid_file = Path::new(PID_FILE).exists();
    let said = program::run_with("unshare", &arguments, text.as_bytes())?;
    if !had_pid_file && std::fs::metadata(PID_FILE).is_ok_and(|file| file.len() == 0) {
        // Nobody misses an empty one.
        let _ = std::fs::remove_file(PID_FILE);
    }
    let mut outputs = outputs(&said.stdout).into_iter();
    match outputs.next() {
        Some(before) if said.ok && outputs.len() == changes.len() => Ok(Tested { before, after: outputs.collect() }),
        _ => Err(program::failed("unshare", &said)),
    }
}

/// What nginx's test says of the live tree.
pub(super) fn test_live() -> Result<TestOutput, Report> {
    let said = program::run("nginx", &["-t"])?;
    Ok(TestOutput { passed: said.ok, text: said.stderr })
}

fn outputs(text: &str) -> Vec<TestOutput> {
    let mut outputs = Vec::new();
    let mut current = String::new();
    for line in text.split_inclusive('\n') {
        match line.trim_end() {
            "= passed" => outputs.push(TestOutput { passed: true, text: std::mem::take(&mut current) }),
            "= failed" => outputs.push(TestOutput { passed: false, text: std::mem::take(&mut current) }),
            _ => current.push_str(line),
        }
    }
    outputs
}

#[cfg(test)]
mod tests {
    use super::outputs;

    #[test]
    fn the_words_of_each_test_are_kept_apart() {
        let found = outputs("nginx: a\n= passed\nnginx: b\nnginx: c\n= failed\n");
        let shown: Vec<_> = found.iter().map(|output| (output.passed, output.text.as_str())).collect();
        assert_eq!(shown, [(true, "nginx: a\n"), (false, "nginx: b\nnginx: c\n")]);
    }
}
