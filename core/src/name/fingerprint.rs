//! Fingerprints of certificates.

use super::{NameError, codes, error::quoted, macros::text_name};

/// SHA-256 over the DER form of a certificate: 64 lower-case hexadecimal digits.
///
/// ```
/// use pharos_core::name::CertificateFingerprint;
/// assert!("ab".repeat(32).parse::<CertificateFingerprint>().is_ok());
/// assert!("ab:cd".parse::<CertificateFingerprint>().is_err());
/// ```
#[derive(Clone, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct CertificateFingerprint(Box<str>);

impl std::str::FromStr for CertificateFingerprint {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let is_fingerprint =
            |text: &str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if is_fingerprint(text) {
            return Ok(Self(text.into()));
        }
        let plain = text.replace(':', "").to_ascii_lowercase();
        let help = if is_fingerprint(&plain) {
            format!("write `{plain}`")
        } else {
            "write the 64 hexadecimal digits of its SHA-256, in lower case and without colons".to_owned()
        };
        let message = format!("{} is not the fingerprint of a certificate", quoted(text));
        Err(NameError::new(codes::CERTIFICATE_FINGERPRINT, message, help))
    }
}

text_name!(
    CertificateFingerprint,
    "certificate-fingerprint",
    "SHA-256 of a certificate, 64 lower-case hexadecimal digits"
);

#[cfg(test)]
mod tests {
    use super::CertificateFingerprint;

    #[test]
    fn the_help_writes_openssl_s_form_anew() {
        let error = vec!["AB"; 32].join(":").parse::<CertificateFingerprint>().unwrap_err();
        assert_eq!(error.help, format!("write `{}`", "ab".repeat(32)));
        assert!("ab".repeat(31).parse::<CertificateFingerprint>().is_err());
    }
}
