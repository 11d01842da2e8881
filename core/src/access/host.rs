//! What a host answers to the one read that a plan makes of it.
//!
//! The read is a single command without a shell's words, that only opens files: nothing is made, sent or left on the host.

use std::collections::BTreeMap;

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};
use crate::plan::HostObservation;

/// Where the machine's id is.
const MACHINE_ID: &str = "/etc/machine-id";
/// What the system is.
const OS_RELEASE: &str = "/etc/os-release";
/// The kernel's release.
const KERNEL: &str = "/proc/sys/kernel/osrelease";
/// The processor, as `uname -m` names it.
const ARCHITECTURE: &str = "/proc/sys/kernel/arch";
/// The settings of containerd.
const CONTAINERD: &str = "/etc/containerd/config.toml";
/// Files that show that a cluster is on the host, whether or not they may be read.
const OCCUPIED: [&str; 3] = ["/etc/kubernetes/kubelet.conf", "/var/lib/kubelet/config.yaml", "/etc/etcd.env"];
/// Kernel parameters: their names and files.
const SYSCTLS: [(&str, &str); 2] = [
    ("fs.inotify.max_user_instances", "/proc/sys/fs/inotify/max_user_instances"),
    ("fs.inotify.max_user_watches", "/proc/sys/fs/inotify/max_user_watches"),
];

/// The command that reads a host: every line of each file, behind the file's name. No word of it means anything to a shell.
pub fn host_command() -> Vec<&'static str> {
    let files = [MACHINE_ID, OS_RELEASE, KERNEL, ARCHITECTURE, CONTAINERD].into_iter().chain(OCCUPIED);
    let files = files.chain(SYSCTLS.map(|(_, file)| file));
    ["env", "LC_ALL=C", "grep", "--with-filename", "--max-count=500", "--regexp=."].into_iter().chain(files).collect()
}

/// How the command ended on a host.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct HostAnswer<'a> {
    /// The exit status of ssh: 255 where it has not reached the host, and else that of the command; `None` if it took too long.
    pub status: Option<i32>,
    /// What it wrote.
    pub output: &'a str,
    /// What it complained about.
    pub errors: &'a str,
}

/// What a host is by its answer.
///
/// # Errors
/// `access/host-unreachable`, `access/host-answer`
pub fn read_host(name: &str, answer: &HostAnswer<'_>) -> Result<HostObservation, Report> {
    let mut files: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (file, line) in answer.output.lines().filter_map(|line| line.split_once(':')) {
        files.entry(file).or_default().push(line);
    }
    let machine_id = files.get(MACHINE_ID).and_then(|lines| lines.first()).map_or("", |line| line.trim());
    if answer.status.is_none_or(|status| status == 255) {
        return Err(unreachable(name, answer));
    }
    if machine_id.len() != 32 || !machine_id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Diagnostic::error(codes::HOST_ANSWER, format!("host {name} does not state its machine id"))
            .at(place(name), MACHINE_ID)
            .help(
                "log in as this user and see that `cat /etc/machine-id` answers 32 hexadecimal digits and nothing else",
            )
            .into());
    }
    let first =
        |file: &str| files.get(file).and_then(|lines| lines.first()).map_or_else(String::new, |line| tame(line));
    let refused = |file: &str| answer.errors.lines().any(|line| line == format!("grep: {file}: Permission denied"));
    let sysctls = SYSCTLS.iter().filter_map(|(name, file)| Some(((*name).to_owned(), first(file).parse().ok()?)));
    Ok(HostObservation {
        machine_id: machine_id.to_owned(),
        os: files.get(OS_RELEASE).map(|lines| setting(lines, "PRETTY_NAME")).unwrap_or_default(),
        kernel: first(KERNEL),
        architecture: first(ARCHITECTURE),
        sysctls: sysctls.collect(),
        cni_binaries: files.get(CONTAINERD).map(|lines| cni_binaries(lines)).filter(|path| !path.is_empty()),
        occupied: OCCUPIED.iter().any(|file| files.contains_key(file) || refused(file)),
        devices: BTreeMap::new(),
    })
}

/// What all hosts answered, and one report of every host that did not.
pub fn read_hosts<'a>(
    answers: impl IntoIterator<Item = (&'a str, HostAnswer<'a>)>,
) -> (BTreeMap<String, HostObservation>, Report) {
    let mut findings = Findings::new();
    let mut hosts = BTreeMap::new();
    for (name, answer) in answers {
        match read_host(name, &answer) {
            Ok(host) => {
                hosts.insert(name.to_owned(), host);
            }
            Err(report) => findings.extend(report),
        }
    }
    (hosts, findings.into_report())
}

pub(super) fn place(name: &str) -> Place {
    Place::named(&format!("host {name}"))
}

/// ssh's own words are not shown: they name users, key files and jump hosts, which are private.
pub(super) fn unreachable(name: &str, answer: &HostAnswer<'_>) -> Report {
    let cause = cause(answer);
    Diagnostic::error(codes::HOST_UNREACHABLE, format!("host {name} cannot be read over ssh: {cause}"))
        .at(place(name), "")
        .help("log in once by hand as Ansible would, with a key and without a password; nothing is asked here")
        .into()
}

/// Why ssh has not reached a host, in words of our own.
pub(super) fn cause(answer: &HostAnswer<'_>) -> &'static str {
    let causes = [
        ("unsupported connection", "its connection is not ssh, or has arguments that are no settings of ssh"),
        ("Host key verification failed", "its host key is not the known one, or none is known"),
        ("Permission denied", "it accepts no key of this user"),
        ("Connection refused", "nothing listens at its ssh port"),
        ("Could not resolve hostname", "its name has no address"),
        ("No route to host", "no route leads to it"),
        ("Connection timed out", "it does not answer"),
    ];
    match answer.status {
        None => "it took too long",
        Some(_) => {
            causes.iter().find(|(words, _)| answer.errors.contains(words)).map_or("ssh failed", |(_, cause)| cause)
        }
    }
}

/// The value of a line `KEY="value"`.
fn setting(lines: &[&str], key: &str) -> String {
    let value = lines.iter().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    tame(value.unwrap_or_default().trim_matches(['"', '\'']))
}

/// The folder in which containerd looks for CNI's programs.
fn cni_binaries(lines: &[&str]) -> String {
    let text = lines.join("\n");
    tame(&crate::mesh::Containerd { path: CONTAINERD, text: &text }.binaries().unwrap_or_default())
}

/// Words of a host: one line, no control characters, not too long.
pub(super) fn tame(words: &str) -> String {
    words.chars().filter(|c| !c.is_control()).take(200).collect::<String>().trim().to_owned()
}
