"""Bad links, several machines and strangers, with real processes and sockets."""

import os
import random
import resource
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import msgspec
import pytest

from movenv.recording.reader import Recording
from movenv.runtime.keys import Credentials, make_keys
from movenv.runtime.live import bus as keys
from movenv.runtime.live import wire
from movenv.runtime.live.bus import Bus

from .bad_network import LossyProxy, machines
from .processes import (
    MOVENV,
    LiveRun,
    free_port,
    is_so_within,
    lacks_only_what_is_told,
    live_run,
    movenv,
    wait_until,
)

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time


class Process:
    """A movenv command that runs beside the test, with a log of what it says."""

    def __init__(self, folder: Path, name: str, command: list[str]) -> None:
        self.log = folder / f"{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log)

    def said(self) -> str:
        return self.log.read_text()

    def end(self, timeout: float = 20.0) -> int:
        return self.process.wait(timeout)

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def beside() -> Iterator[list[Process]]:
    started: list[Process] = []
    yield started
    for process in started:
        process.kill()


def start(beside: list[Process], folder: Path, name: str, *words: str, inside=()) -> Process:
    beside.append(Process(folder, name, [*inside, *MOVENV, *words]))
    return beside[-1]


def ask(bus: Bus, what: bytes = b"vehicles") -> dict:
    return msgspec.json.decode(bus.ask(keys.STATUS, what))


def host_status(bus: Bus, name: str) -> dict:
    return next((h for h in ask(bus)["hosts"] if h["host"] == name), {})


@pytest.mark.long
def test_a_host_behind_a_bad_link_stays_in_the_run(tmp_path: Path, beside: list[Process]) -> None:
    """30% loss and 200 ± 100 ms of delay, each way. How soon things arrive is up to QUIC.

    Mostly that is seconds. A link that was quiet for its whole lease is made anew, and over this
    network that can take minutes: then the network gets better for a while, as it does in a field,
    and the host must be back with the command. At least one command arrives without that.
    """
    make_keys(tmp_path / "keys", ["far"])
    port = free_port()
    proxy = LossyProxy(port)
    core = f"quic/127.0.0.1:{port}"
    ours = ("--keys", "keys/operator")
    try:
        start(beside, tmp_path, "core", "core", "three-uavs", "--listen", core, "--set",
              "time.duration=600", "--keys", "keys/core")  # fmt: skip
        credentials = Credentials.read(tmp_path / "keys/operator")
        bus = wait_until(lambda: _connected(core, credentials))
        start(beside, tmp_path, "near", "host", "--name", "near", "--vehicles", "uav-[12]",
              "--core", core, *ours)  # fmt: skip
        start(beside, tmp_path, "far", "host", "--name", "far", "--vehicles", "uav-3", "--core",
              f"quic/127.0.0.1:{proxy.port}", "--keys", "keys/far")  # fmt: skip
        wait_until(lambda: ask(bus)["waiting"] == 0)
        assert movenv("state", "set", "--core", core, *ours, cwd=tmp_path).returncode == 0
        proxy.worsen(loss=0.3, delay=0.2, jitter=0.1)
        time.sleep(2)
        arrivals = []
        unaided = 0
        for state in ("go", "pause", "go"):
            before = time.monotonic()
            assert movenv("state", state, "--core", core, *ours, cwd=tmp_path).returncode == 0
            arrived = partial(_arrived, bus, "uav-3", state)
            if is_so_within(60, arrived):
                unaided += 1
            else:
                proxy.mend()
                wait_until(arrived)
                proxy.worsen(loss=0.3, delay=0.2, jitter=0.1)
            arrivals.append((state, time.monotonic() - before))
            time.sleep(1.5)
        ages = []
        until = time.monotonic() + 6
        while time.monotonic() < until:
            far = host_status(bus, "far")
            ages.append(far["age"])
            time.sleep(0.1)
        near, far = host_status(bus, "near"), host_status(bus, "far")
        t = ask(bus)["t"]
        print(f"bad link: commands arrived after {arrivals}, {unaided} unaided, "
              f"age up to {max(ages):.2f} s, "
              f"loss {far['loss']:.1%}, clock {far['clock_offset'] * 1e3:+.1f} ms "
              f"± {far['clock_uncertainty'] * 1e3:.1f}, "
              f"{proxy.dropped} of {proxy.passed} datagrams dropped")  # fmt: skip
        assert unaided
        assert near["age"] < 0.5
        assert near["worst_lag"] < 1.0
        assert far["loss"] > 0.1
        assert 0.1 < max(ages) < 120
        assert abs(far["clock_offset"]) <= far["clock_uncertainty"] + 0.001
        assert far["tick"] > 0
        assert ask(bus)["t"] >= t
        proxy.mend()
        wait_until(lambda: host_status(bus, "far")["age"] < 0.3)
        assert movenv("state", "stop", "--core", core, *ours, cwd=tmp_path).returncode == 0
        bus.close()
        assert [process.end() for process in beside] == [0, 0, 0]
    finally:
        proxy.close()


def _connected(core: str, credentials: Credentials | None) -> Bus | None:
    try:
        return Bus.connect(core, credentials, patience=1)
    except keys.BusError:
        return None


def _arrived(bus: Bus, vehicle: str, state: str) -> bool:
    return any(v["name"] == vehicle and v["state"] == state.upper() for v in ask(bus)["each"])


@pytest.mark.skipif(
    os.geteuid() != 0 and not os.environ.get("CI"), reason="network namespaces need root"
)
def test_three_machines_run_one_scenario_and_one_is_cut_off(
    tmp_path: Path, beside: list[Process]
) -> None:
    """Network namespaces with their own addresses, over TLS; a cable is pulled for 6 s."""
    make_keys(tmp_path / "keys", ["one", "two"])
    with machines(f"mv{os.getpid() % 10000}", 2) as net:
        inside = net.inside(net.core, [])
        record = ("--record", "run.mcap", "--away", "uav-*", "--duration", "600")
        run = start(beside, tmp_path, "run", "run", "three-uavs", "--public", "--keys",
                    "keys/core", *record, inside=inside)  # fmt: skip
        for i, name in enumerate(("one", "two")):
            vehicles = "uav-[12]" if name == "one" else "uav-3"
            address = f"tls/{net.address(i)}:7450"
            start(beside, tmp_path, name, "host", "--name", name, "--vehicles", vehicles,
                  "--core", address, "--keys", f"keys/{name}",
                  inside=net.inside(net.others[i], []))  # fmt: skip

        def status() -> dict:
            done = subprocess.run(
                [*inside, *MOVENV, "status", "--json", "--core", "tls/127.0.0.1:7450", "--keys",
                 "keys/operator"],
                cwd=tmp_path, capture_output=True, text=True,
            )  # fmt: skip
            return msgspec.json.decode(done.stdout) if done.returncode == 0 else {}

        def health() -> dict[str, str]:
            return {v["name"]: v["health"] for v in status().get("each", ())}

        wait_until(lambda: status().get("state") == "GO", timeout=60, every=0.3)
        net.cable(1, plugged=False)
        cut_at = time.monotonic()
        wait_until(lambda: health().get("uav-3") == "lost")
        lost_after = time.monotonic() - cut_at
        assert health()["uav-1"] == "heard"
        time.sleep(max(0.0, 6 - (time.monotonic() - cut_at)))
        net.cable(1, plugged=True)
        plugged_at = time.monotonic()
        wait_until(lambda: health().get("uav-3") == "heard")
        back_after = time.monotonic() - plugged_at
        two = next(h for h in status()["hosts"] if h["host"] == "two")
        print(f"cable pulled 6 s: lost after {lost_after:.2f} s (asking takes about 1 s), "
              f"back {back_after:.2f} s after plugging in, lag {two['lag']:.3f} s")  # fmt: skip
        assert two["lag"] < 0.1
        run.process.send_signal(signal.SIGINT)
        assert run.end(30) == 130
        assert [process.end() for process in beside[1:]] == [0, 0]
    with Recording(tmp_path / "run.mcap") as recording:
        told = [(event.kind, event.who) for event in recording.events()]
        assert ("lost", "two") in told
        assert lacks_only_what_is_told(tmp_path / "run.mcap")
        assert not recording.damage


def test_a_peer_without_the_runs_keys_is_turned_away_and_that_is_told(
    tmp_path: Path, beside: list[Process]
) -> None:
    make_keys(tmp_path / "keys")
    make_keys(tmp_path / "others")
    core = f"tls/127.0.0.1:{free_port()}"
    process = start(beside, tmp_path, "core", "core", "hello", "--listen", core, "--keys",
                    "keys/core")  # fmt: skip
    bus = wait_until(lambda: _connected(core, Credentials.read(tmp_path / "keys/operator")))
    without = movenv("host", "--core", core, cwd=tmp_path)
    assert without.returncode == 2
    assert "needs keys" in without.stderr
    for command in ("state stop", "status"):
        foreign = movenv(*command.split(), "--core", core, "--keys", "others/operator",
                         cwd=tmp_path)  # fmt: skip
        assert foreign.returncode == 1
        assert "refuses these keys" in foreign.stderr
    plain = movenv("state", "stop", "--core", core.replace("tls", "tcp"), cwd=tmp_path)
    assert plain.returncode == 1
    refused = wait_until(lambda: ask(bus)["core"]["refused"].get("without keys", 0) >= 2)
    assert refused
    assert ask(bus)["state"] == "READY"
    assert "turned away" in process.said()
    bus.close()


def test_nothing_leaves_this_machine_unencrypted(tmp_path: Path) -> None:
    for words in (
        ("core", "hello", "--listen", "tcp/0.0.0.0:7450"),
        ("run", "hello", "--listen", "tcp/192.168.1.5:7450", "--no-record"),
        ("run", "hello", "--public", "--no-record"),
        ("host", "--core", "tcp/192.168.1.5:7450"),
        ("host", "--core", "nonsense"),
    ):
        done = movenv(*words, cwd=tmp_path)
        assert done.returncode == 2, words
        assert "Traceback" not in done.stderr
    with live_run(tmp_path, "hello", "--duration", "60", "--no-record") as run:
        run.wait_for("GO")
        listening = _listening(run)
        assert listening == {("127.0.0.1", int(run.address.rsplit(":", 1)[1]))}


def _listening(run: LiveRun) -> set[tuple[str, int]]:
    """The addresses on which any process of a run listens, from the kernel's tables."""
    pids = [run.process.pid, *(run.pid(w) for w in ("movenv core", "--name host-1"))]
    found = set()
    for pid in pids:
        inodes = set()
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            link = os.readlink(fd)
            if link.startswith("socket:"):
                inodes.add(link[8:-1])
        for table in ("tcp", "tcp6", "udp", "udp6"):
            for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
                local, state, inode = (line.split()[i] for i in (1, 3, 9))
                if inode in inodes and (state == "0A" or table.startswith("udp")):
                    address, port = local.split(":")
                    ip = ".".join(str(b) for b in bytes.fromhex(address[:8])[::-1])
                    found.add((ip, int(port, 16)))
    return found


MILLION = 1_000_000


@pytest.mark.parametrize("count", [100_000, pytest.param(MILLION, marks=pytest.mark.soak)])
def test_garbage_on_every_port_and_key_is_counted_and_dropped(tmp_path: Path, count: int) -> None:
    with live_run(tmp_path, "three-uavs", "--duration", "600", "--set",
                  "vehicles.uav.count=4") as run:  # fmt: skip
        run.wait_for("GO", t=0.5)
        everyone = ("movenv core", "movenv record", "--name host-1", "--name host-2")
        pids = [run.pid(words) for words in everyone]
        with Bus.connect(run.address) as bus:
            captured = _captured_report(bus)
            flood = _Flood(bus, captured)
            flood.send(count // 10)  # what a first wave allocates stays
            memory = [_memory(pid) for pid in pids]
            flood.send(count)
            flood.ask()
            _garble_port(run.address)
            time.sleep(1)
            grown = [_memory(pid) - before for pid, before in zip(pids, memory, strict=True)]
        refused = run.status(False)["core"]["refused"]
        t = run.status(False)["t"]
        run.wait_for("GO", t=t + 1)
        print(f"{flood.sent:,} strange messages: refused {refused}, "
              f"memory grew by {[round(g / 2**20, 1) for g in grown]} MiB")  # fmt: skip
        assert all(refused.get(why, 0) > 0 for why in ("garbled", "other version", "stranger"))
        assert max(grown) < 30 * 2**20
        assert run.status(False)["waiting"] == 0
        run.state("stop")
        code, told, said = run.ended()
    assert code == 0, said
    assert told["restarts"] == 0


def _captured_report(bus: Bus) -> bytes:
    seen: list[bytes] = []
    bus.hear(keys.report_key("host-1"), lambda _, data: seen.append(data))
    wait_until(lambda: seen)
    return seen[0]


class _Flood:
    """Random bytes, other versions, replays and lies, on every key there is."""

    def __init__(self, bus: Bus, captured: bytes) -> None:
        self._bus = bus
        self._random = random.Random(7)
        self.sent = 0
        names = (
            keys.BEACON, keys.RECORDS, keys.JOIN, keys.COMMAND, keys.STATUS, keys.RUN,
            *(key(h) for key in (keys.report_key, keys.awareness_key, keys.alive_key)
              for h in ("host-1", "host-2", "nobody")),
            keys.recorder_key("x"), keys.watcher_key("x"), f"{keys.ROOT}/else",
        )  # fmt: skip
        self._senders = [bus.sender(name, urgent=False, patient=True) for name in names]
        message = wire.decode(wire.ReportMessage, captured)
        liar = msgspec.structs.replace(message, ticket=message.ticket ^ 1)
        self._messages = [
            captured,
            liar.encoded(),
            captured[:2] + b"\x63" + captured[3:],
            captured[: len(captured) // 2],
            b"",
            b"MV\x01\x01" + bytes(50),
            wire.Records("x", "y", 10**9, True, 0, [("/snapshots", -1.0, b"x")]).encoded(),
            *(self._random.randbytes(self._random.randint(1, 600)) for _ in range(50)),
        ]

    def send(self, count: int) -> None:
        for i in range(count):
            self._random.choice(self._senders)(self._messages[i % len(self._messages)])
        self.sent += count

    def ask(self) -> None:
        """The same as questions: each is answered, if only with a refusal."""
        for key in (keys.JOIN, keys.COMMAND, keys.STATUS, keys.RUN):
            for message in self._messages[:20]:
                assert self._bus.ask(key, message)


def _garble_port(address: str) -> None:
    host, port = address.removeprefix("tcp/").split(":")
    rng = random.Random(3)
    for _ in range(200):
        with socket.create_connection((host, int(port)), timeout=5) as strange:
            strange.sendall(rng.randbytes(rng.randint(1, 5000)))


def _memory(pid: int | None) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()
