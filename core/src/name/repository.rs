//! Addresses of Git repositories.

use super::{HostName, NameError, Port, codes, macros::text_name};

/// A Git repository as Argo CD names it, `https://host/path` or `ssh://git@host/path`, never with a password, query or
/// fragment.
///
/// ```
/// use pharos_core::name::RepositoryUrl;
/// assert!("https://git.example.org/pharos/platform.git".parse::<RepositoryUrl>().is_ok());
/// assert!("https://user:secret@git.example.org/platform.git".parse::<RepositoryUrl>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct RepositoryUrl(Box<str>);

fn authority(text: &str) -> bool {
    match text.split_once(':') {
        None => text.parse::<HostName>().is_ok(),
        Some((host, port)) => host.parse::<HostName>().is_ok() && port.parse().ok().and_then(Port::new).is_some(),
    }
}

fn path(text: &str) -> bool {
    text.split('/').all(|segment| {
        segment.starts_with(|first: char| first.is_ascii_alphanumeric())
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    })
}

impl std::str::FromStr for RepositoryUrl {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("ssh://git@"));
        if rest.and_then(|rest| rest.split_once('/')).is_some_and(|(host, rest)| authority(host) && path(rest)) {
            return Ok(Self(text.into()));
        }
        // The text is not quoted: it may hold credentials.
        Err(NameError::new(
            codes::REPOSITORY,
            "this is not the address of a repository",
            "write `https://host/path.git` or `ssh://git@host/path.git`; credentials belong to Argo CD's own secret",
        ))
    }
}

text_name!(RepositoryUrl, "repository", "https://host/path or ssh://git@host/path, without credentials");

#[cfg(test)]
mod tests {
    use super::RepositoryUrl;

    #[test]
    fn only_repositories() {
        for good in ["https://a.b/c", "https://a.b:8443/c/d.git", "ssh://git@a.b/c.git"] {
            assert!(good.parse::<RepositoryUrl>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "https://a.b",
            "https://a.b/",
            "https://u@a.b/c",
            "ssh://git:p@a.b/c",
            "git@a.b:c.git",
            "http://a.b/c",
            "https://a.b/../c",
            "https://a.b/c?x",
            "https://a.b:0/c",
        ] {
            assert!(bad.parse::<RepositoryUrl>().is_err(), "{bad}");
        }
    }
}
