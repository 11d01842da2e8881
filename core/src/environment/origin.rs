//! Which variable a path comes from.

use super::Site;
use super::paths::within;
use crate::diagnostic::{Diagnostic, Findings, Report};

/// A report on files, with the variable that each path comes from: whoever reads of a file that they never named looks for it there.
pub fn origins(site: &Site, report: &Report) -> Report {
    let mut findings = Findings::new();
    for diagnostic in report.diagnostics() {
        findings.push(with_origin(site, diagnostic.clone()));
    }
    findings.into_report()
}

fn with_origin(site: &Site, mut diagnostic: Diagnostic) -> Diagnostic {
    let Some(label) = diagnostic.labels.first_mut() else { return diagnostic };
    if diagnostic.code.room() == "file"
        && label.text.is_empty()
        && let Some(origin) = origin(site, label.place.file())
    {
        label.text = origin;
    }
    diagnostic
}

/// What a path has to do with a variable of the selection; `None` for nothing.
fn origin(site: &Site, path: &str) -> Option<String> {
    let paths = &site.paths;
    let own = format!("{}/{}", paths.private_root, site.environment);
    let beside = paths.inventory.rsplit_once('/').map_or("", |(above, _)| above);
    // Kubespray puts its kubeconfig into a folder beside the inventory, `artifacts/admin.conf`.
    if path != beside && within(path, beside) && path != paths.kubeconfig && within(&paths.kubeconfig, path) {
        return Some("on the way to `KUBECONFIG`".to_owned());
    }
    // The most specific first.
    let named = [
        ("INVENTORY", paths.inventory.as_str()),
        ("KUBECONFIG", &paths.kubeconfig),
        ("INVENTORY", beside),
        ("STATE_DIR", &paths.state),
        ("PHAROS_PRIVATE_ROOT", &own),
        ("PHAROS_PRIVATE_ROOT", &paths.private_root),
    ];
    let named = named.into_iter().filter(|(_, named)| !named.is_empty());
    if let Some((variable, root)) = named.clone().find(|(_, root)| within(path, root)) {
        return Some(if path == root { format!("`{variable}`") } else { format!("below `{variable}`") });
    }
    let above = |root: &str| within(root, path);
    let variables: Vec<String> = ["PHAROS_PRIVATE_ROOT", "INVENTORY", "KUBECONFIG", "STATE_DIR"]
        .into_iter()
        .filter(|variable| named.clone().any(|(name, root)| name == *variable && above(root)))
        .map(|variable| format!("`{variable}`"))
        .collect();
    (!variables.is_empty()).then(|| format!("on the way to {}", variables.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::origins;
    use crate::diagnostic::{Diagnostic, Findings, Place};
    use crate::environment::{Given, Operation, Site, select};
    use crate::file::codes;

    fn site() -> Site {
        let given = Given {
            variables: [("ENV", "example"), ("STATE_DIR", "/srv/records"), ("INVENTORY", "/srv/i/hosts.yml")]
                .map(|(name, text)| (name.to_owned(), text.to_owned()))
                .into(),
            environments: vec!["example".to_owned()],
            home: "/h".to_owned(),
            directory: "/d".to_owned(),
            ..Given::default()
        };
        select(Operation::DeployPlan, &given).unwrap()
    }

    #[test]
    fn a_kubeconfig_beside_the_inventory_is_a_kubeconfig() {
        let mut site = site();
        site.paths.kubeconfig = "/srv/i/artifacts/admin.conf".to_owned();
        for (path, origin) in [
            ("/srv/i/artifacts/admin.conf", "`KUBECONFIG`"),
            ("/srv/i/artifacts", "on the way to `KUBECONFIG`"),
            ("/srv/i/artifacts/kubectl.sh", "below `INVENTORY`"),
            ("/srv/i", "`INVENTORY`"),
            ("/srv/i/hosts.yml", "`INVENTORY`"),
        ] {
            assert_eq!(super::origin(&site, path).as_deref(), Some(origin), "{path}");
        }
    }

    #[test]
    fn each_path_names_its_variable() {
        let site = site();
        for (path, origin) in [
            ("/srv/records", "`STATE_DIR`"),
            ("/srv/records/plans/a.json", "below `STATE_DIR`"),
            ("/srv/i/hosts.yml", "`INVENTORY`"),
            ("/srv/i/group_vars/all.yml", "below `INVENTORY`"),
            ("/srv", "on the way to `INVENTORY`, `STATE_DIR`"),
            ("/h/.config/pharos/environments/example/admin/kubeconfig", "`KUBECONFIG`"),
            ("/h/.config/pharos/environments/example/aai.json", "below `PHAROS_PRIVATE_ROOT`"),
            ("/h/.config", "on the way to `PHAROS_PRIVATE_ROOT`, `KUBECONFIG`"),
            ("/elsewhere/aai.json", ""),
        ] {
            let mut findings = Findings::new();
            findings.push(Diagnostic::error(codes::MODE, "m").at(Place::named(path), ""));
            let named = origins(&site, &findings.into_report());
            assert_eq!(named.diagnostics()[0].labels[0].text, origin, "{path}");
        }
    }
}
