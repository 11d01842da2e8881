//! Processes, from `/proc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pharos_core::edge::inspect::Master;

/// The process ids that are there.
fn all() -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

fn path(pid: u32, file: &str) -> PathBuf {
    Path::new("/proc").join(pid.to_string()).join(file)
}

/// The name of its program.
pub(crate) fn name(pid: u32) -> Option<String> {
    let text = std::fs::read_to_string(path(pid, "comm")).ok()?;
    Some(text.trim_end().to_owned())
}

/// The systemd unit it belongs to.
pub(crate) fn unit(pid: u32) -> Option<String> {
    unit_of(&std::fs::read_to_string(path(pid, "cgroup")).ok()?)
}

/// Lines of the form `0::/system.slice/nginx.service` or `1:name=systemd:/...`: the innermost unit.
fn unit_of(cgroups: &str) -> Option<String> {
    let mut lines = cgroups.lines().filter(|line| line.starts_with("0::") || line.contains(":name=systemd:"));
    lines.find_map(|line| {
        let parts = line.rsplit('/');
        parts.map(str::to_owned).find(|part| [".service", ".scope"].iter().any(|kind| part.ends_with(kind)))
    })
}

/// The command line with its arguments joined by spaces; of nginx, the title that it gives itself.
fn title(pid: u32) -> Option<String> {
    let bytes = std::fs::read(path(pid, "cmdline")).ok()?;
    let text = String::from_utf8_lossy(&bytes).replace('\0', " ");
    Some(text.trim_end().to_owned())
}

/// How long a process that a master has forked may go on under its title. A worker gives itself its own before it does anything else, and
/// a busy machine lets it wait for that.
const TITLED_WITHIN: Duration = Duration::from_secs(2);

/// The nginx masters of this network namespace. A worker that was forked in this moment still has its master's title, and is none; the new
/// master of an upgrade, which is a child of the old one too, keeps it.
pub(super) fn masters() -> Vec<Master> {
    let until = Instant::now() + TITLED_WITHIN;
    loop {
        let masters = titled_masters();
        let is_master = |pid: u32| masters.iter().any(|master| master.pid == pid);
        let forked = masters.iter().any(|master| parent(master.pid).is_some_and(is_master));
        if !forked || Instant::now() >= until {
            return masters;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The processes that have the title of a master now.
fn titled_masters() -> Vec<Master> {
    let own = std::fs::read_link("/proc/self/ns/net").ok();
    let mut masters: Vec<Master> = all()
        .filter_map(|pid| {
            let title = title(pid)?;
            let command = title.strip_prefix("nginx: master process ")?;
            let same = std::fs::read_link(path(pid, "ns/net")).ok() == own;
            same.then(|| Master { pid, unit: unit(pid), configuration: configuration(command) })
        })
        .collect();
    masters.sort_by_key(|master| master.pid);
    masters
}

/// The configuration that a master was told to read.
fn configuration(command: &str) -> Option<String> {
    let mut words = command.split(' ').skip_while(|word| *word != "-c");
    words.nth(1).map(str::to_owned)
}

/// The workers of a master that are not on their way out.
pub(crate) fn workers(master: u32) -> Vec<u32> {
    all()
        .filter(|pid| parent(*pid) == Some(master))
        .filter(|pid| title(*pid).is_some_and(|title| title.trim() == "nginx: worker process"))
        .collect()
}

/// `pid (name) state parent ...`; the name may hold anything.
fn parent(pid: u32) -> Option<u32> {
    let text = std::fs::read_to_string(path(pid, "stat")).ok()?;
    text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The holder of each socket, by inode: of several processes that share one, the first that was started.
pub(super) fn socket_holders() -> BTreeMap<u64, u32> {
    let mut holders = BTreeMap::new();
    let mut pids: Vec<u32> = all().collect();
    pids.sort_unstable();
    for pid in pids {
        for entry in std::fs::read_dir(path(pid, "fd")).into_iter().flatten().flatten() {
            let Ok(target) = std::fs::read_link(entry.path()) else { continue };
            let inode = target.to_str().and_then(|text| text.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok());
            if let Some(inode) = inode {
                holders.entry(inode).or_insert(pid);
            }
        }
    }
    holders
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command};

    use super::{configuration, masters, parent, titled_masters, unit_of};

    /// A process with the title of a master, and a child that has the same title until it runs `then`.
    fn forking(then: &str) -> Child {
        let title = "nginx: master process /test";
        let script = format!("(exec -a '{title}' bash -c '{then}') & wait");
        let child = Command::new("bash").arg0(title).args(["-c", &script]).process_group(0).spawn().unwrap();
        while family(&child, &titled_masters()).len() < 2 {
            std::thread::yield_now();
        }
        child
    }

    /// The masters that are this process or a child of it.
    fn family(child: &Child, masters: &[super::Master]) -> Vec<u32> {
        let own = |pid: &u32| *pid == child.id() || parent(*pid) == Some(child.id());
        masters.iter().map(|master| master.pid).filter(own).collect()
    }

    fn ended(mut child: Child) {
        let group = format!("-{}", child.id());
        assert!(Command::new("kill").args(["-KILL", "--", &group]).status().unwrap().success());
        child.wait().unwrap();
    }

    #[test]
    fn a_worker_that_was_just_forked_is_no_master() {
        let worker = forking("sleep 0.3; exec -a \"nginx: worker process\" sleep 60");
        assert_eq!(family(&worker, &masters()), [worker.id()]);
        ended(worker);
        let upgrade = forking("sleep 60; true");
        assert_eq!(family(&upgrade, &masters()).len(), 2, "the new master of an upgrade is one");
        ended(upgrade);
    }

    #[test]
    fn the_innermost_unit() {
        assert_eq!(unit_of("0::/system.slice/nginx.service\n").as_deref(), Some("nginx.service"));
        let hybrid = "4:memory:/x.service\n1:name=systemd:/system.slice/nginx.service/payload\n";
        assert_eq!(unit_of(hybrid).as_deref(), Some("nginx.service"));
        assert_eq!(unit_of("0::/\n"), None);
    }

    #[test]
    fn a_master_says_which_file_it_reads() {
        assert_eq!(configuration("nginx -c /srv/n.conf -g daemon on;").as_deref(), Some("/srv/n.conf"));
        assert_eq!(configuration("/usr/sbin/nginx -g daemon on; master_process on;"), None);
    }

    #[test]
    fn parents_are_found() {
        assert_eq!(parent(std::process::id()), Some(std::os::unix::process::parent_id()));
    }
}
