//! URL paths and how a route matches them.

use std::borrow::Cow;

use super::{NameError, codes, error::quoted, macros::text_name};

/// The path of a URL in normal form: begins with `/`, no empty, `.` or `..` segment (a final `/` is kept), only
/// 1024 bytes at most, only unreserved characters and `! $ & ' ( ) * + , = : @` of RFC 3986 section 3.3, except those that nginx would read: `$ ' ( ) *`
/// are left out, and so are `%`, `;` and `\`.
///
/// ```
/// use pharos_core::name::UrlPath;
/// assert!("/v1/site/commands/".parse::<UrlPath>().is_ok());
/// assert!("/v1/../admin".parse::<UrlPath>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct UrlPath(Box<str>);

impl UrlPath {
    /// The segments between slashes; a final slash adds none.
    pub fn segments(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// The path with a final slash: what it is as a folder.
    pub fn as_folder(&self) -> Cow<'_, str> {
        if self.0.ends_with('/') { Cow::Borrowed(&self.0) } else { Cow::Owned(format!("{}/", self.0)) }
    }
}

/// The folders that a path lies in, the nearest first: of `/a/b` they are `/a/` and `/`.
pub(crate) fn folders(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_suffix('/').unwrap_or(path);
    path.rmatch_indices('/').filter_map(move |(at, _)| path.get(..=at))
}

fn allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!&+,=:@/".contains(&byte)
}

impl std::str::FromStr for UrlPath {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = |help: &str| {
            NameError::new(codes::URL_PATH, format!("{} is not a path in normal form", quoted(text)), help)
        };
        let Some(rest) = text.strip_prefix('/') else {
            return Err(wrong("begin it with `/`"));
        };
        if let Some(odd) = text.chars().find(|c| !u8::try_from(*c).is_ok_and(allowed)) {
            return Err(wrong(&format!("leave out `{}`: write the decoded, plain form", odd.escape_debug())));
        }
        if text.len() > 1024 {
            return Err(wrong("write at most 1024 bytes"));
        }
        let body = rest.strip_suffix('/').unwrap_or(rest);
        if text != "/" && body.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(wrong("leave out empty, `.` and `..` segments"));
        }
        Ok(Self(text.into()))
    }
}

text_name!(UrlPath, "url-path", "a URL path in normal form, beginning with /");

/// Which paths a route takes.
#[derive(
    Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, serde::Deserialize, serde::Serialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PathMatch {
    /// This path alone.
    Exact(UrlPath),
    /// This path and all below it, by whole segments: `/v1/site` takes `/v1/site` and `/v1/site/x`, never `/v1/sitex`;
    /// `/v1/site/` takes only what follows the slash.
    Prefix(UrlPath),
}

impl PathMatch {
    /// The path as written.
    pub fn path(&self) -> &UrlPath {
        match self {
            Self::Exact(path) | Self::Prefix(path) => path,
        }
    }

    /// Whether a request for this (decoded, normal) path belongs to the route.
    pub fn takes(&self, path: &str) -> bool {
        match self {
            Self::Exact(exact) => path == exact.as_str(),
            Self::Prefix(prefix) => path
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || prefix.as_str().ends_with('/') || rest.starts_with('/')),
        }
    }
}

impl std::fmt::Display for PathMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(path) => write!(f, "= {path}"),
            Self::Prefix(path) => path.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PathMatch, UrlPath, folders};

    #[test]
    fn prefixes_take_whole_segments() {
        let prefix = |text: &str| PathMatch::Prefix(text.parse().unwrap());
        assert!(prefix("/v1/site").takes("/v1/site"));
        assert!(prefix("/v1/site").takes("/v1/site/x"));
        assert!(!prefix("/v1/site").takes("/v1/sitex"));
        assert!(!prefix("/v1/site/").takes("/v1/site"));
        assert!(prefix("/").takes("/anything"));
    }

    #[test]
    fn folders_and_their_paths() {
        let folder = |text: &str| text.parse::<UrlPath>().unwrap().as_folder().into_owned();
        assert_eq!(["/a", "/a/", "/"].map(folder), ["/a/", "/a/", "/"]);
        assert!(folders("/a/b/c").eq(["/a/b/", "/a/", "/"]));
        assert!(folders("/a/").eq(["/"]));
        assert!(folders("/").next().is_none());
    }

    #[test]
    fn only_normal_paths() {
        for good in ["/", "/a", "/a/", "/a/b.c/~d", "/.well-known/acme-challenge/"] {
            assert!(good.parse::<UrlPath>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "a",
            "//",
            "/a//b",
            "/a/./b",
            "/..",
            "/a;b",
            "/a b",
            "/a%2fb",
            "/a\\b",
            "/{a",
            "/a'",
            "/a\"",
            "/$x",
            "/a?b",
            "/é",
            "/a\n",
            &format!("/{}", "x".repeat(1024)),
        ] {
            assert!(bad.parse::<UrlPath>().is_err(), "{bad:?}");
        }
    }
}
