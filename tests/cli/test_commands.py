"""The command as a person types it: output, exit codes, no tracebacks."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import jsonschema
import pytest
from ruamel.yaml import YAML
from tests.forked import forked

from movenv.scenario.load import shipped_scenarios

MOVENV = [sys.executable, "-m", "movenv"]


def movenv(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = forked([*words], cwd)
    assert "Traceback" not in done.stderr
    return done


def test_a_run_tells_what_happened_and_leaves_a_recording(tmp_path: Path) -> None:
    done = movenv("run", "three-uavs", "--fast", "--duration", "60", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    for word in ("vehicles", "× real time", "advisory", "caution", "warning", "closest", "wander"):
        assert word in done.stdout
    assert len(list((tmp_path / "recordings").glob("three-uavs-*.mcap"))) == 1


def test_json_is_json_and_the_same_seed_is_the_same_run(tmp_path: Path) -> None:
    words = (
        "run",
        "three-uavs",
        "--fast",
        "--duration",
        "30",
        "--json",
        "--no-record",
        "--seed",
        "5",
    )
    one, two = (json.loads(movenv(*words, cwd=tmp_path).stdout) for _ in range(2))
    assert one["vehicles"] == 3
    assert one["ticks"] == 300
    assert one["seed"] == 5
    assert sum(one["behavior_shares"].values()) == pytest.approx(1.0)
    for timing in ("starting_s", "running_s", "real_time_factor"):
        assert one.pop(timing) > 0
        two.pop(timing)
    assert one == two
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["info"], ["review"], ["export", "--to", "csv"], ["replay", "--no-browser"]]
)
def test_an_address_with_a_slash_missing_is_not_repeated(tmp_path: Path, words: list[str]) -> None:
    done = movenv(*words, "mongodb:/user:secret@host/db", cwd=tmp_path)
    assert done.returncode == 2
    assert "this is no address of a database" in done.stderr
    assert "secret" not in done.stderr + done.stdout


def test_check_info_and_export(tmp_path: Path) -> None:
    assert "sound. 3 vehicles" in movenv("check", "three-uavs", cwd=tmp_path).stdout
    movenv("run", "hello", "--fast", "--duration", "5", "--record", "a.mcap", cwd=tmp_path)
    told = movenv("info", "a.mcap", cwd=tmp_path)
    assert "hello, seed 0" in told.stdout
    assert "READY 0.0 s, SET 0.0 s, GO 0.0 s, STOP 5.0 s" in told.stdout
    facts = json.loads(movenv("info", "a.mcap", "--json", cwd=tmp_path).stdout)
    assert facts["simulated_s"] == 5.0
    assert facts["damage"] == []
    assert "51 rows" in movenv("export", "a.mcap", "--to", "csv", cwd=tmp_path).stdout
    assert (tmp_path / "a.csv").read_text().startswith('"t","utc","vid","name"')
    movenv("export", "a.mcap", "--to", "parquet", "-o", "b.parquet", cwd=tmp_path)
    assert (tmp_path / "b.parquet").read_bytes().startswith(b"PAR1")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("run three-uav --fast", 2, "Did you mean 'three-uavs'?"),
        (
            "run three-uavs --fast --seed -1",
            2,
            "--seed -1: 'seed' should be greater than or equal",
        ),
        ("run three-uavs --fast --set time.step=7", 2, "'step' should be less than or equal to 1"),
        ("run three-uavs --fast --set time.step=0.03", 2, "step 0.03 does not divide tick 0.1"),
        ("run three-uavs --fast --duration x", 2, "should be a valid number"),
        (
            "run three-uavs --fast --record /nowhere/x.mcap",
            2,
            "cannot write /nowhere/x.mcap: No such",
        ),
        ("run three-uavs --fast --record a --no-record", 2, "exclude each other"),
        ("run three-uavs --fast --manual", 2, "a fast run has no use for it"),
        ("run three-uavs --away uav-9", 2, "no vehicle is called 'uav-9'"),
        ("run three-uavs --record /nowhere/x.mcap", 2, "there is no folder /nowhere"),
        ("run three-uavs --public", 2, "needs --keys"),
        ("state gone", 2, "'gone' is no run state"),
        ("state go --core tcp/127.0.0.1:1", 1, "no Core answers at tcp/127.0.0.1:1"),
        ("console --core tcp/127.0.0.1:1 --no-browser", 1, "no Core answers at tcp/127.0.0.1:1"),
        ("run mixed-field --speed 2", 2, "medic is real"),
        ("run three-uavs --open --no-console", 2, "no real vehicles"),
        ("run three-uavs --rehearse", 2, "no real vehicles"),
        ("run mixed-field --fast --rehearse", 2, "a fast run has no use for it"),
        ("run mixed-field --fast --open", 2, "--open"),
        ("run mixed-field --fast --console-port 7480", 2, "--console-port"),
        ("host --share 3/2", 2, "'3/2' is no share"),
        ("render 9000", 2, "HOST:PORT"),
        ("check missing.yaml", 2, "missing.yaml: no such file"),
        ("info missing.mcap", 2, "cannot read missing.mcap: No such file"),
        ("info .", 2, "cannot read ."),
        ("export missing.mcap --to csv", 2, "cannot read missing.mcap"),
        ("export missing.mcap --to xls", 2, "'xls' is not one of"),
        ("new behavior 3x", 2, "no Python module name"),
        ("new behavior class", 2, "no Python module name"),
        ("new sensor 3x", 2, "no Python module name"),
        ("jaus navigator", 2, "'navigator' is not VEHICLE=SUBSYSTEM.NODE.COMPONENT"),
        ("jaus =126.1.10", 2, "'=126.1.10' is not VEHICLE=SUBSYSTEM.NODE.COMPONENT"),
        ("jaus navigator=126.1", 2, "'126.1' is no SUBSYSTEM.NODE.COMPONENT"),
        ("jaus navigator=126.1.255", 2, "up to 65534.254.254; 126.1.10 is one"),
        ("jaus a=126.1.10 b=126.1.10", 2, "'b=126.1.10' is there twice"),
        ("jaus a=126.1.10 a=126.1.11", 2, "'a=126.1.11' is there twice"),
        ("jaus a=126.1.10 --port 70000", 2, "should be less than or equal to 65535"),
        ("jaus a=126.1.10 --core tcp/127.0.0.1:1", 1, "no Core answers at tcp/127.0.0.1:1"),
        ("fly", 2, "No such command 'fly'"),
    ],
)
def test_wrong_words_get_words_and_a_code(words: str, code: int, said: str, tmp_path: Path) -> None:
    done = movenv(*words.split(), cwd=tmp_path)
    assert done.returncode == code
    assert said in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_an_existing_recording_is_kept(tmp_path: Path) -> None:
    (tmp_path / "a.mcap").write_text("precious")
    done = movenv("run", "hello", "--fast", "--record", "a.mcap", cwd=tmp_path)
    assert done.returncode == 2
    assert "a.mcap exists already; it was not touched" in done.stderr
    assert (tmp_path / "a.mcap").read_text() == "precious"


def test_ctrl_c_stops_the_run_and_closes_the_recording(tmp_path: Path) -> None:
    run = subprocess.Popen(
        [*MOVENV, "run", "three-uavs", "--fast", "--duration", "1000000", "--record", "a.mcap"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    file = tmp_path / "a.mcap"
    while not file.exists() or file.stat().st_size < 20_000:
        assert run.poll() is None
        time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    try:
        out, err = run.communicate(timeout=30)
    finally:
        run.kill()
    assert run.returncode == 130
    assert "Traceback" not in err
    assert "interrupted" in out
    facts = json.loads(movenv("info", "a.mcap", "--json", cwd=tmp_path).stdout)
    assert facts["damage"] == []
    assert facts["run_states"][-1]["state"] == "STOP"


def on_terminal(ours: int) -> str:
    """All that is written, read as it comes: a terminal that nobody reads soon takes no more."""
    shown = b""
    with suppress(OSError):  # the other end is closed
        while data := os.read(ours, 100_000):
            shown += data
    os.close(ours)
    return shown.decode()


def test_a_terminal_gets_a_progress_bar_and_a_pipe_does_not(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    run = subprocess.Popen(
        [*MOVENV, "run", "three-uavs", "--fast", "--duration", "300", "--no-record"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm"},
    )
    os.close(theirs)
    shown = on_terminal(ours)
    assert run.wait(60) == 0
    assert "three-uavs" in shown
    assert "%" in shown


def test_a_new_behavior_comes_with_a_test_that_passes(tmp_path: Path) -> None:
    done = movenv("new", "behavior", "keep_right", cwd=tmp_path)
    assert done.returncode == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "keep_right.py",
        "keep_right.yaml",
        "test_keep_right.py",
    ]
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q"], cwd=tmp_path, capture_output=True
    )
    assert tested.returncode == 0, tested.stdout.decode()
    ran = movenv("run", "keep_right.yaml", "--fast", "--no-record", cwd=tmp_path)
    assert "keep_right" in ran.stdout
    again = movenv("new", "behavior", "keep_right", cwd=tmp_path)
    assert again.returncode == 2
    assert "exists already" in again.stderr


def test_a_new_sensor_comes_with_a_test_that_passes_and_can_fail(tmp_path: Path) -> None:
    done = movenv("new", "sensor", "sun_compass", cwd=tmp_path)
    assert done.returncode == 0
    assert "type: ./sun_compass.py:SunCompass" in done.stdout
    names = ["sun_compass.py", "sun_compass.yaml", "test_sun_compass.py"]
    assert sorted(p.name for p in tmp_path.iterdir()) == names
    test = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    tested = subprocess.run(test, cwd=tmp_path, capture_output=True, text=True)
    assert tested.returncode == 0, tested.stdout
    assert movenv("check", "sun_compass.yaml", cwd=tmp_path).returncode == 0
    part = tmp_path / "sun_compass.py"
    part.write_text(part.read_text().replace("values = yaw + ", "values = 1.01 * yaw + 0.1 + "))
    tested = subprocess.run(test, cwd=tmp_path, capture_output=True, text=True)
    assert tested.returncode == 1, tested.stdout
    assert movenv("new", "sensor", "sun_compass", cwd=tmp_path).returncode == 2


def test_the_schema_accepts_every_shipped_scenario_and_refuses_nonsense(tmp_path: Path) -> None:
    schema = json.loads(movenv("schema", cwd=tmp_path).stdout)
    validator = jsonschema.Draft202012Validator(schema)
    validator.check_schema(schema)
    for path in shipped_scenarios().values():
        data = YAML(typ="safe", pure=True).load(path.read_text())
        assert list(validator.iter_errors(data)) == []
        data["vehicles"][0]["behaviors"] = {"fly_away": {}}
        assert list(validator.iter_errors(data))
        data["vehicles"][0]["behaviors"] = {"wander": {"prio": 1}}
        assert list(validator.iter_errors(data))
        data["vehicles"][0]["behaviors"] = {"./mine.py:Mine": {"anything": 1}}
        data["vehicles"][0]["model"] = {"sped": 1}
        assert list(validator.iter_errors(data))


def test_version_and_help(tmp_path: Path) -> None:
    assert movenv("--version", cwd=tmp_path).stdout.startswith("movenv 0.")
    for command in ("run", "check", "info", "export", "schema", "bench", "new"):
        told = movenv(command, "--help", cwd=tmp_path).stdout
        assert "Example" in told, command


def test_output_into_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m movenv schema | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.stdout == "{\n"
    assert "Error" not in done.stderr


BROKEN = """
from movenv.parts import Behavior, BehaviorConfig, Proposal
import numpy as np

class Mine(Behavior):
    Config = BehaviorConfig
    def __init__(self, setup):
        SETUP
    def propose(self, own, others, notices, moment):
        if moment.tick > 50:
            PROPOSE
        return Proposal(np.ones(len(own), bool), 0.0, own.cruise_speed)
"""


@pytest.mark.parametrize(
    ("setup", "propose", "code", "said"),
    [
        ("pass", "own.wings", 1, "behavior 'mine' failed at t = 5.1 s"),
        ("pass", "own.wings", 1, "vehicles have no column 'wings'"),
        ("pass", "raise SystemExit(0)", 1, "behavior 'mine' failed at t = 5.1 s"),
        (
            "pass",
            "return Proposal(np.ones(1, np.int8), 0.0, 1.0)",
            1,
            "active of a Proposal is int8",
        ),
        ("pass", "return (1, 2, 3)", 1, "propose gave tuple, expected Proposal or None"),
        ("pass", "self.detect = lambda *_: 5", 1, "detect gave int, expected Detections or None"),
        ("pass", "return Proposal(np.ones(1, bool), np.ones(9), 1.0)", 1, "steer of a Proposal is"),
        (
            "pass",
            "return Proposal(np.ones(1, bool), '1', 1.0)",
            1,
            "steer of a Proposal is <U1 of shape ()",
        ),
        ("pass", "return Proposal(np.ones(7, bool), 0.0, 1.0)", 1, "behavior 'mine' failed"),
        (
            "pass",
            "return Proposal(np.ones(1, bool), np.nan, 1.0)",
            1,
            "commands steer nan for vid 1",
        ),
        ("1 / 0", "pass", 2, "8:7: behavior 'mine' cannot be set up: line 8: ZeroDivisionError"),
    ],
)
def test_a_behavior_that_breaks_is_named_and_the_recording_kept(
    setup: str, propose: str, code: int, said: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(BROKEN.replace("SETUP", setup).replace("PROPOSE", propose))
    (tmp_path / "mine.yaml").write_text(
        "name: mine\norigin: {lat: 29, lon: -81}\nvehicles:\n  - name: a\n    kind: ground\n"
        "    start: {at: [0, 0]}\n    behaviors:\n      ./mine.py:Mine: {}\n"
    )
    done = forked(["run", "mine.yaml", "--fast", "--record", "mine.mcap"], tmp_path)
    assert done.returncode == code
    assert said in done.stderr
    assert "host.py" not in done.stderr
    if code == 1:
        facts = json.loads(movenv("info", "mine.mcap", "--json", cwd=tmp_path).stdout)
        assert facts["simulated_s"] == pytest.approx(5.1)
    else:
        assert not (tmp_path / "mine.mcap").exists()


def test_odd_names_of_recordings_are_printed_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a[").mkdir()
    for name in ("a[/b].mcap", "[red]y.mcap", ":car:.mcap", "x" * 150 + ".mcap"):
        words = ("run", "hello", "--fast", "--duration", "1", "--record", name)
        assert f"recording     {name}\n" in movenv(*words, cwd=tmp_path).stdout


def test_a_full_disk_under_standard_output_is_told(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*MOVENV, "check", "hello"],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("after", [0.05, 0.15, 0.3])
def test_ctrl_c_at_the_very_beginning_is_quiet(tmp_path: Path, after: float) -> None:
    run = subprocess.Popen(
        [*MOVENV, "run", "three-uavs", "--fast", "--duration", "1000000", "--no-record"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    time.sleep(after)
    try:
        for _ in range(6):  # Python loses one that comes in the middle of its start, now and then
            run.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                _, err = run.communicate(timeout=10)
                break
    finally:
        run.kill()
        run.wait()
    assert run.returncode in (130, -signal.SIGINT)  # the latter: Python itself was still starting
    assert run.returncode < 0 or "Traceback" not in err


STUCK = """
import time
from movenv.parts import Behavior, BehaviorConfig

class Stuck(Behavior):
    Config = BehaviorConfig
    def __init__(self, setup): pass
    def propose(self, own, others, notices, moment):
        if moment.tick > 20:
            time.sleep(1000)
"""


@pytest.mark.parametrize("hosts", ["1", "2"])
def test_a_stuck_behavior_costs_neither_the_recording_nor_the_terminal(
    tmp_path: Path, hosts: str
) -> None:
    (tmp_path / "stuck.py").write_text(STUCK)
    (tmp_path / "stuck.yaml").write_text(
        "name: stuck\norigin: {lat: 29, lon: -81}\nvehicles:\n  - name: a\n    kind: ground\n"
        "    count: 2\n    start: {grid: {spacing: 500}}\n    behaviors:\n"
        "      ./stuck.py:Stuck: {}\n"
    )
    file = tmp_path / "stuck.mcap"
    run = subprocess.Popen(
        [*MOVENV, "run", "stuck.yaml", "--fast", "--record", str(file), "--hosts", hosts],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        waited = 0.0
        while (
            waited < 60
            and '"ticks": 21' not in movenv("info", str(file), "--json", cwd=tmp_path).stdout
        ):
            time.sleep(0.3)  # the run stalls, and what happened before is on disk all the same
            waited += 0.3
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=20)
    finally:
        run.kill()
    assert run.returncode == 130
    facts = json.loads(movenv("info", str(file), "--json", cwd=tmp_path).stdout)
    assert facts["ticks"] == 21
    assert facts["damage"] == []
