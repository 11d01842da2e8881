//! Keys and signatures by their object identifiers, and which of them still hold.

/// A public key: its kind and size.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Key {
    /// RSA, with the bits of the modulus; `pss` where the key is bound to RSASSA-PSS.
    Rsa { bits: usize, pss: bool },
    /// An elliptic curve, by the name that TLS uses.
    Curve(&'static str),
    /// Anything else, by name or object identifier.
    Other(String),
}

/// What a key is worth at a public edge.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum KeyGrade {
    /// Every client takes it.
    Good,
    /// Sound, but not every client takes it.
    Uncommon,
    /// It can be broken, or soon.
    Weak,
    /// No client offers it.
    Unsupported,
}

impl Key {
    /// The key of an algorithm, the curve (or other parameter) and the RSA modulus size.
    pub(super) fn new(algorithm: &str, parameter: Option<&str>, rsa_bits: Option<usize>) -> Self {
        match (algorithm, rsa_bits) {
            ("1.2.840.113549.1.1.1", Some(bits)) => Self::Rsa { bits, pss: false },
            ("1.2.840.113549.1.1.10", Some(bits)) => Self::Rsa { bits, pss: true },
            ("1.2.840.10045.2.1", _) => match parameter {
                Some(oid) => curve(oid).map_or_else(|| Self::Other(format!("EC {oid}")), Self::Curve),
                None => Self::Other("EC with explicit parameters".to_owned()),
            },
            ("1.3.101.112", _) => Self::Other("Ed25519".to_owned()),
            ("1.3.101.113", _) => Self::Other("Ed448".to_owned()),
            ("1.2.840.10040.4.1", _) => Self::Other("DSA".to_owned()),
            _ => Self::Other(algorithm.to_owned()),
        }
    }

    /// Judges it. RSA below 2048 bits and P-192 give less than the 112 bits of OpenSSL's security level 2; browsers offer
    /// P-256 and P-384 for certificates, and few other curves.
    pub(super) fn grade(&self) -> KeyGrade {
        match self {
            Self::Rsa { bits, .. } if *bits < 2048 => KeyGrade::Weak,
            Self::Rsa { pss: false, .. } | Self::Curve("P-256" | "P-384") => KeyGrade::Good,
            Self::Curve("P-192") => KeyGrade::Weak,
            Self::Rsa { pss: true, .. } | Self::Curve("P-521") => KeyGrade::Uncommon,
            Self::Other(name) if name == "Ed25519" || name == "Ed448" => KeyGrade::Uncommon,
            Self::Curve(_) | Self::Other(_) => KeyGrade::Unsupported,
        }
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Rsa { bits, pss: false } => write!(f, "RSA {bits}"),
            Self::Rsa { bits, pss: true } => write!(f, "RSA-PSS {bits}"),
            Self::Curve(name) => write!(f, "EC {name}"),
            Self::Other(name) => f.write_str(name),
        }
    }
}

fn curve(oid: &str) -> Option<&'static str> {
    Some(match oid {
        "1.2.840.10045.3.1.1" => "P-192",
        "1.3.132.0.33" => "P-224",
        "1.2.840.10045.3.1.7" => "P-256",
        "1.3.132.0.34" => "P-384",
        "1.3.132.0.35" => "P-521",
        "1.3.132.0.10" => "secp256k1",
        "1.3.36.3.3.2.8.1.1.7" => "brainpoolP256r1",
        "1.3.36.3.3.2.8.1.1.11" => "brainpoolP384r1",
        "1.3.36.3.3.2.8.1.1.13" => "brainpoolP512r1",
        _ => return None,
    })
}

/// The name of a signature algorithm, and whether its hash can be forged.
pub(super) fn signature(oid: &str) -> (&str, bool) {
    match oid {
        "1.2.840.113549.1.1.2" => ("md2WithRSAEncryption", true),
        "1.2.840.113549.1.1.4" => ("md5WithRSAEncryption", true),
        "1.2.840.113549.1.1.5" | "1.3.14.3.2.29" => ("sha1WithRSAEncryption", true),
        "1.2.840.10045.4.1" => ("ecdsa-with-SHA1", true),
        "1.2.840.10040.4.3" => ("dsa-with-SHA1", true),
        "1.2.840.113549.1.1.10" => ("rsassaPss", false),
        "1.2.840.113549.1.1.14" => ("sha224WithRSAEncryption", false),
        "1.2.840.113549.1.1.11" => ("sha256WithRSAEncryption", false),
        "1.2.840.113549.1.1.12" => ("sha384WithRSAEncryption", false),
        "1.2.840.113549.1.1.13" => ("sha512WithRSAEncryption", false),
        "1.2.840.10045.4.3.1" => ("ecdsa-with-SHA224", false),
        "1.2.840.10045.4.3.2" => ("ecdsa-with-SHA256", false),
        "1.2.840.10045.4.3.3" => ("ecdsa-with-SHA384", false),
        "1.2.840.10045.4.3.4" => ("ecdsa-with-SHA512", false),
        "1.3.101.112" => ("Ed25519", false),
        "1.3.101.113" => ("Ed448", false),
        other => (other, false),
    }
}
