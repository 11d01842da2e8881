//! URL paths and how a route matches them.

use super::{NameError, codes, macros::text_name};

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
    #[must_use]
    pub fn as_folder(&self) -> Self {
        if self.0.ends_with('/') { self.clone() } else { Self(format!("{}/", self.0).into()) }
    }

    /// The path without its final slash; `None` if it has none or is `/`.
    pub fn without_final_slash(&self) -> Option<Self> {
        self.0.strip_suffix('/').filter(|rest| !rest.is_empty()).map(|rest| Self(rest.into()))
    }

    /// The folders that it lies in, the nearest first: of `/a/b` they are `/a/` and `/`.
    pub fn folders(&self) -> impl Iterator<Item = Self> {
        let path = self.0.strip_suffix('/').unwrap_or(&self.0);
        path.rmatch_indices('/').filter_map(|(at, _)| path.get(..=at)).map(|folder| Self(folder.into()))
    }
}

fn allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-._~!&+,=:@/".contains(&byte)
}

impl std::str::FromStr for UrlPath {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = |help: &str| {
            NameError::new(codes::URL_PATH, format!("`{}` is not a path in normal form", text.escape_debug()), help)
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
    use super::{PathMatch, UrlPath};

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
        let path = |text: &str| text.parse::<UrlPath>().unwrap();
        assert_eq!((path("/a").as_folder(), path("/a/").as_folder()), (path("/a/"), path("/a/")));
        assert_eq!(path("/").as_folder(), path("/"));
        let stems = ["/a/", "/a", "/"].map(|text| path(text).without_final_slash());
        assert_eq!(stems, [Some(path("/a")), None, None]);
        assert!(path("/a/b/c").folders().eq([path("/a/b/"), path("/a/"), path("/")]));
        assert!(path("/a/").folders().eq([path("/")]));
        assert!(path("/").folders().next().is_none());
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
