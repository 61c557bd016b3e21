"""Keys for one run on the network: a private authority, and a folder for each machine.

A run that is opened to the network admits only who holds a certificate of its own authority, and
nobody else's authority counts. So whoever holds a folder made here takes part, and whoever does
not is refused before a single message is read. Names are for people: what is checked is the
authority and the dates, not the name, since machines in a field change their addresses.
"""

import ipaddress
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from movenv.runtime.errors import WrongInput

EVERY_RUN = ("core", "operator")
"""Who always takes part."""
VALID_DAYS = 30
_CLOCK_BEHIND = timedelta(days=1)
"""Certificates begin in the past: a small computer's clock may be behind."""
_PRIVATE, _PUBLIC = 0o600, 0o644
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


class KeysError(WrongInput):
    """Keys that cannot be made or used, in words."""


@dataclass(frozen=True)
class Credentials:
    """What one machine shows and checks: the three files of its folder, found sound."""

    name: str
    ca: Path
    certificate: Path
    key: Path
    expires: datetime
    """When the certificate or its authority ends, whichever is first."""

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Check a folder that `movenv keys` made. Raises KeysError."""
        at = folder.absolute()
        ca_path, certificate_path, key_path = at / "ca.pem", at / "cert.pem", at / "key.pem"
        if not certificate_path.exists() and (at / "ca.key").exists():
            raise KeysError(
                f"{folder} holds the keys of all machines: name the folder of one, "
                f"such as {folder / EVERY_RUN[0]}"
            )
        ca, certificate = _read_certificate(ca_path), _read_certificate(certificate_path)
        if _read_key(key_path).public_key() != certificate.public_key():
            raise KeysError(f"{key_path} is not the key of {certificate_path}: copy both anew")
        try:
            certificate.verify_directly_issued_by(ca)
        except (ValueError, TypeError, InvalidSignature):
            raise KeysError(
                f"{certificate_path} was not issued by {ca_path}: they are of different runs"
            ) from None
        _check_dates(ca_path, ca)
        _check_dates(certificate_path, certificate)
        expires = min(ca.not_valid_after_utc, certificate.not_valid_after_utc)
        return cls(_common_name(certificate), ca_path, certificate_path, key_path, expires)

    @property
    def days_left(self) -> float:
        return (self.expires - datetime.now(UTC)) / timedelta(days=1)

    def tls(self) -> dict[str, str | bool]:
        """Zenoh's `transport/link/tls`, the same for who listens and who connects."""
        return {
            "root_ca_certificate": str(self.ca),
            "listen_certificate": str(self.certificate),
            "listen_private_key": str(self.key),
            "connect_certificate": str(self.certificate),
            "connect_private_key": str(self.key),
            "enable_mtls": True,
            "verify_name_on_connect": False,
        }


def make_keys(folder: Path, names: Sequence[str] = (), days: int = VALID_DAYS) -> list[Credentials]:
    """Make the authority of a run with its first folders, or add folders to one that is there.

    Nothing that exists is changed: raises KeysError instead, before anything is written.
    """
    begun = (folder / "ca.pem").exists() or (folder / "ca.key").exists()
    wanted = list(dict.fromkeys(names if begun else (*EVERY_RUN, *names)))
    if not wanted:
        raise KeysError(f"{folder} has its keys already; name whom to add: movenv keys {folder} pi")
    for name in wanted:
        _check_name(folder, name)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        ca, ca_key = _open_authority(folder) if begun else _make_authority(folder, days)
        return [_issue(folder / name, name, ca, ca_key, days) for name in wanted]
    except OSError as error:
        raise KeysError(f"cannot write {error.filename or folder}: {error.strerror}") from None


def _check_name(folder: Path, name: str) -> None:
    if not _NAME.fullmatch(name):
        raise KeysError(f"'{name}' cannot name a machine: use small letters, digits and hyphens")
    if os.path.lexists(folder / name):
        raise KeysError(f"{folder / name} exists already; nothing was changed")


def _make_authority(folder: Path, days: int) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    key = ec.generate_private_key(ec.SECP256R1())
    serial = x509.random_serial_number()
    name = _named(f"MoVE run {serial:x}"[:64])
    begins = datetime.now(UTC) - _CLOCK_BEHIND
    usage = _key_usage(key_cert_sign=True, crl_sign=True)
    ca = (
        x509.CertificateBuilder(name, name, key.public_key(), serial)
        .not_valid_before(begins)
        .not_valid_after(begins + _CLOCK_BEHIND + timedelta(days=days))
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .sign(key, hashes.SHA256())
    )
    _write(folder / "ca.key", _key_pem(key), _PRIVATE)
    _write(folder / "ca.pem", _pem(ca), _PUBLIC)
    return ca, key


def _open_authority(folder: Path) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    ca, key = _read_certificate(folder / "ca.pem"), _read_key(folder / "ca.key")
    if key.public_key() != ca.public_key():
        raise KeysError(f"{folder / 'ca.key'} is not the key of {folder / 'ca.pem'}")
    _check_dates(folder / "ca.pem", ca)
    return ca, key


def _issue(
    folder: Path, name: str, ca: x509.Certificate, ca_key: ec.EllipticCurvePrivateKey, days: int
) -> Credentials:
    """A folder for one machine, whose certificate ends no later than the authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.now(UTC)
    also = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    serial = x509.random_serial_number()
    both_ends = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    authority = x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key())
    certificate = (
        x509.CertificateBuilder(ca.subject, _named(name), key.public_key(), serial)
        .not_valid_before(ca.not_valid_before_utc)
        .not_valid_after(min(ca.not_valid_after_utc, now + timedelta(days=days)))
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_key_usage(digital_signature=True), critical=True)
        .add_extension(x509.ExtendedKeyUsage(both_ends), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name), *also]), critical=False)
        .add_extension(authority, critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    folder.mkdir(mode=0o700)
    _write(folder / "key.pem", _key_pem(key), _PRIVATE)
    _write(folder / "cert.pem", _pem(certificate), _PUBLIC)
    _write(folder / "ca.pem", _pem(ca), _PUBLIC)
    return Credentials.read(folder)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _common_name(certificate: x509.Certificate) -> str:
    names = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
    return str(names[0].value) if names else ""


_USAGES = (
    "digital_signature", "content_commitment", "key_encipherment", "data_encipherment",
    "key_agreement", "key_cert_sign", "crl_sign", "encipher_only", "decipher_only",
)  # fmt: skip


def _key_usage(**allowed: bool) -> x509.KeyUsage:
    return x509.KeyUsage(**(dict.fromkeys(_USAGES, False) | allowed))


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write(path: Path, content: bytes, mode: int) -> None:
    """Write a file that must not exist yet, never readable by more people than it may be."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(content)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise KeysError(f"there is no {path}; movenv keys makes it") from None
    except OSError as error:
        raise KeysError(f"cannot read {path}: {error.strerror}") from None


def _read_certificate(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(_read(path))
    except ValueError:
        raise KeysError(f"{path} holds no certificate") from None


def _read_key(path: Path) -> ec.EllipticCurvePrivateKey:
    content = _read(path)
    try:
        key = serialization.load_pem_private_key(content, password=None)
    except (ValueError, TypeError):  # TypeError: it wants a password
        raise KeysError(f"{path} holds no private key") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise KeysError(f"{path} holds a key that movenv keys did not make")
    return key


def _check_dates(path: Path, certificate: x509.Certificate) -> None:
    now = datetime.now(UTC)
    begins, ends = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    if now < begins:
        raise KeysError(f"{path} begins on {begins:%Y-%m-%d}: is this machine's clock right?")
    if now > ends:
        raise KeysError(f"{path} ended on {ends:%Y-%m-%d}; make new keys with movenv keys")
