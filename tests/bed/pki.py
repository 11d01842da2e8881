"""Certificates for tests and the demo: an authority, its intermediates and leaves, all EC P-256."""

import datetime
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_HOUR = datetime.timedelta(hours=1)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)


def pem(*certificates: x509.Certificate) -> str:
    """The certificates as PEM, in the order given."""
    return "".join(each.public_bytes(serialization.Encoding.PEM).decode() for each in certificates)


@dataclass(frozen=True)
class Leaf:
    """A server's certificate with its key and the intermediates that it is sent with."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey
    intermediates: tuple[x509.Certificate, ...]

    @property
    def fullchain_pem(self) -> str:
        """Leaf, then intermediates; never the root."""
        return pem(self.certificate, *self.intermediates)

    @property
    def key_pem(self) -> str:
        """The private key, PKCS #8, not encrypted."""
        form = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        return self.key.private_bytes(*form).decode()

    def write(self, folder: Path, stem: str) -> tuple[Path, Path]:
        """Write `STEM.pem` (the full chain) and `STEM.key` (0600) into `folder`; returns both paths."""
        folder.mkdir(parents=True, exist_ok=True)
        chain, key = folder / f"{stem}.pem", folder / f"{stem}.key"
        chain.write_text(self.fullchain_pem)
        key.touch(mode=0o600)
        key.write_text(self.key_pem)
        return chain, key


@dataclass(frozen=True)
class Authority:
    """A certificate authority; `path` is its own certificate and those above it, without the root."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey = field(repr=False)
    path: tuple[x509.Certificate, ...] = ()

    @classmethod
    def create(cls, name: str, *, days: float = 3650) -> "Authority":
        """A self-signed root that is valid from an hour ago for `days`."""
        key = ec.generate_private_key(ec.SECP256R1())
        return cls(_authority_certificate(name, key, None, days), key)

    def intermediate(self, name: str, *, days: float = 1825) -> "Authority":
        """An authority signed by this one."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _authority_certificate(name, key, self, days)
        return Authority(certificate, key, (certificate, *self.path))

    def issue(
        self,
        *names: str,
        days: float = 90,
        not_before: datetime.datetime | None = None,
        key: ec.EllipticCurvePrivateKey | None = None,
    ) -> Leaf:
        """A server certificate for `names` (host names, wildcards or addresses), valid `days` from `not_before`.

        Without names it has no subject alternative name at all.
        """
        key = key or ec.generate_private_key(ec.SECP256R1())
        start = not_before or _now() - _HOUR
        builder = (
            _builder(x509.Name([]), self.certificate.subject, key, start, days)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(_usage(signs_certificates=False), critical=True)
            .add_extension(_authority_key(self), critical=False)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(list(_general_names(names))), critical=True)
        return Leaf(builder.sign(self.key, hashes.SHA256()), key, self.path)

    def issue_client(self, user: str, *groups: str, days: float = 1) -> Leaf:
        """A client's certificate: Kubernetes takes the common name as user and the organisations as groups."""
        key = ec.generate_private_key(ec.SECP256R1())
        organisations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in groups]
        subject = x509.Name([*organisations, x509.NameAttribute(NameOID.COMMON_NAME, user)])
        builder = _builder(subject, self.certificate.subject, key, _now() - _HOUR, days).add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False
        )
        return Leaf(builder.sign(self.key, hashes.SHA256()), key, self.path)

    @property
    def pem(self) -> str:
        """The authority's own certificate: what a client trusts."""
        return pem(self.certificate)


def _general_names(names: Iterable[str]) -> Iterable[x509.GeneralName]:
    for name in names:
        try:
            yield x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            yield x509.DNSName(name)


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _authority_key(authority: Authority) -> x509.AuthorityKeyIdentifier:
    return x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key())


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    start: datetime.datetime,
    days: float,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + datetime.timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _authority_certificate(name: str, key: ec.EllipticCurvePrivateKey, parent: Authority | None, days: float) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    issuer = parent.certificate.subject if parent else subject
    builder = (
        _builder(subject, issuer, key, _now() - _HOUR, days)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
    )
    if parent:
        builder = builder.add_extension(_authority_key(parent), critical=False)
    return builder.sign(parent.key if parent else key, hashes.SHA256())
