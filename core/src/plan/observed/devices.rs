//! The devices that a fresh installation would give to storage: there, whole disks, each once, and nobody's.

use std::collections::BTreeMap;

use super::about;
use crate::diagnostic::{Diagnostic, Findings};
use crate::plan::{DeviceObservation, HostObservation, codes};

pub(super) fn judge(name: &str, host: &HostObservation, findings: &mut Findings) {
    let mut first: BTreeMap<&str, &str> = BTreeMap::new();
    for (reference, device) in &host.devices {
        let Some(device) = device else {
            let message = format!("host {name} has no device {reference}");
            let help = "`ls -l /dev/disk/by-id/` on the host lists what there is";
            findings.push(Diagnostic::error(codes::DEVICE_MISSING, message).at(about("host", name), "").help(help));
            continue;
        };
        if let Some(other) = first.insert(&device.path, reference) {
            let message = format!("{other} and {reference} of host {name} are one device, {}", device.path);
            let help = "name each device once";
            findings.push(Diagnostic::error(codes::SAME_DEVICE, message).at(about("host", name), "").help(help));
            continue;
        }
        kind(name, reference, device, findings);
        use_of(name, reference, device, findings);
    }
}

fn kind(name: &str, reference: &str, device: &DeviceObservation, findings: &mut Findings) {
    let what = match (device.kind.as_str(), device.bytes) {
        ("disk" | "mpath", 1..) => return,
        ("disk" | "mpath", 0) => "empty: it has no medium",
        ("part", _) => "a part of a disk",
        _ => "no disk",
    };
    let message = format!("{reference} of host {name} ({}) is {what}", device.path);
    let help = "name a whole disk; `lsblk` on the host lists them with their sizes";
    findings.push(Diagnostic::error(codes::DEVICE_KIND, message).at(about("host", name), "").help(help));
}

fn use_of(name: &str, reference: &str, device: &DeviceObservation, findings: &mut Findings) {
    let words = match (device.users.as_slice(), device.signatures.as_slice()) {
        ([], []) => return,
        ([], signatures) => format!("it holds {}", signatures.join(", ")),
        (users, _) => format!("it is used by {}", users.join(", ")),
    };
    let message = format!("{reference} of host {name} ({}) is not free: {words}", device.path);
    let help = "see whose data that is; name another device, or wipe this one by hand: an installation wipes nothing";
    findings.push(Diagnostic::error(codes::DEVICE_IN_USE, message).at(about("host", name), "").help(help));
}

/// A device for people: `/dev/sdb, 1.8 TiB, free`.
pub(in super::super) fn words(device: Option<&DeviceObservation>) -> String {
    let Some(device) = device else { return "not there".to_owned() };
    let state = match (device.users.as_slice(), device.signatures.as_slice()) {
        ([], []) => "free".to_owned(),
        ([], signatures) => format!("holds {}", signatures.join(", ")),
        (users, _) => format!("used by {}", users.join(", ")),
    };
    format!("{}, {}, {state}", device.path, size(device.bytes))
}

/// A size with one digit after the point, in units of 1,024.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut tenths = u128::from(bytes) * 10;
    let mut unit = 0;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1_024;
        unit += 1;
    }
    format!("{}.{} {}", tenths / 10, tenths % 10, UNITS.get(unit).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn sizes_are_read_at_a_glance() {
        for (bytes, text) in [
            (0, "0.0 B"),
            (1_023, "1023.0 B"),
            (1_536, "1.5 KiB"),
            (274_877_906_944, "256.0 GiB"),
            (2_000_398_934_016, "1.8 TiB"),
            (40_000_000_000_000_000, "36379.7 TiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
