//! Which nginx, built with which OpenSSL.

use super::codes;
use crate::diagnostic::{Diagnostic, Place};

/// A version of nginx.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct NginxVersion {
    /// The first number.
    pub major: u32,
    /// The second: even for stable releases.
    pub minor: u32,
    /// The third.
    pub patch: u32,
}

impl NginxVersion {
    /// The oldest that understands what we write: the first with `ssl_reject_handshake`. Tested are Debian's 1.22.1 and 1.26.3.
    pub const OLDEST: Self = Self::new(1, 19, 4);

    /// A version.
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self { major, minor, patch }
    }

    /// The version in what `nginx -V` or `nginx -v` prints, or a bare one such as `1.22.1`; `None` if there is none.
    pub fn said(output: &str) -> Option<Self> {
        let said = output.lines().next().unwrap_or_default().trim();
        let word = said.strip_prefix("nginx version: nginx/").or(said.strip_prefix("nginx/")).unwrap_or(said);
        word.split_whitespace().next()?.parse().ok()
    }

    /// Whether HTTP/2 is a directive of its own (`http2 on`); before 1.25.1 it is a word of `listen`.
    pub fn has_http2_directive(self) -> bool {
        self >= Self::new(1, 25, 1)
    }
}

impl std::fmt::Display for NginxVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl std::str::FromStr for NginxVersion {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut numbers = text.splitn(3, '.').map(|part| part.parse::<u32>().map_err(drop));
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(major), Some(minor), Some(patch)) => Ok(Self::new(major?, minor?, patch?)),
            _ => Err(()),
        }
    }
}

/// How the version of an nginx is written.
pub const NGINX_VERSION_FORM: &str = "write its three numbers, for example `1.22.1`, or what `nginx -V` prints, for example `nginx version: nginx/1.22.1`";

/// What `nginx -V` says of itself, as far as the configuration depends on it.
///
/// ```
/// use pharos_core::edge::NginxBuild;
/// let build = NginxBuild::parse("nginx version: nginx/1.26.3\nbuilt with OpenSSL 3.5.1 1 Jul 2025\n").unwrap();
/// assert_eq!((build.version.to_string().as_str(), build.openssl), ("1.26.3", Some((3, 5))));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct NginxBuild {
    /// The version.
    pub version: NginxVersion,
    /// First and second number of the OpenSSL that it runs with; `None` where it is not said (`nginx -v`).
    pub openssl: Option<(u32, u32)>,
}

impl NginxBuild {
    /// From what `nginx -V` or `nginx -v` prints (to its standard error), or a bare version such as `1.22.1`.
    ///
    /// `edge/nginx-version` is raised for a text without a version and for an nginx that is too old.
    pub fn parse(output: &str) -> Result<Self, Diagnostic> {
        let version = NginxVersion::said(output).ok_or_else(|| {
            let said = output.lines().next().unwrap_or_default().trim();
            let message = format!("`{}` is not the version of an nginx", said.escape_debug());
            Diagnostic::error(codes::NGINX_VERSION, message).at(Place::named("nginx -V"), "").help(NGINX_VERSION_FORM)
        })?;
        if version < NginxVersion::OLDEST {
            let message = format!("nginx {version} is too old: it cannot refuse the handshake for unknown names");
            let help = format!(
                "install nginx {} or later; Debian 12 brings 1.22, Debian 13 brings 1.26",
                NginxVersion::OLDEST
            );
            return Err(Diagnostic::error(codes::NGINX_VERSION, message).at(Place::named("nginx -V"), "").help(help));
        }
        Ok(Self { version, openssl: openssl(output) })
    }
}

/// The OpenSSL that nginx runs with, which may be newer than the one it was built with.
fn openssl(output: &str) -> Option<(u32, u32)> {
    let at = |before: &str| output.split_once(before).map(|(_, rest)| rest);
    let rest = at("running with OpenSSL ").or_else(|| at("built with OpenSSL "))?;
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

#[cfg(test)]
mod tests {
    use super::{NginxBuild, NginxVersion};

    #[test]
    fn every_way_to_say_it() {
        let bookworm = "nginx version: nginx/1.22.1\n\
            built with OpenSSL 3.0.22 25 Aug 2026 (running with OpenSSL 3.5.1 1 Jul 2025)\nTLS SNI support enabled\n";
        for (text, openssl) in [
            (bookworm, Some((3, 5))),
            ("nginx version: nginx/1.22.1\nbuilt with OpenSSL 3.0.15 3 Sep 2024\n", Some((3, 0))),
            ("nginx version: nginx/1.22.1 (Ubuntu)\n", None),
            ("nginx/1.22.1", None),
            ("1.22.1", None),
            ("nginx version: nginx/1.22.1\nbuilt with BoringSSL\n", None),
        ] {
            let build = NginxBuild::parse(text).unwrap();
            assert_eq!((build.version, build.openssl), (NginxVersion::new(1, 22, 1), openssl), "{text}");
        }
    }

    #[test]
    fn the_words_of_others_and_the_past_are_refused() {
        for text in
            ["", "Apache/2.4", "nginx version: openresty/1.25.3.1", "1.22", "1.19.3", "nginx: command not found"]
        {
            assert_eq!(NginxBuild::parse(text).unwrap_err().code.name(), "edge/nginx-version", "{text}");
        }
    }

    #[test]
    fn http2_is_a_directive_from_1_25_1() {
        for (text, directive) in [("1.22.1", false), ("1.25.0", false), ("1.25.1", true), ("1.26.3", true)] {
            assert_eq!(text.parse::<NginxVersion>().unwrap().has_http2_directive(), directive, "{text}");
        }
    }
}
