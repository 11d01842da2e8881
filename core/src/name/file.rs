//! Paths of files.

use super::{NameError, codes, error::quoted, macros::text_name};

/// The absolute path of a file or folder in normal form: begins with `/`, no empty, `.` or `..` segment, no final slash, no
/// control character and no `$`, 1024 bytes at most.
///
/// nginx reads a `$` in the path of a certificate or log as a variable and has no escape for it, so such a path could leave its
/// place in a configuration.
///
/// ```
/// use pharos_core::name::AbsolutePath;
/// assert!("/etc/letsencrypt/live/a.example.org/fullchain.pem".parse::<AbsolutePath>().is_ok());
/// assert!("/etc/ssl/$ssl_server_name.pem".parse::<AbsolutePath>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct AbsolutePath(Box<str>);

impl std::str::FromStr for AbsolutePath {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let wrong = |help: &str| {
            let message = format!("{} is not an absolute path in normal form", quoted(text));
            NameError::new(codes::ABSOLUTE_PATH, message, help)
        };
        let Some(rest) = text.strip_prefix('/') else {
            let help = if text.starts_with('~') {
                "write the home out: whose it would be is not known where this is read"
            } else {
                "begin it with `/`"
            };
            return Err(wrong(help));
        };
        if text.len() > 1024 {
            return Err(wrong("write at most 1024 bytes"));
        }
        if text.contains('$') || text.chars().any(char::is_control) {
            return Err(wrong("leave out `$` and control characters"));
        }
        if rest.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(wrong("leave out empty, `.` and `..` segments and the final `/`"));
        }
        Ok(Self(text.into()))
    }
}

text_name!(AbsolutePath, "absolute-path", "an absolute path in normal form, without $");

#[cfg(test)]
mod tests {
    use super::AbsolutePath;

    #[test]
    fn a_home_is_written_out() {
        for text in ["~", "~/acme", "~nginx/acme"] {
            assert!(text.parse::<AbsolutePath>().unwrap_err().help.starts_with("write the home out"), "{text}");
        }
        assert_eq!("acme".parse::<AbsolutePath>().unwrap_err().help, "begin it with `/`");
    }

    #[test]
    fn only_normal_paths() {
        for good in ["/a", "/var/www/acme", "/etc/ssl/own certificates/é.pem"] {
            assert!(good.parse::<AbsolutePath>().is_ok(), "{good}");
        }
        for bad in ["", "a", "/", "/a/", "//a", "/a/../b", "/a/./b", "/a\n", "/$a", &format!("/{}", "x".repeat(1024))] {
            assert!(bad.parse::<AbsolutePath>().is_err(), "{bad:?}");
        }
    }
}
