//! The program itself: one line on standard output, nothing on standard error.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn program(argument: &str, input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pharos-modules"))
        .arg(argument)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn answer(output: &Output) -> Value {
    let text = std::str::from_utf8(&output.stdout).unwrap();
    assert_eq!((text.lines().count(), output.stderr.as_slice()), (1, &b""[..]), "{output:?}");
    serde_json::from_str(text).unwrap()
}

fn request() -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(r#"{{"module": "site_info", "version": "{version}", "instant": 0, "judge": true, "arguments": {{}}}}"#)
}

#[test]
fn a_failed_task_ends_with_one() {
    for input in ["", "{", "[]", &request()] {
        let output = program("-", input.as_bytes());
        assert_eq!((output.status.code(), &answer(&output)["failed"]), (Some(1), &true.into()), "{input}");
    }
}

#[test]
fn a_request_may_lie_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("request.json");
    std::fs::write(&path, request().replace("site_info", "nothing")).unwrap();
    let output = program(path.to_str().unwrap(), b"");
    assert!(answer(&output)["msg"].as_str().unwrap().contains("there is no module `nothing`"));
    let gone = program("/nowhere/request.json", b"");
    assert!(answer(&gone)["msg"].as_str().unwrap().contains("/nowhere/request.json"));
}

#[test]
fn what_is_generated_is_written_where_it_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_pharos-modules")).arg("--generate").arg(folder.path()).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(folder.path().join("plugins/modules/site_info.py").exists());
}
