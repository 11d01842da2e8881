//! Plans as they are read by people, at a terminal and in a browser.

use pharos_core::inventory::PrimaryBecause;
use pharos_core::plan::{self, Recorded};
use serde_json::json;

use super::{COMMIT, OBSERVATIONS, Site, merged, typed, value};

/// What an API server presents is judged by the rules of its time, and listed with what was read on the administration machine.
#[test]
fn certificates_are_listed_with_the_days_that_are_left() {
    let mut site = Site::of("example");
    let soon = json!({"cluster": {"certificate": {"not_after": "2026-12-02T00:00:00Z"}}});
    site.observations = typed(merged(value(OBSERVATIONS), &soon));
    let plan = site.draft(false);
    let left: Vec<i64> = plan.certificates.iter().map(|seen| seen.days_left).collect();
    assert_eq!(left, [1127, 2645, 274, 1]);
    let [finding] = plan.findings.as_slice() else { panic!("{:?}", plan.findings) };
    assert_eq!((finding.code.as_str(), json!(finding.grade)), ("certificate/expires-soon", json!("warning")));
    assert_eq!(finding.places, ["the API server: valid for 92 days"]);
    assert!(plan.obstacles.is_empty(), "a warning stands in no way");
    let html = plan::html(&plan);
    assert!(html.contains("pill warn\">1 day left") && html.contains("pill good\">274 days left"), "{html}");
    assert!(plan::human(&Recorded::Known(Box::new(plan))).contains("  the API server's               1 day left"));
    let over = json!({"cluster": {"certificate": {"not_after": "2026-11-29T00:00:00Z"}}});
    site.observations = typed(merged(value(OBSERVATIONS), &over));
    let plan = site.draft(false);
    assert_eq!(plan.certificates[3].days_left, -2);
    assert_eq!(plan.findings[0].code, "certificate/expired");
    assert!(!plan.obstacles.is_empty() && plan::html(&plan).contains("pill bad\">expired"));
}

#[test]
fn a_plan_reads_well() {
    let mut site = Site::of("example");
    site.observations = typed(merged(value(OBSERVATIONS), &json!({"ceph": {"health": "HEALTH_ERR"}})));
    for (name, plan) in [("online", site.draft(false)), ("offline", site.draft(true))] {
        let text = plan::human(&Recorded::Known(Box::new(plan)));
        insta::with_settings!({ snapshot_path => "../../plans", prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(name, text);
        });
    }
    let newer = plan::read("p", br#"{"version": 7, "environment": "ex\u001b[31mample", "fingerprints": {}}"#).unwrap();
    let text = plan::human(&newer);
    assert!(text.contains("version 7") && text.contains("authorises no change") && !text.contains('\u{1b}'), "{text}");
}

/// What a host has under the references of `storage_devices` stands in the plan, for the terminal and for a browser.
#[test]
fn devices_are_shown_as_they_were_found() {
    let mut site = Site::of("example");
    let one = json!({"path": "/dev/nvme0n1", "kind": "disk", "bytes": 2_000_398_934_016_u64});
    let devices = json!({"/dev/disk/by-id/nvme-one": one, "/dev/disk/by-id/nvme-nine": null});
    site.observations = typed(merged(value(OBSERVATIONS), &json!({"hosts": {"n2": {"devices": devices}}})));
    let plan = site.draft(false);
    let free = "/dev/nvme0n1, 1.8 TiB, free";
    assert!(plan::html(&plan).contains(&format!("/dev/disk/by-id/nvme-one: {free}")));
    let text = plan::human(&Recorded::Known(Box::new(plan)));
    assert!(text.contains(&format!("  n2  /dev/disk/by-id/nvme-one   {free}\n")), "{text}");
    assert!(text.contains("  n2  /dev/disk/by-id/nvme-nine  not there\n"), "{text}");
}

/// With modern names alone no group names the primary: what makes it one is stated.
#[test]
fn the_primary_is_stated_with_its_reason() {
    let mut site = Site::of("example");
    site.topology.primary.because = PrimaryBecause::FirstControlPlane;
    let plan = site.draft(true);
    let reason = "primary: the first control plane host";
    assert!(plan::html(&plan).contains(reason));
    assert!(plan::human(&Recorded::Known(Box::new(plan))).contains(reason));
}

/// Every text of a plan that its reader did not choose, each with what would leave its place if it were not escaped.
const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x>&";

#[test]
fn a_report_shows_hostile_text_as_text_and_loads_nothing() {
    let hostile = serde_json::to_string(HOSTILE).unwrap();
    let name = &hostile[1..hostile.len() - 1];
    let text = plan::write(&Site::of("example").draft(false))
        .replace("storage-node", name)
        .replace("calico", "cilium")
        .replace("edge1", name)
        .replace("CN=kube-apiserver", name)
        .replace("CN=kubernetes", name)
        .replace(COMMIT, name)
        .replace("\"layers\"", &format!("\"findings\": [{{\"grade\": \"error\", \"code\": {hostile}, \"message\": {hostile}, \"places\": [{hostile}], \"help\": {hostile}}}], \"layers\""));
    let Recorded::Known(plan) = plan::read("p", text.as_bytes()).unwrap() else { panic!("known") };
    let newer = text.replacen("\"version\": 2", "\"version\": 3", 1).replace("\"deploy-plan\"", &hostile);
    let newer = plan::read("p", newer.as_bytes()).unwrap();
    for html in [plan::html(&plan), plan::html_record(&newer)] {
        assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"), "{html}");
        for forbidden in ["<script", "<img", "src=", "url(", "@import", "<link", "<iframe", "onload", "style=\""] {
            let html = html.replace("&lt;", "\u{1}").replace("img src=x", "").replace("img src", "");
            assert!(!html.contains(forbidden), "{forbidden} in {html}");
        }
        let links = html.split("href=\"").skip(1).filter(|link| !link.starts_with('#')).count();
        assert_eq!(links, 0);
    }
}

#[test]
fn a_report_shows_what_the_record_holds() {
    let plan = Site::of("example").draft(false);
    let html = plan::html(&plan);
    for text in ["n1", "10.0.0.11", "platform.example.org", "274 days left", "edge1, edge2", "site-api.pharos:443"] {
        assert!(html.contains(text), "{text}");
    }
    assert!(html.contains("Nothing stands in the way"));
    assert!(plan::html(&Site::of("example").draft(true)).contains("This plan authorises no change"));
    assert!(plan::html(&Site::of("icaruscloudlab").draft(true)).contains("a foundation alone"));
}
