"""A certificate for HTTPS on this machine: browsers give a page the phone's place only over HTTPS.

It is self-signed, so whoever opens the page is warned once and goes on.
"""

import ipaddress
import os
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

ALWAYS = ("localhost", "127.0.0.1")
BEGINS = timedelta(days=-1)
"""In the past, because the clocks of phones are off."""
LASTS = timedelta(days=30)
LEFT = timedelta(days=2)
"""One that ends sooner is made anew, so that none ends in the middle of a test."""


def make_certificate(folder: Path, names: Sequence[str]) -> tuple[Path, Path]:
    """Paths of a certificate and its key, good for this machine under all `names` (or IPs).

    The one that is in `folder` is kept while it lasts and has all names, because each new one
    means another warning on every phone.
    """
    cert, key = folder / "cert.pem", folder / "key.pem"
    wanted = sorted({*ALWAYS, *names})
    if not _still_good(cert, key, wanted):
        folder.mkdir(parents=True, exist_ok=True)
        secret = ec.generate_private_key(ec.SECP256R1())
        _write(key, 0o600, _pem_of(secret))
        _write(cert, 0o644, _signed(secret, wanted).public_bytes(serialization.Encoding.PEM))
    return cert, key


def _signed(secret: ec.EllipticCurvePrivateKey, names: Sequence[str]) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "MoVE on this machine")])
    now = datetime.now(UTC)
    usage = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(secret.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + BEGINS)
        .not_valid_after(now + LASTS)
        .add_extension(x509.SubjectAlternativeName([_name(n) for n in names]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(usage, critical=False)
        .sign(secret, hashes.SHA256())
    )


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _still_good(cert: Path, key: Path, names: Sequence[str]) -> bool:
    try:
        found = x509.load_pem_x509_certificate(cert.read_bytes())
        secret = serialization.load_pem_private_key(key.read_bytes(), None)
        covered = set(found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except (OSError, ValueError, TypeError, x509.ExtensionNotFound):
        return False  # none yet, or a broken one: a new one is made
    now = datetime.now(UTC)
    return (
        secret.public_key() == found.public_key()
        and found.not_valid_before_utc <= now
        and found.not_valid_after_utc > now + LEFT
        and covered >= {_name(name) for name in names}
    )


def _pem_of(secret: ec.EllipticCurvePrivateKey) -> bytes:
    return secret.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def _write(path: Path, mode: int, data: bytes) -> None:
    """Whole or not at all, and never readable by others in between."""
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
        file.write(data)
    os.replace(new, path)
