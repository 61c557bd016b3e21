"""Keys as OpenSSL's own verifier and real Zenoh sessions see them."""

import json
import os
import shutil
import socket
import ssl
import stat
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zenoh

from movenv.runtime import keys
from movenv.runtime.keys import Credentials, KeysError, make_keys


@pytest.fixture(scope="module")
def run_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run") / "keys"
    make_keys(folder, ["pi"])
    return folder


@pytest.fixture(scope="module")
def other_keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other") / "keys"
    make_keys(folder, ["pi"])
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_layout_and_who_may_read_it(run_keys: Path) -> None:
    names = sorted(str(path.relative_to(run_keys)) for path in run_keys.rglob("*"))
    files = [f"{who}/{file}" for who in ("core", "operator", "pi")
             for file in ("ca.pem", "cert.pem", "key.pem")]  # fmt: skip
    assert names == sorted(["ca.pem", "ca.key", "core", "operator", "pi", *files])
    for path in (run_keys, *run_keys.rglob("*")):
        mode = stat.S_IMODE(path.stat().st_mode)
        if path.is_dir():
            assert mode == 0o700
        elif "key" in path.name:
            assert mode == 0o600
    assert len({(run_keys / who / "key.pem").read_bytes() for who in ("core", "pi")}) == 2


def test_openssl_accepts_both_ends(run_keys: Path) -> None:
    client, server = shake_hands(run_keys / "pi", run_keys / "core")
    names = dict(pair[0] for pair in client["subject"])
    assert names["commonName"] == "core"
    assert ("DNS", "core") in client["subjectAltName"]
    assert ("IP Address", "127.0.0.1") in client["subjectAltName"]
    assert dict(pair[0] for pair in server["subject"])["commonName"] == "pi"


def test_openssl_refuses_another_runs_folder(run_keys: Path, other_keys: Path) -> None:
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(other_keys / "pi", run_keys / "core")


def shake_hands(client: Path, server: Path) -> tuple[dict, dict]:
    """Mutual TLS in memory by Python's ssl; what each end learned of the other."""
    ends = []
    for folder, side in ((client, ssl.PROTOCOL_TLS_CLIENT), (server, ssl.PROTOCOL_TLS_SERVER)):
        context = ssl.SSLContext(side)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.verify_flags |= ssl.VERIFY_X509_STRICT
        context.load_verify_locations(folder / "ca.pem")
        context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
        ends.append(context)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    one = ends[0].wrap_bio(to_client, to_server)
    two = ends[1].wrap_bio(to_server, to_client, server_side=True)
    waiting = [one, two]
    while waiting:
        for end in list(waiting):
            try:
                end.do_handshake()
                waiting.remove(end)
            except ssl.SSLWantReadError:
                pass
    return one.getpeercert(), two.getpeercert()


def test_a_machine_added_later_has_the_same_authority(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "keys"
    assert [made.name for made in make_keys(folder, days=3)] == ["core", "operator"]
    before = contents(folder)
    (added,) = make_keys(folder, ["host-3", "host-3"], days=99)
    assert added.name == "host-3"
    assert 2.9 < added.days_left < 3.0  # no longer than its authority
    shake_hands(folder / "host-3", folder / "core")
    assert before.items() <= contents(folder).items()


@pytest.mark.parametrize("names", [["pi"], ["new", "core"], []])
def test_what_exists_is_never_overwritten(run_keys: Path, names: list[str]) -> None:
    before = contents(run_keys)
    with pytest.raises(KeysError, match="already"):
        make_keys(run_keys, names)
    assert contents(run_keys) == before


@pytest.mark.parametrize("name", ["", "a b", "../up", "Pi", "ca.pem", "-x", "ü", "a" * 64])
def test_names_are_plain(tmp_path: Path, name: str) -> None:
    with pytest.raises(KeysError, match="small letters"):
        make_keys(tmp_path / "keys", [name])
    assert not (tmp_path / "keys").exists()


def test_half_an_authority_is_not_replaced(tmp_path: Path) -> None:
    make_keys(tmp_path)
    (tmp_path / "ca.key").unlink()
    with pytest.raises(KeysError, match=r"there is no .*ca\.key"):
        make_keys(tmp_path, ["pi"])
    assert not (tmp_path / "pi").exists()


def test_a_folder_is_read(run_keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run_keys)
    found = Credentials.read(Path("pi"))
    assert found.name == "pi"
    assert 29 < found.days_left < 30
    assert found.certificate == run_keys / "pi" / "cert.pem"
    assert found.key.is_absolute()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda pi, _: (pi / "key.pem").unlink(), "there is no .*key.pem"),
        (lambda pi, _: (pi / "ca.pem").unlink(), "there is no .*ca.pem"),
        (lambda pi, _: (pi / "cert.pem").write_text("x"), "cert.pem holds no certificate"),
        (lambda pi, _: (pi / "key.pem").write_text("x"), "key.pem holds no private key"),
        (lambda pi, other: shutil.copy(other / "pi/key.pem", pi), "is not the key of"),
        (lambda pi, other: shutil.copy(other / "pi/ca.pem", pi), "of different runs"),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_in_words(
    run_keys: Path, other_keys: Path, tmp_path: Path, spoil, said: str
) -> None:
    shutil.copytree(run_keys / "pi", tmp_path / "pi")
    spoil(tmp_path / "pi", other_keys)
    with pytest.raises(KeysError, match=said):
        Credentials.read(tmp_path / "pi")


def test_the_folder_of_all_keys_is_not_taken_for_a_machines(run_keys: Path) -> None:
    with pytest.raises(KeysError, match=r"such as .*keys/core"):
        Credentials.read(run_keys)


@pytest.mark.parametrize(("days", "said"), [(31, "ended on"), (-2, "clock right")])
def test_dates_are_checked(
    run_keys: Path, monkeypatch: pytest.MonkeyPatch, days: int, said: str
) -> None:
    class Later(datetime):
        @classmethod
        def now(cls, tz=None) -> datetime:
            return datetime.now(tz) + timedelta(days=days)

    monkeypatch.setattr(keys, "datetime", Later)
    with pytest.raises(KeysError, match=said):
        Credentials.read(run_keys / "pi")
    with pytest.raises(KeysError, match=said):
        make_keys(run_keys, ["late"])


def movenv(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "movenv", *words], cwd=cwd, capture_output=True, text=True
    )


def test_the_command(tmp_path: Path) -> None:
    done = movenv("keys", "k", "pi", "--days", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    until = (datetime.now(UTC) + timedelta(days=2)).strftime("%Y-%m-%d")
    assert f"k/pi  until {until}" in done.stdout
    assert "Carry each folder to its machine" in done.stdout
    again = movenv("keys", "k", "pi", cwd=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")
    assert again.stderr == "k/pi exists already; nothing was changed\n"
    (tmp_path / "file").touch()
    blocked = movenv("keys", "file/k", cwd=tmp_path)
    assert blocked.returncode == 2
    assert blocked.stderr.startswith("cannot write ")


PROTOCOLS = ("tls", "quic")


def settings(mode: str, endpoint: str, tls: dict | None) -> zenoh.Config:
    config = zenoh.Config()
    for key, value in {
        "mode": mode,
        "listen/endpoints": [endpoint] if mode == "router" else [],
        "connect/endpoints": [endpoint] if mode == "client" else [],
        "connect/timeout_ms": 0,
        "scouting/multicast/enabled": False,
        "scouting/gossip/enabled": False,
        "transport/link/tls": tls or {},
    }.items():
        config.insert_json5(key, json.dumps(value))
    return config


@pytest.fixture(params=PROTOCOLS)
def router(request: pytest.FixtureRequest, run_keys: Path):
    """The endpoint of a router in this process that has a subscriber; what it heard."""
    kind = socket.SOCK_STREAM if request.param == "tls" else socket.SOCK_DGRAM
    with socket.socket(socket.AF_INET, kind) as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"{request.param}/127.0.0.1:{free.getsockname()[1]}"
    tls = Credentials.read(run_keys / "core").tls()
    with zenoh.open(settings("router", endpoint, tls)) as session:
        yield endpoint, session.declare_subscriber("hello")


def test_a_machine_with_its_folder_takes_part(router, run_keys: Path) -> None:
    endpoint, heard = router
    tls = Credentials.read(run_keys / "pi").tls()
    with zenoh.open(settings("client", endpoint, tls)) as session:
        session.put("hello", "here", congestion_control=zenoh.CongestionControl.BLOCK)
        assert heard.recv().payload.to_string() == "here"


def stranger(who: str, run_keys: Path, other_keys: Path) -> dict | None:
    """What somebody without a folder of this run might show."""
    other = Credentials.read(other_keys / "pi").tls()
    ours = {"root_ca_certificate": str(run_keys / "ca.pem")}
    return {
        "no certificate": ours | {"verify_name_on_connect": False},
        "another run": other,
        "another run, trusting ours": other | ours,
        "nothing": None,
        "plain": None,
    }[who]


@pytest.mark.parametrize(
    "who", ["no certificate", "another run", "another run, trusting ours", "nothing", "plain"]
)
def test_a_stranger_is_refused(router, run_keys: Path, other_keys: Path, who: str) -> None:
    endpoint, heard = router
    if who == "plain":
        endpoint = "tcp/" + endpoint.partition("/")[2]
    config = settings("client", endpoint, stranger(who, run_keys, other_keys))
    with pytest.raises(zenoh.ZError, match="Unable to connect"):
        zenoh.open(config)
    assert heard.try_recv() is None


def test_a_listener_says_on_standard_output_why_it_refuses(
    run_keys: Path, other_keys: Path
) -> None:
    """Zenoh has no callback for a refused link: who counts them reads these lines."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        endpoint = f"tls/127.0.0.1:{free.getsockname()[1]}"
    tls = Credentials.read(run_keys / "core").tls()
    program = (
        "import sys, zenoh\n"
        "zenoh.init_log_from_env_or('warn')\n"
        "with zenoh.open(zenoh.Config.from_json5(sys.argv[1])):\n"
        "    print('up', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    listener = subprocess.Popen(
        [sys.executable, "-c", program, str(settings("router", endpoint, tls))],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"NO_COLOR": "1"},
    )  # fmt: skip
    assert listener.stdout.readline() == "up\n"
    reasons = {
        "another run": "received fatal alert: UnknownCA",
        "no certificate": "peer sent no certificates",
        "another run, trusting ours": "invalid peer certificate: UnknownIssuer",
    }
    for who, reason in reasons.items():
        with pytest.raises(zenoh.ZError):
            zenoh.open(settings("client", endpoint, stranger(who, run_keys, other_keys)))
        line = listener.stdout.readline()
        assert " WARN " in line
        assert f"zenoh_link_tls::unicast: {reason}. " in line
    assert listener.communicate(timeout=60) == ("", "")
