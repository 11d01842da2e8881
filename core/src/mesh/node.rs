//! The limits of inotify that a node has for the watchers of its pods.
//!
//! They are raised and never lowered: what is wanted is the greater of what is there and [`LIMITS`]. The file that keeps them over a
//! boot is read before those of other people, so that a higher value of theirs stays as well.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::codes;
use crate::diagnostic::{Diagnostic, Findings, Place, Report};

/// A limit: its name below `fs.inotify`, and the least that it must be.
pub const LIMITS: [(&str, u64); 2] = [("max_user_instances", 1024), ("max_user_watches", 524_288)];

/// The file that keeps the limits over a boot. systemd reads such files in the order of their names, and the last one counts.
pub const FILE: &str = "/etc/sysctl.d/10-pharos-mesh.conf";

/// The folders that systemd reads at boot, the one that hides files of its name in the others first; and the file that is read by others.
pub const FOLDERS: [&str; 4] = ["/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d"];

/// A line of a file that is read at boot and sets a limit.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stated {
    /// The path of the file.
    pub path: String,
    /// The limit: `max_user_watches`.
    pub limit: &'static str,
    /// What it is set to.
    pub value: u64,
}

/// What is to be done on a node.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LimitPlan {
    /// Every limit as it is to be.
    pub limits: BTreeMap<&'static str, u64>,
    /// Those that are raised now.
    pub raise: BTreeMap<&'static str, u64>,
    /// The text of [`FILE`].
    pub text: String,
}

/// The limits that a file sets, in the order of its lines. A line that begins with `-` may fail, and counts all the same.
pub fn stated(path: &str, text: &str) -> Vec<Stated> {
    let line = |line: &str| {
        let (key, value) = line.trim().trim_start_matches('-').split_once('=')?;
        let key = key.trim().replace('/', ".");
        let (limit, _) = LIMITS.into_iter().find(|(limit, _)| key.strip_prefix("fs.inotify.") == Some(limit))?;
        Some(Stated { path: path.to_owned(), limit, value: value.trim().parse().ok()? })
    };
    text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])).filter_map(line).collect()
}

/// Decides on a node: `current` are its limits now, `others` what files beside [`FILE`] set at boot, in the order in which they count.
///
/// # Errors
/// `mesh/watch-limit` if a limit is not known. Warns of `mesh/limit-lowered` where a file takes a limit below what is needed at boot.
pub fn plan(current: &BTreeMap<String, u64>, others: &[Stated]) -> Result<(LimitPlan, Report), Report> {
    let mut findings = Findings::new();
    let mut plan = LimitPlan { limits: BTreeMap::new(), raise: BTreeMap::new(), text: HEAD.to_owned() };
    for (limit, least) in LIMITS {
        let Some(&now) = current.get(limit) else {
            findings.push(unreadable(limit));
            continue;
        };
        let wanted = now.max(least);
        plan.limits.insert(limit, wanted);
        if now < wanted {
            plan.raise.insert(limit, wanted);
        }
        // Writing into a text does not fail.
        let _ = writeln!(plan.text, "fs.inotify.{limit} = {wanted}");
        if let Some(low) = others.iter().rfind(|line| line.limit == limit).filter(|line| line.value < least) {
            findings.push(lowered(low, least));
        }
    }
    findings.conclude(plan)
}

/// The first lines of the file.
const HEAD: &str = "# Watchers of the pods of this node, for the mesh. Kept by Pharos: raised, never lowered. A higher value belongs into a\n\
                    # file of a later name.\n";

fn unreadable(limit: &str) -> Diagnostic {
    Diagnostic::error(codes::WATCH_LIMIT, format!("fs.inotify.{limit} cannot be read"))
        .at(Place::named(&format!("/proc/sys/fs/inotify/{limit}")), "")
        .help("let the kernel have inotify, and run this where /proc is mounted")
}

/// The refusal of the kernel to raise a limit.
pub fn not_raised(limit: &str, wanted: u64, why: &str) -> Diagnostic {
    Diagnostic::error(codes::WATCH_LIMIT, format!("fs.inotify.{limit} cannot be raised to {wanted}: {why}"))
        .at(Place::named(&format!("/proc/sys/fs/inotify/{limit}")), "")
        .help("run this as root (`become: true`) on the machine itself; in a container its host sets the limit")
}

fn lowered(low: &Stated, least: u64) -> Diagnostic {
    let message = format!("{} takes fs.inotify.{} back to {} at the next boot", low.path, low.limit, low.value);
    Diagnostic::warning(codes::LIMIT_LOWERED, message)
        .at(Place::named(&low.path), format!("{least} are needed"))
        .help("remove the line, or raise it")
}

#[cfg(test)]
mod tests {
    use super::{LIMITS, Stated, plan, stated};
    use std::collections::BTreeMap;

    fn current(instances: u64, watches: u64) -> BTreeMap<String, u64> {
        BTreeMap::from([("max_user_instances".to_owned(), instances), ("max_user_watches".to_owned(), watches)])
    }

    #[test]
    fn higher_values_stay() {
        for (instances, watches, raised) in [
            (128, 192_536, vec![("max_user_instances", 1024), ("max_user_watches", 524_288)]),
            (1024, 524_288, vec![]),
            (8192, 192_536, vec![("max_user_watches", 524_288)]),
            (8192, 1_048_576, vec![]),
        ] {
            let (found, report) = plan(&current(instances, watches), &[]).unwrap();
            assert!(report.diagnostics().is_empty());
            assert_eq!(found.raise, BTreeMap::from_iter(raised));
            assert_eq!(found.limits[LIMITS[0].0], instances.max(1024));
            assert!(found.text.ends_with(&format!(
                "\nfs.inotify.max_user_instances = {}\nfs.inotify.max_user_watches = {}\n",
                instances.max(1024),
                watches.max(524_288)
            )));
            // the same again, of a node that has them
            let after = current(found.limits[LIMITS[0].0], found.limits[LIMITS[1].0]);
            let (again, _) = plan(&after, &[]).unwrap();
            assert_eq!((again.text, again.raise.len()), (found.text, 0));
        }
        assert!(plan(&BTreeMap::new(), &[]).unwrap_err().to_string().contains("mesh/watch-limit"));
    }

    #[test]
    fn what_lowers_a_limit_at_boot_is_told() {
        let line = |path: &str, value| Stated { path: path.to_owned(), limit: "max_user_watches", value };
        let (_, report) = plan(&current(1024, 524_288), &[line("/etc/sysctl.d/20-a.conf", 1)]).unwrap();
        assert!(report.to_string().contains("warning[mesh/limit-lowered]: /etc/sysctl.d/20-a.conf takes"));
        // the last one counts
        let others = [line("/etc/sysctl.d/20-a.conf", 1), line("/etc/sysctl.d/30-b.conf", 1_048_576)];
        assert!(plan(&current(1024, 524_288), &others).unwrap().1.diagnostics().is_empty());
    }

    #[test]
    fn lines_of_sysctl_are_read() {
        let text = "# fs.inotify.max_user_watches = 1\nkernel.panic=10\n-fs.inotify.max_user_watches = 2\nfs/inotify/max_user_instances=3\n\
                    fs.inotify.max_user_watches = many\n";
        let found: Vec<(&str, u64)> = stated("x", text).iter().map(|line| (line.limit, line.value)).collect();
        assert_eq!(found, [("max_user_watches", 2), ("max_user_instances", 3)]);
    }
}
