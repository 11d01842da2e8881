//! What a host answers about the devices that its inventory names for storage.
//!
//! One command over ssh: `find` says where each reference leads, `lsblk` what the block devices are and what is made of them. Both only
//! read; neither needs privilege, for udev has looked at the devices before.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::codes;
use super::host::{HostAnswer, place, tame, unreachable};
use crate::diagnostic::{Diagnostic, Report};
use crate::plan::DeviceObservation;

/// What `lsblk` is asked for of each device.
const COLUMNS: &str = "KNAME,PATH,TYPE,SIZE,FSTYPE,PTTYPE,MOUNTPOINTS";

/// The devices of a host: each reference of the inventory with what it leads to, or nothing where it leads nowhere.
pub type Devices = BTreeMap<String, Option<DeviceObservation>>;

/// The command that looks for these devices, references as an inventory has them. Each word is one word to any shell; between
/// the two programs stands `;`.
pub fn device_command(references: &[String]) -> Vec<String> {
    let quoted = |text: String| format!("'{text}'"); // No reference has a quote in it.
    let paths = references.iter().map(|reference| quoted(path(reference)));
    let find = ["env", "LC_ALL=C", "find"].map(str::to_owned).into_iter().chain(paths);
    let printed = ["-maxdepth".to_owned(), "0".to_owned(), "-printf".to_owned(), quoted("%p %l\\n".to_owned())];
    let list = [";", "env", "LC_ALL=C", "lsblk", "--json", "--bytes", "--output", COLUMNS].map(str::to_owned);
    find.chain(printed).chain(list).collect()
}

/// What the devices of a host are by its answer.
///
/// # Errors
/// `access/host-unreachable`, `access/host-answer`
pub fn read_devices(name: &str, references: &[String], answer: &HostAnswer<'_>) -> Result<Devices, Report> {
    if answer.status.is_none_or(|status| status == 255) {
        return Err(unreachable(name, answer));
    }
    let (links, listing) =
        answer.output.find('{').and_then(|at| answer.output.split_at_checked(at)).unwrap_or_default();
    let listing: Listing = serde_json::from_str(listing).map_err(|_| {
        Diagnostic::error(codes::HOST_ANSWER, format!("host {name} does not list its block devices"))
            .at(place(name), "lsblk")
            .help("log in as this user and see that `lsblk --json` answers; it is part of util-linux, 2.37 or newer")
    })?;
    let found: BTreeMap<&str, &str> = links.lines().filter_map(|line| line.split_once(' ')).collect();
    let observed = |reference: &String| {
        let path = path(reference);
        let target = found.get(path.as_str())?;
        let device = if target.is_empty() { path } else { beside(&path, target) };
        listing.blockdevices.iter().find_map(|block| block.find(&device)).map(Block::observation)
    };
    Ok(references.iter().map(|reference| (reference.clone(), observed(reference))).collect())
}

/// A reference as a path: a name alone is one below `/dev`.
fn path(reference: &str) -> String {
    if reference.starts_with('/') { reference.to_owned() } else { format!("/dev/{reference}") }
}

/// Where a link leads that stands at a path.
fn beside(link: &str, target: &str) -> String {
    if target.starts_with('/') {
        return target.to_owned();
    }
    let mut parts: Vec<&str> = link.split('/').collect();
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// What `lsblk` writes.
#[derive(Debug, Deserialize)]
struct Listing {
    blockdevices: Vec<Block>,
}

/// A block device, and what is made of it.
#[derive(Debug, Deserialize)]
struct Block {
    /// The kernel's name, by which links lead to it; the path of a volume is another.
    #[serde(default)]
    kname: String,
    path: String,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    size: Value,
    #[serde(default)]
    fstype: Option<String>,
    #[serde(default)]
    pttype: Option<String>,
    #[serde(default)]
    mountpoints: Vec<Option<String>>,
    #[serde(default)]
    children: Vec<Block>,
}

impl Block {
    fn find(&self, path: &str) -> Option<&Self> {
        let is_it = self.path == path || path.strip_prefix("/dev/").is_some_and(|name| name == self.kname);
        if is_it { Some(self) } else { self.children.iter().find_map(|child| child.find(path)) }
    }

    fn observation(&self) -> DeviceObservation {
        let mounts = self.mountpoints.iter().flatten().map(String::as_str);
        let users = mounts.chain(self.children.iter().map(|child| child.path.as_str())).map(tame);
        let signatures = [&self.fstype, &self.pttype].into_iter().flatten().map(|word| tame(word));
        DeviceObservation {
            path: tame(&self.path),
            kind: self.kind.as_deref().map(tame).unwrap_or_default(),
            bytes: self.size.as_u64().or_else(|| self.size.as_str()?.parse().ok()).unwrap_or_default(),
            signatures: signatures.collect(),
            users: users.collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn links_lead_where_they_say() {
        for (link, target, device) in [
            ("/dev/disk/by-id/wwn-1", "../../sdb", "/dev/sdb"),
            ("/dev/disk/by-id/wwn-1", "/dev/dm-0", "/dev/dm-0"),
            ("/dev/disk/by-id/wwn-1", "./other", "/dev/disk/by-id/other"),
            ("/dev/mapper/vg-lv", "../dm-1", "/dev/dm-1"),
        ] {
            assert_eq!(beside(link, target), device);
        }
    }
}
