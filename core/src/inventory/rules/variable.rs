//! The variables `pharos_*`: no other than those that exist, with a value that means something, on the host that is asked for them.

use serde_json::Value;

use super::super::judge::{Fault, Judge};
use super::super::plain::shown;
use super::super::{ApiAccess, Bindings, PREFIX, codes};
use crate::diagnostic::{Code, suggest};

/// A variable that exists: its name, whether a value fits, and what to write.
struct Known {
    name: &'static str,
    fits: fn(&str) -> bool,
    help: &'static str,
    /// Whether it says something of the whole site, so that any host may have it if the primary has it too.
    of_site: bool,
}

const KNOWN: [Known; 4] = [
    Known {
        name: "pharos_api_access",
        fits: |text| matches!(text, "ssh" | "direct"),
        help: "write `ssh`, or leave it out where the API is reached directly",
        of_site: false,
    },
    Known {
        name: "pharos_expected_ceph_fsid",
        fits: is_uuid,
        help: "write the fsid that Ceph reports, in quotes",
        of_site: true,
    },
    Known {
        name: "pharos_expected_cluster_uid",
        fits: is_uuid,
        help: "write the UID of the namespace `kube-system`, in quotes",
        of_site: true,
    },
    Known {
        name: "pharos_external_aai_file",
        fits: is_file_path,
        help: "write the absolute path of the file on the administration machine, without `..`",
        of_site: false,
    },
];

/// Absolute or below the home, and every directory on the way named: each of them is judged.
fn is_file_path(text: &str) -> bool {
    let absolute = text.starts_with('/') || text.starts_with("~/");
    let upwards = text.split('/').any(|part| part == "..");
    absolute && !upwards && !text.ends_with('/') && !text.chars().any(char::is_control)
}

/// The names of the variables that exist: of no other one is the value looked at.
pub fn names() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.name)
}

/// What the primary binds.
pub(in super::super) fn judge(judge: &mut Judge<'_>, primary: &str) -> Bindings {
    for (host, facts) in &judge.facts.hosts {
        for (name, value) in &facts.pharos {
            let Some(known) = KNOWN.iter().find(|known| known.name == name) else {
                unknown(judge, host, name);
                continue;
            };
            if !value.is_null() && !value.as_str().is_some_and(known.fits) {
                let what = format!("`{name}` has a value that it cannot have");
                fault(judge, host, name, codes::VARIABLE_VALUE, what, known.help);
            } else if !value.is_null() && host != primary && !primary.is_empty() {
                elsewhere(judge, host, known, value, primary);
            }
        }
    }
    let values = &judge.host(primary).pharos;
    let text = |name: &str| values.get(name).and_then(Value::as_str).map(str::to_owned);
    Bindings {
        external_aai_file: text("pharos_external_aai_file"),
        api_access: match values.get("pharos_api_access").and_then(Value::as_str) {
            Some("ssh") => ApiAccess::Ssh,
            _ => ApiAccess::Direct,
        },
        expected_cluster_uid: text("pharos_expected_cluster_uid"),
        expected_ceph_fsid: text("pharos_expected_ceph_fsid"),
    }
}

fn unknown<'a>(judge: &mut Judge<'a>, host: &'a str, name: &str) {
    let rest = |name: &'static str| name.strip_prefix(PREFIX).unwrap_or(name);
    let near = suggest::nearest(name.strip_prefix(PREFIX).unwrap_or(name), KNOWN.iter().map(|known| rest(known.name)));
    let help = match near {
        Some(near) => format!("did you mean `{PREFIX}{near}`?"),
        None => format!(
            "there are {}; leave it out, or name it without `{PREFIX}`",
            KNOWN.map(|known| format!("`{}`", known.name)).join(", ")
        ),
    };
    let what = format!("there is no variable `{}`", shown(name).escape_debug());
    fault(judge, host, name, codes::UNKNOWN_VARIABLE, what, &help);
}

/// The primary alone is asked. What is the same there and for all hosts comes from a common group.
fn elsewhere<'a>(judge: &mut Judge<'a>, host: &'a str, known: &Known, value: &Value, primary: &str) {
    let asked = judge.host(primary).pharos.get(known.name).filter(|asked| !asked.is_null());
    if asked == Some(value) {
        return;
    }
    let what = match (asked, known.of_site) {
        (None, _) => format!("`{}` on a host that is not asked for it", known.name),
        (Some(_), true) => format!("`{}` has another value than on the primary", known.name),
        (Some(_), false) => format!("`{}` is the primary's, which has another value", known.name),
    };
    let help = format!("write it at the primary, {}, alone", primary.escape_debug());
    fault(judge, host, known.name, codes::VARIABLE_HOST, what, &help);
}

fn fault<'a>(judge: &mut Judge<'a>, host: &'a str, name: &str, code: Code, what: String, help: &str) {
    let place = judge.at_variable(host, name, &[]);
    judge.fault(host, Fault::error(code, what, help).at(place));
}

/// Eight, four, four, four and twelve hexadecimal digits (RFC 9562), in lower case as Kubernetes and Ceph write them.
fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}

#[cfg(test)]
mod tests {
    use super::is_file_path;

    /// Every directory on the way is judged, which one that goes upwards would leave.
    #[test]
    fn a_file_is_named_by_its_whole_way() {
        for path in ["/private/aai.json", "~/aai.json", "/a..b/..c"] {
            assert!(is_file_path(path), "{path}");
        }
        for path in ["aai.json", "", "/private/", "/private/../aai.json", "~/..", "~ada/aai.json", "/a\u{0}b", "/a\nb"]
        {
            assert!(!is_file_path(path), "{path:?}");
        }
    }
}
