//! The primary: exactly one, and a control plane host.

use super::super::group::Part;
use super::super::judge::{Judge, at, names};
use super::super::{PrimaryBecause, codes};
use super::group::absent;
use crate::diagnostic::Diagnostic;

/// The primary; the first that could be it if the inventory does not say.
pub(in super::super) fn judge<'a>(judge: &mut Judge<'a>) -> Option<(&'a str, PrimaryBecause)> {
    let control_plane = judge.cluster.hosts(Part::ControlPlane);
    let hosts = judge.cluster.hosts(Part::Primary);
    let Some(group) = judge.cluster.groups(Part::Primary).first().map(|group| group.name) else {
        return derived(judge, &control_plane);
    };
    match &*hosts {
        [] => {
            let diagnostic = Diagnostic::error(codes::EMPTY_GROUP, format!("group `{group}` has no member"));
            let diagnostic = at(diagnostic, judge.at_group(group), "");
            judge.push(diagnostic.help("give it one control plane host"));
        }
        [_] => {}
        several => {
            let words = format!("there is one primary, and `{group}` has {}: {}", several.len(), names(several));
            let diagnostic = at(Diagnostic::error(codes::SEVERAL_PRIMARIES, words), judge.at_group(group), "");
            judge.push(diagnostic.help("keep one of them; the others stay in the control plane"));
        }
    }
    for host in hosts.iter() {
        if !control_plane.contains(host) && !control_plane.is_empty() {
            let words = format!("{}: in `{group}`, and no control plane host", names(&[host]));
            let help = format!("name one of the control plane hosts: {}", names(&control_plane));
            let named =
                judge.cluster.groups(Part::Primary).iter().find(|written| written.hosts().any(|it| it == *host));
            let place = judge.at_member(named.map_or(group, |written| written.home(host)), host);
            judge.push(at(Diagnostic::error(codes::PRIMARY_ROLE, words), place, "").help(help));
        }
    }
    hosts.first().map(|host| (*host, PrimaryBecause::Group))
}

/// With modern names alone no group names the primary: it is the first control plane host, as with Kubespray.
fn derived<'a>(judge: &mut Judge<'a>, control_plane: &[&'a str]) -> Option<(&'a str, PrimaryBecause)> {
    let native = judge.cluster.groups(Part::ControlPlane).iter().any(|group| group.name.contains("master"));
    if native {
        absent(judge, Part::Primary);
    }
    let node = control_plane.first().copied()?;
    if let (false, Some(group)) = (native, judge.cluster.groups(Part::ControlPlane).first()) {
        let words = format!("{}: the primary, for it is the first host of `{}`", names(&[node]), group.name);
        let diagnostic =
            at(Diagnostic::note(codes::PRIMARY_DERIVED, words), judge.at_member(group.home(node), node), "");
        judge.push(
            diagnostic
                .help("to have another, or to keep this one whatever stands first, add a group `kube-master-primary`"),
        );
    }
    Some((node, PrimaryBecause::FirstControlPlane))
}
