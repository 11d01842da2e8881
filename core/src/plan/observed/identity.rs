//! Which site it is: the identities that are expected, and whether nothing of a site is there yet.

use super::about;
use crate::diagnostic::{Diagnostic, Findings, Place};
use crate::plan::{Expected, Observations, codes};

/// Holds what was seen against the identities that are expected. One that nothing confirms is refused as another one is: whoever is
/// told to expect a site does not go on without it.
pub(super) fn judge(seen: &Observations, expected: &Expected, findings: &mut Findings) {
    let cluster = seen.cluster.as_ref().map(|cluster| cluster.uid.as_str());
    let ceph = seen.ceph.as_ref().map(|ceph| ceph.fsid.as_str());
    let pairs = [
        (cluster, &expected.cluster_uid, codes::OTHER_CLUSTER, "cluster", "pharos_expected_cluster_uid"),
        (ceph, &expected.ceph_fsid, codes::OTHER_CEPH, "Ceph cluster", "pharos_expected_ceph_fsid"),
    ];
    for (there, wanted, code, what, variable) in pairs {
        // The value that is expected is private, and is not shown.
        let Some(wanted) = wanted else { continue };
        findings.push(match there {
            Some(there) if there == wanted => continue,
            Some(there) => Diagnostic::error(code, format!("this is another {what} than `{variable}` names"))
                .at(about(what, there), "what answers")
                .help(format!(
                    "check INVENTORY and KUBECONFIG; if this is the right site, correct `{variable}` of the primary"
                )),
            None => Diagnostic::error(
                codes::UNCONFIRMED_IDENTITY,
                format!("`{variable}` names the {what} of this site, and none was seen"),
            )
            .at(Place::named(variable), "")
            .help(format!(
                "check KUBECONFIG, and mend why nothing was seen; where the {what} is to be installed anew, take `{variable}` from \
                 the primary"
            )),
        });
    }
}

/// Whether an installation would be a fresh one, as far as was seen: hosts were read and none of them holds anything of a cluster,
/// there is no kubeconfig to ask one by, and the inventory expects neither a cluster nor a Ceph. `api_refused` says that the API was
/// to be seen and was not: then a cluster may stand. Nothing is concluded from what was not looked at.
pub fn is_fresh(seen: &Observations, expected: &Expected, api_refused: bool) -> bool {
    let expects_none = expected.cluster_uid.is_none() && expected.ceph_fsid.is_none();
    let holds_none = !seen.hosts.is_empty() && !seen.hosts.values().any(|host| host.occupied);
    !api_refused && expects_none && seen.cluster.is_none() && seen.ceph.is_none() && holds_none
}
