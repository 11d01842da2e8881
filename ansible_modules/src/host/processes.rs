//! Processes, from `/proc`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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

/// The nginx masters of this network namespace.
pub(super) fn masters() -> Vec<Master> {
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
    use super::{configuration, parent, unit_of};

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
