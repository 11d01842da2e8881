//! A kubeconfig and what stopped a reader of the API, refused.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a helper of a test may panic as the test may")]

use pharos_core::access::{
    Failure, Forward, HostAnswer, StoredAt, device_command, host_command, judge_kubeconfig, not_led, read_devices,
    read_host, several_ceph_clusters,
};
use pharos_core::diagnostic::{Report, Source};
use pharos_core::plan::{CertificateUse, DeviceObservation};
use serde::Deserialize;

use crate::rejected::{Fixture, refused};

/// What stopped a reader.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
enum Case {
    Plugin,
    NoPlugin(String),
    Credentials,
    Connection(String),
    Timeout(u64),
    Status(u16, String),
    Shape(String),
    SeveralCephClusters(Vec<String>),
    /// The exit status of ssh, what was written and what was complained about.
    Host(Option<i32>, String, String),
    /// The same, of the devices.
    Devices(Option<i32>, String, String),
    /// The exit status of ssh and its complaints.
    NoForward(Option<i32>, String),
}

pub(crate) fn judge(fixture: &Fixture) -> Report {
    let source = fixture.source();
    if fixture.path().extension().is_some_and(|extension| extension == "yaml") {
        let allowed = fixture.variant().strip_prefix("allowed-");
        return refused(judge_kubeconfig(source.name(), source.text().as_bytes(), allowed));
    }
    let failure = match serde_json::from_str(source.text()).unwrap() {
        Case::Plugin => Failure::Plugin,
        Case::NoPlugin(program) => Failure::NoPlugin { program },
        Case::Credentials => Failure::Credentials,
        Case::Connection(cause) => Failure::Connection { cause },
        Case::Timeout(seconds) => Failure::Timeout { seconds },
        Case::Status(status, message) => Failure::Status { status, message },
        Case::Shape(cause) => Failure::Shape { cause },
        Case::Host(status, output, errors) => {
            return refused(read_host("n1", &HostAnswer { status, output: &output, errors: &errors }));
        }
        Case::Devices(status, output, errors) => {
            let answer = HostAnswer { status, output: &output, errors: &errors };
            return refused(read_devices("n1", &["/dev/disk/by-id/a".to_owned()], &answer));
        }
        Case::NoForward(status, errors) => {
            let file = Source::private("hosts.yml", "n1: {pharos_api_access: ssh}\n");
            let asked = file.place(5..22);
            let forward = Forward { host: "n1", asked: Some(&asked), address: "10.0.0.1:6443" };
            return not_led(&forward, &HostAnswer { status, output: "", errors: &errors });
        }
        Case::SeveralCephClusters(names) => return several_ceph_clusters("admin/kubeconfig", &names),
    };
    failure.refusal("admin/kubeconfig", "https://10.0.0.1:6443", "GET /api/v1/nodes")
}

const PLUGIN: &str = "
current-context: site
contexts:
  - {name: site, context: {cluster: a, user: admin}}
clusters:
  - {name: b, cluster: {server: 'http://elsewhere'}}
  - {name: a, cluster: {server: 'https://10.0.0.1:6443', certificate-authority-data: Q0E=, insecure-skip-tls-verify: false}}
users:
  - name: admin
    user:
      exec: {apiVersion: client.authentication.k8s.io/v1, command: kubelogin, args: [--token, hunter2]}
";

#[test]
fn a_plugin_is_run_by_the_name_that_was_allowed() {
    let kubeconfig = judge_kubeconfig("k", PLUGIN.as_bytes(), Some("kubelogin")).unwrap();
    assert_eq!(kubeconfig.server, "https://10.0.0.1:6443");
    assert_eq!(kubeconfig.plugin.as_deref(), Some("kubelogin"));
    for allowed in [None, Some(""), Some("/usr/bin/kubelogin")] {
        let report = judge_kubeconfig("k", PLUGIN.as_bytes(), allowed).unwrap_err().to_string();
        assert!(report.contains("access/exec-plugin"), "{report}");
        assert!(!report.contains("hunter2") && !report.contains("kubelogin"), "{report}");
    }
}

#[test]
fn a_user_without_a_plugin_needs_none() {
    let text = PLUGIN.replace(
        "exec: {apiVersion: client.authentication.k8s.io/v1, command: kubelogin, args: [--token, hunter2]}",
        "token: hunter2",
    );
    assert_eq!(judge_kubeconfig("k", text.as_bytes(), None).unwrap().plugin, None);
    // As kubectl writes it: JSON is YAML, and null is nothing.
    let json = r#"{"apiVersion": "v1", "kind": "Config", "current-context": "c", "preferences": {},
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u", "namespace": "default"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://h:1", "certificate-authority": "ca.pem"}}],
        "users": [{"name": "u", "user": {"tokenFile": "token", "exec": null}}]}"#;
    assert_eq!(judge_kubeconfig("k", json.as_bytes(), None).unwrap().server, "https://h:1");
}

fn pem(name: &str) -> String {
    std::fs::read_to_string(crate::committed::repository().join(format!("core/tests/identity/{name}.pem"))).unwrap()
}

/// What a kubeconfig holds of certificates is seen, each with how long it lasts; what stands beside them is not.
#[test]
fn the_certificates_of_a_kubeconfig_are_seen() {
    let key = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n";
    let both = openssl::base64::encode_block(format!("{key}{}{}", pem("server"), pem("authority")).as_bytes());
    let text = PLUGIN.replace("certificate-authority-data: Q0E=", "certificate-authority: ../ca.pem").replace(
        "      exec:",
        &format!("      client-certificate-data: {both}\n      client-key-data: aHVudGVyMg==\n      exec:"),
    );
    let kubeconfig = judge_kubeconfig("k", text.as_bytes(), Some("kubelogin")).unwrap();
    let [authority, own] = kubeconfig.certificates.as_slice() else { unreachable!("two certificates") };
    assert!(matches!(&authority.at, StoredAt::File(file) if file == "../ca.pem"));
    let StoredAt::Here(content) = &own.at else { unreachable!("it is written here") };

    let (seen, report) = own.see(content, "2026-06-01".parse().unwrap());
    assert_eq!(seen.len(), 1, "of a chain the user's own: {seen:?}");
    assert_eq!(seen[0].r#use, CertificateUse::Administrator);
    assert!(report.is_empty(), "{report}");
    let (_, late) = own.see(content, seen[0].not_after.plus(3 * 86_400));
    let shown = late.to_string();
    assert!(shown.contains("certificate/expired") && shown.contains("k:11:7"), "{shown}");

    let (seen, late) = authority.see(pem("authority").as_bytes(), "2035-12-20".parse().unwrap());
    assert_eq!(seen[0].r#use, CertificateUse::ClusterAuthority);
    assert!(late.to_string().contains("warning[certificate/issuer-expires-soon]"), "{late}");
    // One that is over beside one that is trusted stands in nobody's way.
    let both = format!("{}{}", pem("expired"), pem("authority"));
    let (seen, report) = authority.see(both.as_bytes(), "2026-06-01".parse().unwrap());
    assert_eq!(seen.len(), 2);
    assert!(report.to_string().contains("warning[certificate/expired]") && !report.refuses(), "{report}");
    assert!(authority.see(pem("expired").as_bytes(), "2026-06-01".parse().unwrap()).1.refuses());

    for form in [shown, format!("{kubeconfig:?}"), format!("{seen:?}{report}")] {
        assert!(!form.contains("hunter2") && !form.contains("PRIVATE KEY"), "{form}");
    }
}

/// What Debian 13 hosts answered, and what others may.
#[test]
fn a_host_is_what_it_states() {
    let text = "/etc/machine-id:0f3c1d0c9f6b4d0e8a5b7c6d5e4f3a2b\n/etc/os-release:PRETTY_NAME=\"Debian GNU/Linux 13 (trixie)\"\n\
                /etc/os-release:ID=debian\n/proc/sys/kernel/osrelease:6.12.48+deb13-amd64\n/proc/sys/kernel/arch:x86_64\n\
                /etc/containerd/config.toml:[plugins.cri.cni]\n/etc/containerd/config.toml:      bin_dir = \"/opt/cni/bin\"\n/proc/sys/fs/inotify/max_user_instances:128\n\
                /proc/sys/fs/inotify/max_user_watches:65536\n";
    let errors =
        "grep: /etc/kubernetes/kubelet.conf: Permission denied\ngrep: /etc/etcd.env: No such file or directory\n";
    let host = read_host("n1", &HostAnswer { status: Some(2), output: text, errors }).unwrap();
    assert_eq!(host.machine_id, "0f3c1d0c9f6b4d0e8a5b7c6d5e4f3a2b");
    assert_eq!(host.os, "Debian GNU/Linux 13 (trixie)");
    assert_eq!((host.kernel.as_str(), host.architecture.as_str()), ("6.12.48+deb13-amd64", "x86_64"));
    assert_eq!(host.cni_binaries.as_deref(), Some("/opt/cni/bin"));
    assert_eq!(host.sysctls.get("fs.inotify.max_user_instances"), Some(&128));
    assert_eq!(host.sysctls.get("fs.inotify.max_user_watches"), Some(&65536));
    assert!(host.occupied, "what may not be read is there");
    let listed = text.replace("bin_dir = \"/opt/cni/bin\"", "bin_dirs = ['/usr/lib/cni', '/opt/cni/bin']");
    let host = read_host("n1", &HostAnswer { status: Some(0), output: &listed, errors: "" }).unwrap();
    assert_eq!(host.cni_binaries.as_deref(), Some("/usr/lib/cni"));
    assert!(!host.occupied);
}

/// ssh hands the command to the login's shell: no word of it may mean anything there.
#[test]
fn the_command_is_the_same_to_any_shell() {
    for word in host_command() {
        assert!(word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=./".contains(&byte)), "{word}");
    }
    assert!(!host_command().iter().any(|word| word.contains("shadow") || word.contains("/root")));
}

/// What `find` and `lsblk` of Debian 12 answer.
#[test]
fn devices_are_what_they_lead_to() {
    let references = [
        "sdb",
        "/dev/disk/by-id/wwn-0x1",
        "/dev/disk/by-id/wwn-0x2-part1",
        "/dev/disk/by-id/none",
        "/dev/disk/by-id/dm-name-vg-data",
    ];
    let references: Vec<String> = references.map(str::to_owned).into();
    let output = r#"/dev/sdb 
/dev/disk/by-id/wwn-0x1 ../../sdc
/dev/disk/by-id/wwn-0x2-part1 ../../sda1
/dev/disk/by-id/dm-name-vg-data ../../dm-0
{
   "blockdevices": [
      {"path": "/dev/sda", "type": "disk", "size": 274877906944, "fstype": null, "pttype": "gpt", "mountpoints": [null],
       "children": [{"path": "/dev/sda1", "type": "part", "size": 1073741824, "fstype": "ext4", "pttype": "gpt", "mountpoints": ["/boot"]}]},
      {"path": "/dev/sdb", "type": "disk", "size": 2000398934016, "fstype": null, "pttype": null, "mountpoints": [null]},
      {"path": "/dev/sdc", "type": "disk", "size": "2000398934016", "fstype": "LVM2_member", "pttype": null, "mountpoints": [null],
       "children": [{"kname": "dm-0", "path": "/dev/mapper/vg-data", "type": "lvm", "size": 1, "fstype": "xfs", "mountpoints": ["/srv", null]}]}
   ]
}
"#;
    let errors = "find: '/dev/disk/by-id/none': No such file or directory\n";
    let devices = read_devices("n1", &references, &HostAnswer { status: Some(0), output, errors }).unwrap();
    let device = |path: &str, kind: &str, bytes, signatures: &[&str], users: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        let (path, kind) = (path.to_owned(), kind.to_owned());
        Some(DeviceObservation { path, kind, bytes, signatures: owned(signatures), users: owned(users) })
    };
    let expected = [
        ("sdb", device("/dev/sdb", "disk", 2_000_398_934_016, &[], &[])),
        (
            "/dev/disk/by-id/wwn-0x1",
            device("/dev/sdc", "disk", 2_000_398_934_016, &["LVM2_member"], &["/dev/mapper/vg-data"]),
        ),
        ("/dev/disk/by-id/wwn-0x2-part1", device("/dev/sda1", "part", 1_073_741_824, &["ext4", "gpt"], &["/boot"])),
        ("/dev/disk/by-id/none", None),
        ("/dev/disk/by-id/dm-name-vg-data", device("/dev/mapper/vg-data", "lvm", 1, &["xfs"], &["/srv"])),
    ];
    assert_eq!(devices, expected.map(|(reference, device)| (reference.to_owned(), device)).into());
}

/// References of an inventory may hold what means something to a shell, though no quote.
#[test]
fn a_reference_is_one_word_to_a_shell() {
    let command = device_command(&["/dev/disk/by-id/usb-a\\x2fb".to_owned(), "sdb".to_owned()]);
    assert_eq!(command.get(3..5).unwrap(), ["'/dev/disk/by-id/usb-a\\x2fb'", "'/dev/sdb'"]);
    let plain = |word: &&String| word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_=./,".contains(&byte));
    let others: Vec<&str> = command.iter().filter(|word| !plain(word)).map(String::as_str).collect();
    assert_eq!(others, ["'/dev/disk/by-id/usb-a\\x2fb'", "'/dev/sdb'", "'%p %l\\n'", ";"]);
}
