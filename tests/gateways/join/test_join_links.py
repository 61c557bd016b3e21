"""Links, their pictures, and the certificate under which they open."""

import ssl
import stat
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from movenv.gateways import certificate
from movenv.gateways.certificate import make_certificate
from movenv.gateways.join.links import Links, LinksUnreadable
from movenv.gateways.join.qr import qr_svg, qr_terminal


def test_every_vehicle_has_a_secret_of_128_bits_of_its_own() -> None:
    tokens = {link.token for link in Links(f"v{n}" for n in range(500))}
    assert len(tokens) == 500
    assert all(len(token) >= 22 for token in tokens)  # 22 base64 letters are 132 bits


def test_a_link_is_good_for_the_first_phone_and_for_no_other() -> None:
    link = Links(["medic"]).of("medic")
    assert link.good_for("first")
    assert link.good_for("second")
    link.claim("first")
    assert link.good_for("first")
    assert not link.good_for("second")


def test_a_revoked_link_is_good_for_nobody() -> None:
    links = Links(["medic"])
    links.of("medic").claim("first")
    links.revoke("medic")
    assert not links.of("medic").good_for("first")


def test_a_renewed_link_is_another_and_free_again() -> None:
    links = Links(["medic", "rover"])
    old = links.of("medic")
    old.claim("first")
    new = links.renew("medic")
    assert new.token != old.token
    assert links.with_token(old.token) is None
    assert links.with_token(new.token) is new
    assert new.good_for("second")


def test_links_are_the_same_after_they_were_kept_and_the_phones_secret_is_not_in_it() -> None:
    links = Links(["medic", "rover"])
    links.of("medic").claim("secret-of-the-phone")
    links.revoke("rover")
    kept = links.encoded()
    assert b"secret-of-the-phone" not in kept
    again = Links(["medic", "rover", "late"], kept)
    assert again.of("medic").token == links.of("medic").token
    assert again.of("medic").good_for("secret-of-the-phone")
    assert not again.of("medic").good_for("other")
    assert again.of("rover").revoked
    assert not again.of("late").used


@pytest.mark.parametrize("kept", [b"{", b"{}", b'[{"vehicle": 1}]', b"\xff"])
def test_a_broken_file_of_links_is_refused(kept: bytes) -> None:
    with pytest.raises(LinksUnreadable):
        Links(["medic"], kept)


def test_who_has_no_link_is_named() -> None:
    with pytest.raises(ValueError, match="no vehicle 'nobody' joins through a link; there are: a"):
        Links(["a"]).of("nobody")


URL = "https://192.168.1.5:47443/j/0123456789abcdefghijkl"


def test_the_code_on_a_terminal_is_black_on_white_and_square() -> None:
    lines = qr_terminal(URL).split("\n")
    assert all(line.startswith("\x1b[") and line.endswith("\x1b[0m") for line in lines)
    bare = [line.split("m", 1)[1].removesuffix("\x1b[0m") for line in lines]
    (width,) = {len(line) for line in bare}
    assert len(bare) == (width + 1) // 2
    assert bare[0].strip() == bare[1].strip() == ""  # quiet around it
    assert bare[2][4:11] == "█▀▀▀▀▀█"  # the upper edge of the finder


def test_the_code_as_a_picture_is_svg() -> None:
    assert "<svg" in qr_svg(URL)
    assert "http" not in qr_svg(URL).replace("http://www.w3.org/2000/svg", "")


def test_a_certificate_is_good_for_this_machine_and_every_name(tmp_path: Path) -> None:
    cert, key = make_certificate(tmp_path / "tls", ["192.168.1.5", "field.local", "::1"])
    found = x509.load_pem_x509_certificate(cert.read_bytes())
    names = found.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert set(names.get_values_for_type(x509.DNSName)) == {"localhost", "field.local"}
    assert set(map(str, names.get_values_for_type(x509.IPAddress))) == {
        "127.0.0.1",
        "192.168.1.5",
        "::1",
    }
    assert found.not_valid_before_utc < datetime.now(UTC) - timedelta(hours=23)
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)


def test_a_certificate_is_kept_while_it_covers_the_names(tmp_path: Path) -> None:
    cert, _ = make_certificate(tmp_path, ["192.168.1.5"])
    first = cert.read_bytes()
    make_certificate(tmp_path, ["192.168.1.5"])
    make_certificate(tmp_path, [])
    assert cert.read_bytes() == first
    make_certificate(tmp_path, ["192.168.1.6"])
    assert cert.read_bytes() != first


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cert, key: cert.write_bytes(b"-----BEGIN CERTIFICATE-----\nAAAA\n"),
        lambda cert, key: key.unlink(),
        lambda cert, key: key.write_bytes(b"none"),
        lambda cert, key: key.write_bytes(make_certificate(key.parent / "b", [])[1].read_bytes()),
    ],
)
def test_a_broken_certificate_is_made_anew(
    tmp_path: Path, spoil: Callable[[Path, Path], None]
) -> None:
    cert, key = make_certificate(tmp_path, [])
    spoil(cert, key)
    make_certificate(tmp_path, [])
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(cert, key)


def test_one_that_is_nearly_over_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as brief:
        brief.setattr(certificate, "LASTS", timedelta(days=1))
        cert, _ = make_certificate(tmp_path, [])
    first = cert.read_bytes()
    make_certificate(tmp_path, [])
    assert cert.read_bytes() != first
