//! The devices that storage may use. A reference of an existing foundation is kept as it is; a fresh installation, which writes
//! to the devices, needs names that mean the same disk after every start.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::codes;
use super::super::judge::{Fault, Judge, at, names, unquoted};
use super::super::quick::Set;
use super::super::resolve::Purpose;
use crate::diagnostic::{Diagnostic, Place};

const VARIABLE: &str = "storage_devices";
const BY_ID: &str = "/dev/disk/by-id/";

/// The devices of all nodes, in their order.
pub(in super::super) fn judge<'a>(
    judge: &mut Judge<'a>,
    purpose: Purpose,
    storage: &BTreeSet<&'a str>,
) -> Vec<Vec<String>> {
    let mut holders = Holders::default();
    let all = judge
        .nodes()
        .into_iter()
        .map(|(host, facts)| {
            let devices = devices(judge, host, &facts.devices, purpose);
            for (number, device) in devices.iter().enumerate().filter(|(_, device)| is_makers_id(device)) {
                holders.entry(device.clone()).or_default().push((host, number));
            }
            if purpose == Purpose::Fresh && storage.contains(host) && facts.devices.is_null() {
                let help = format!("write `storage_devices` with the host's devices under `{BY_ID}`");
                let place = judge.at_host(host);
                judge.fault(
                    host,
                    Fault::error(codes::NO_DEVICES, "labelled for storage without `storage_devices`", help).at(place),
                );
            }
            devices
        })
        .collect();
    shared(judge, holders);
    all
}

fn devices<'a>(judge: &mut Judge<'a>, host: &'a str, value: &'a Value, purpose: Purpose) -> Vec<String> {
    let mut devices = Vec::new();
    let items = match value {
        Value::Null => return devices,
        Value::Array(items) => items,
        other => {
            let place = judge.at_variable(host, VARIABLE, &[]);
            let help = unquoted(other, format!("write a list: `storage_devices: [{BY_ID}...]`"));
            judge.fault(host, Fault::error(codes::DEVICE, "`storage_devices` is no list", help).at(place));
            return devices;
        }
    };
    let mut seen = Set::default();
    for (number, item) in items.iter().enumerate() {
        let at = number.to_string();
        let Some(reference) = item.as_str().filter(|text| is_reference(text)) else {
            let place = judge.at_variable(host, VARIABLE, &[&at]);
            let help = format!("write the path of one device, `{BY_ID}...`: no pattern, no mapping");
            judge.fault(host, Fault::error(codes::DEVICE, "an item of `storage_devices` is no device", help).at(place));
            continue;
        };
        if !seen.insert(kernel_name(reference)) {
            let place = judge.at_variable(host, VARIABLE, &[&at]);
            let what = format!("device `{reference}` stands twice in `storage_devices`");
            judge.fault(host, Fault::error(codes::DUPLICATE_DEVICE, what, "name each device once").at(place));
            continue;
        }
        if purpose == Purpose::Fresh && !is_by_id(reference) {
            let place = judge.at_variable(host, VARIABLE, &[&at]);
            let what = format!("device `{reference}` is not named by its id");
            let help =
                format!("write its path under `{BY_ID}`: other names may mean another disk after the next start");
            judge.fault(host, Fault::error(codes::DEVICE_BY_ID, what, help).at(place));
        }
        devices.push(reference.to_owned());
    }
    devices
}

/// The hosts that name each maker's id, with the number of the device in their list.
type Holders<'a> = BTreeMap<String, Vec<(&'a str, usize)>>;

/// An id that the maker gave to a disk is in one machine. A disk that two machines reach is no storage for both: each would erase what the
/// other wrote.
fn shared<'a>(judge: &mut Judge<'a>, holders: Holders<'a>) {
    for (device, hosts) in holders {
        let [first, second, ..] = hosts.as_slice() else { continue };
        let all: Vec<&str> = hosts.iter().map(|(host, _)| *host).collect();
        let words = format!("{} have one device, `{device}`: an id is that of one disk", names(&all));
        let place = |(host, number): &(&'a str, usize)| judge.at_variable(host, VARIABLE, &[&number.to_string()]);
        let (one, other) = (place(first), place(second));
        let diagnostic = Diagnostic::error(codes::SHARED_DEVICE, words);
        let diagnostic = if one.as_ref().map(Place::to_text) == other.as_ref().map(Place::to_text) {
            at(diagnostic, one, "")
        } else {
            at(at(diagnostic, other, second.0), one, first.0)
        };
        judge.push(
            diagnostic.help(format!("on each host, `ls -l {BY_ID}` shows its own ids: write those at that host")),
        );
    }
}

/// Whether a name by id holds what the maker wrote into the disk: a World Wide Name, an EUI, or model and serial number of an ATA or
/// `NVMe` disk. The ids of virtual disks are the hypervisor's, and the same in every machine.
fn is_makers_id(reference: &str) -> bool {
    let id = kernel_name(reference).strip_prefix("disk/by-id/").unwrap_or_default();
    let virtual_disk = id.contains("QEMU") || id.contains("VBOX") || id.contains("Virtual") || id.contains("VMware");
    let makers = ["wwn-0x", "nvme-", "ata-", "scsi-3", "scsi-S"];
    !virtual_disk && makers.into_iter().any(|kind| id.starts_with(kind))
}

/// A reference as a name below `/dev`.
fn kernel_name(reference: &str) -> &str {
    reference.strip_prefix("/dev/").unwrap_or(reference)
}

/// A name below `/dev`, or a path there.
fn is_reference(text: &str) -> bool {
    let name = kernel_name(text);
    !name.starts_with('/')
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:+@=,\\/".contains(&byte))
}

fn is_by_id(reference: &str) -> bool {
    reference.strip_prefix(BY_ID).is_some_and(|id| !id.is_empty() && !id.contains('/'))
}

#[cfg(test)]
mod tests {
    use super::{is_by_id, is_makers_id, is_reference};

    #[test]
    fn a_makers_id_is_of_one_disk() {
        for id in [
            "wwn-0x5000c500a1b2c3d4",
            "nvme-eui.0025385b71b00f3a",
            "nvme-Samsung_SSD_S4EV1",
            "ata-ST8000_ZA1",
            "scsi-35000c5",
        ] {
            assert!(is_makers_id(&format!("/dev/disk/by-id/{id}")), "{id}");
        }
        for other in [
            "/dev/sdb",
            "/dev/disk/by-id/virtio-osd0",
            "/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_drive-scsi1",
            "/dev/disk/by-id/google-local-ssd-0",
            "/dev/disk/by-id/ata-QEMU_HARDDISK_QM00003",
            "/dev/disk/by-path/nvme-1",
        ] {
            assert!(!is_makers_id(other), "{other}");
        }
    }

    #[test]
    fn a_reference_names_one_device() {
        for good in
            ["sdb", "/dev/nvme0n1", "/dev/disk/by-id/wwn-0x5000c500a1b2c3d4", "disk/by-path/pci-0000:00:1f.2-ata-1"]
        {
            assert!(is_reference(good), "{good}");
        }
        for bad in ["", "/dev/", "/etc/passwd", "/dev/sd*", "/dev/../etc", "sd b", "/dev//sdb", "{{ disk }}"] {
            assert!(!is_reference(bad), "{bad}");
        }
        assert!(is_by_id("/dev/disk/by-id/ata-X_1"));
        assert!(!is_by_id("/dev/disk/by-id/") && !is_by_id("/dev/disk/by-id/a/b") && !is_by_id("disk/by-id/a"));
    }
}
