//! Names that may be repeated. A variable that slipped among the hosts (`password=...` below `[group]`) makes a host of that name: its
//! value is a secret, and nothing but this module ever looks at it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::Ipv6Addr;

use super::{Facts, GroupFacts};

/// Facts in which every host and group has a name that can be one. This is the only way from [`Facts`] to a judgement.
pub(super) struct PlainFacts<'f> {
    facts: Cow<'f, Facts>,
    /// What was left out.
    pub(super) odd: Vec<Odd<'f>>,
}

/// A host or group whose name can be none.
pub(super) struct Odd<'f> {
    /// The group that it is in; itself, for a group.
    pub(super) group: &'f str,
    /// The host; `None` for a group.
    pub(super) host: Option<&'f str>,
}

impl<'f> PlainFacts<'f> {
    /// Leaves out the hosts whose names can be none, and shows of such a group what may be shown: its members stay.
    pub(super) fn of(facts: &'f Facts) -> Self {
        let mut odd: Vec<Odd<'_>> = Vec::new();
        let mut known = BTreeSet::new();
        odd.extend(facts.groups.keys().filter(|group| !is_plain(group)).map(|group| Odd { group, host: None }));
        // `all` has the hosts of the others too: what is there alone comes last.
        let (all, others): (Vec<_>, Vec<_>) = facts.groups.iter().partition(|(group, _)| *group == "all");
        for (group, own) in others.into_iter().chain(all) {
            let hosts = own.hosts.iter().filter(|host| !is_plain(host) && known.insert(host.as_str()));
            odd.extend(hosts.map(|host| Odd { group, host: Some(host) }));
        }
        if odd.is_empty() && facts.hosts.keys().all(|host| is_plain(host)) {
            return Self { facts: Cow::Borrowed(facts), odd };
        }
        let name = |name: &String| shown(name).into_owned();
        let mut groups: BTreeMap<String, GroupFacts> = BTreeMap::new();
        for (group, own) in &facts.groups {
            let kept = groups.entry(name(group)).or_default();
            kept.hosts.extend(own.hosts.iter().filter(|host| is_plain(host)).cloned());
            kept.children.extend(own.children.iter().map(name));
        }
        let hosts = facts.hosts.iter().filter(|(host, _)| is_plain(host));
        let hosts = hosts.map(|(host, own)| (host.clone(), own.clone())).collect();
        Self { facts: Cow::Owned(Facts { sources: facts.sources.clone(), groups, hosts }), odd }
    }

    /// The facts.
    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }
}

impl Odd<'_> {
    fn name(&self) -> &str {
        self.host.unwrap_or(self.group)
    }

    /// What is wrong with it.
    pub(super) fn words(&self) -> String {
        let what = if self.host.is_some() { "host" } else { "group" };
        format!("`{}` is no name of a {what}", shown(self.name()))
    }

    /// What to write instead.
    pub(super) fn help(&self) -> String {
        let name = self.name();
        let at = name.find(is_odd).unwrap_or_default();
        let group = shown(self.group);
        match name.get(at..).and_then(|rest| rest.chars().next()) {
            _ if self.host.is_none() => "write letters, digits, `_`, `-` and `.`".to_owned(),
            Some('=' | ':') if matches!(&*group, "all" | "ungrouped") => {
                "a variable where hosts stand: write it below `[all:vars]`, or beside its host".to_owned()
            }
            Some('=' | ':') => {
                format!("a variable below `[{group}]`: write it below `[{group}:vars]`, or beside its host")
            }
            Some(blank) if blank.is_whitespace() && name.contains('=') => {
                "a line of INI in YAML: write the host alone as the key, and its variables below it".to_owned()
            }
            _ if name.contains([',', ' ']) => "write each host as a key, or on a line, of its own".to_owned(),
            _ => "write letters, digits, `_`, `-` and `.`; a name has no quotes and no template".to_owned(),
        }
    }
}

/// Whether a text can be the name of a host or group: letters, digits and what names have between these, or an address of IPv6. Names
/// that Kubernetes does not take are among them.
pub(crate) fn is_plain(name: &str) -> bool {
    !name.contains(is_odd) || name.split('%').next().is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

fn is_odd(c: char) -> bool {
    // What was no text of UTF-8 arrives as a replacement character.
    !(c.is_alphanumeric() || "_-./+@~,\u{fffd}".contains(c))
}

/// A name as it may be shown: all of one that can be one, and of another at most what stands before the first character that a name
/// does not have. What may itself be the secret, with the padding of base64 at its end, is not shown at all.
pub(crate) fn shown(name: &str) -> Cow<'_, str> {
    const MOST: usize = 40;
    if is_plain(name) {
        return name.into();
    }
    let at = name.find(is_odd).unwrap_or_default();
    let (before, rest) = name.split_at(at);
    let sign = rest.chars().next().filter(|c| matches!(c, '=' | ':')).map(String::from).unwrap_or_default();
    let padding = rest.bytes().all(|byte| byte == b'=');
    // Before a blank stands a host if variables follow, and else perhaps the first word of a secret.
    let variable =
        (!sign.is_empty() || rest.contains('=')) && before.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c));
    if padding || !variable || before.len() > MOST {
        "\u{2026}".into()
    } else {
        format!("{before}{sign}\u{2026}").into()
    }
}

#[cfg(test)]
mod tests {
    use super::{is_plain, shown};

    #[test]
    fn names_that_ansible_takes_are_shown() {
        for name in
            ["n1", "node1.example.org", "10.0.0.1", "fd00::1", "fe80::1%eth0", "NODE_1", "Büro-1", "rack/1", "n3,n4"]
        {
            assert!(is_plain(name), "{name}");
            assert_eq!(shown(name), name);
        }
    }

    #[test]
    fn of_what_is_no_name_the_beginning_is_shown() {
        for (name, expected) in [
            ("ansible_password=s3cret", "ansible_password=…"),
            ("password:s3cret", "password:…"),
            ("n2 ansible_host=10.0.0.2 ansible_password=s3cret:", "n2…"),
            ("{{ s3cret }}", "…"),
            ("'s3cret'", "…"),
            ("s3cret s3cret", "…"),
            ("s3cretS3cretS3cret==", "…"),
            ("s3cret+s3cret/s3cret=x", "…"),
            ("fd00::1=s3cret", "fd00:…"),
        ] {
            assert!(!is_plain(name), "{name}");
            assert_eq!(shown(name), expected);
        }
    }
}
