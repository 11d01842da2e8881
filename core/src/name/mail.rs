//! Mail addresses.

use super::{HostName, NameError, codes, error::quoted, macros::text_name};

/// A bare mail address, `local@host`: the local part is a dot-atom (RFC 5321 section 4.1.2) of `a-z A-Z 0-9 _ + -` and dots.
///
/// ```
/// use pharos_core::name::MailAddress;
/// assert!("no-reply@example.org".parse::<MailAddress>().is_ok());
/// assert!("Pharos <no-reply@example.org>".parse::<MailAddress>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct MailAddress(Box<str>);

fn atom(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte))
}

impl std::str::FromStr for MailAddress {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let sound = text.split_once('@').is_some_and(|(local, host)| {
            local.len() <= 64 && local.split('.').all(atom) && host.parse::<HostName>().is_ok()
        });
        if sound {
            return Ok(Self(text.into()));
        }
        Err(NameError::new(
            codes::MAIL_ADDRESS,
            format!("{} is not a bare mail address", quoted(text)),
            "write `name@host`, the host in lower case, without a display name or angle brackets",
        ))
    }
}

text_name!(MailAddress, "mail-address", "a bare mail address, name@host");

#[cfg(test)]
mod tests {
    use super::MailAddress;

    #[test]
    fn only_bare_addresses() {
        for good in ["a@b.c", "first.last+tag@mail.example.org"] {
            assert!(good.parse::<MailAddress>().is_ok(), "{good}");
        }
        for bad in ["", "a", "@b.c", "a@", "a@b", "a@@b.c", ".a@b.c", "a..b@c.d", "a b@c.d", "a@b.c\r\nBcc: x@y.z"] {
            assert!(bad.parse::<MailAddress>().is_err(), "{bad:?}");
        }
    }
}
