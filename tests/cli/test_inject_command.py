"""`movenv inject` beside a vehicle, in processes of its own."""

import json
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from tests.runtime.injection.made_scans import AHEAD, SCENARIO, a_scan
from tests.runtime.live.processes import MOVENV, LiveRun, free_port, live_run, movenv, wait_until

from movenv.gateways.scans.codec import encode_datagram, encode_line, encode_pose, read_scan
from movenv.world.scan import Pose

pytestmark = pytest.mark.xdist_group("live")


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "way.yaml"
    path.write_text(SCENARIO)
    return str(path)


class Vehicle:
    """A scanner that sends to the layer, and software that reads what it writes, over UDP."""

    def __init__(self) -> None:
        self.software = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.software.bind(("127.0.0.1", 0))
        self.software.settimeout(5.0)
        self.scanner = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.to = free_port()
        self.number = 0

    @property
    def words(self) -> list[str]:
        there = self.software.getsockname()[1]
        return ["--from", f"udp:127.0.0.1:{self.to}", "--to", f"udp:127.0.0.1:{there}"]

    def exchange(self, ranges: float = 20.0) -> tuple[bytes, bytes]:
        """What was sent, and what came of it."""
        self.number += 1
        data = encode_datagram(a_scan(self.number, ranges))
        self.scanner.sendto(data, ("127.0.0.1", self.to))
        while True:
            came = self.software.recv(65_536)
            if read_scan(came).scan.number == self.number:
                return data, came

    def ahead(self) -> float:
        return float(read_scan(self.exchange()[1]).scan.ranges[AHEAD])

    def close(self) -> None:
        self.software.close()
        self.scanner.close()

    def answers(self) -> bool:
        """Whether the layer is up."""
        self.software.settimeout(0.2)
        try:
            self.exchange()
        except TimeoutError:
            return False
        finally:
            self.software.settimeout(5.0)
        return True


@contextmanager
def injecting(vehicle: Vehicle, *words: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*MOVENV, "inject", "--json", *vehicle.words, *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        wait_until(vehicle.answers)
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
        vehicle.close()


def ended(process: subprocess.Popen[str]) -> dict[str, object]:
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "scans in" in err
    summary: dict[str, object] = json.loads(out)
    return summary


def sees_the_car(vehicle: Vehicle) -> bool:
    """12 m ahead of us drives a car 4 m long."""
    return abs(vehicle.ahead() - 10.0) < 0.2


@pytest.mark.long
def test_a_virtual_car_is_in_the_scans_while_the_layer_is_on_and_the_core_there(
    tmp_path: Path, scenario: str
) -> None:
    with live_run(tmp_path, scenario, "--no-record") as run:
        run.wait_for("GO", 0.2)
        vehicle = Vehicle()
        with injecting(vehicle, "--vehicle", "me", "--core", run.address) as process:
            wait_until(lambda: sees_the_car(vehicle))
            sent, came = vehicle.exchange()
            before, after = read_scan(sent).scan.ranges, read_scan(came).scan.ranges
            changed = before != after
            assert 5 < np.count_nonzero(changed) < 30
            assert changed[AHEAD - 3 : AHEAD + 4].all()

            switch = ("--vehicle", "me", "--core", run.address)
            assert "off" in movenv("inject", "--switch", "off", *switch).stdout
            assert len(set(vehicle.exchange())) == 1
            process.send_signal(signal.SIGUSR1)
            wait_until(lambda: sees_the_car(vehicle))
            asked = movenv("inject", "--switch", "ask", "--json", *switch)
            assert json.loads(asked.stdout)["on"] is True

            _cut_off(run)
            wait_until(lambda: len(set(vehicle.exchange())) == 1)
            assert sees_the_car(vehicle) is False
            summary = ended(process)
            scans = summary["scans"]
            assert scans["in"] == scans["out"]
            assert scans["altered"] > 0
            assert scans["refused"]["core"] > 0
            assert 0 < summary["core"]["bytes_per_s"] < 5000


def _cut_off(run: LiveRun) -> None:
    run.kill("movenv core")


def test_off_and_without_a_core_it_is_a_relay() -> None:
    vehicle = Vehicle()
    core = f"tcp/127.0.0.1:{free_port()}"
    with injecting(vehicle, "--vehicle", "me", "--core", core, "--off") as process:
        for ranges in (20.0, np.nan, np.inf, 0.0):
            sent, came = vehicle.exchange(ranges)
            assert sent == came
        vehicle.scanner.sendto(b"no scan", ("127.0.0.1", vehicle.to))
        assert vehicle.software.recv(100) == b"no scan"
        assert ended(process)["scans"]["altered"] == 0


def test_the_vehicle_may_tell_where_it_is(tmp_path: Path, scenario: str) -> None:
    """20 m to the north of where the Core thinks it is; the car is there to its right."""
    with live_run(tmp_path, scenario, "--no-record") as run:
        run.wait_for("GO", 0.2)
        vehicle, port = Vehicle(), free_port()
        words = ("--vehicle", "me", "--core", run.address, "--pose", f"udp:127.0.0.1:{port}")
        with injecting(vehicle, *words) as process:
            x = 2.0 * run.status()["t"] + 12.0

            def sees_it() -> bool:
                pose = encode_pose(Pose(x, 20.0, 0.0))
                vehicle.scanner.sendto(pose, ("127.0.0.1", port))
                ranges = read_scan(vehicle.exchange()[1]).scan.ranges
                return bool((ranges[:AHEAD] < 20.0).any())

            wait_until(sees_it)
            assert ended(process)["poses"]["heard"] > 0


def test_lines_in_lines_out() -> None:
    lines = [encode_line(a_scan(number)) for number in range(20)] + [b"no scan"]
    done = subprocess.run(
        [*MOVENV, "inject", "--vehicle", "me", "--from", "-", "--to", "-",
         "--core", f"tcp/127.0.0.1:{free_port()}"],
        input=b"\n".join(lines), capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == lines[:-1]  # only lines of JSON may be written
    assert b"20 core" in done.stderr
    assert b"1 unreadable" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--from", "-"], "name both"),
        (["--from", "radio:1", "--to", "-"], "no endpoint"),
        (["--from", "udp:here", "--to", "-"], "no address"),
        (["--from", "missing.jsonl", "--to", "-"], "cannot open"),
        (["--from", "-", "--to", "-", "--pose", "tcp:1"], "no source of poses"),
        (["--from", "-", "--to", "-", "--core", "nonsense"], "no address"),
        (["--from", "-", "--to", "bus:a b", "--core", "tcp/127.0.0.1:1"], "name on the bus"),
    ],
)
def test_what_cannot_be_is_refused_in_words(words: list[str], said: str) -> None:
    done = movenv("inject", "--vehicle", "me", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_vehicle_that_is_not_in_the_run_is_told_so(tmp_path: Path, scenario: str) -> None:
    with live_run(tmp_path, scenario, "--no-record") as run:
        run.wait_for("GO")
        words = ["inject", "--vehicle", "nobody", "--from", "-", "--to", "-", "--core", run.address]
        process = subprocess.Popen(
            [*MOVENV, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert process.stderr is not None
        assert "there is no vehicle 'nobody'" in process.stderr.readline()
        process.communicate(timeout=60)
        assert process.returncode == 2
