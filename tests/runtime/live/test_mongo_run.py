"""Runs recorded into a real database, with the database, the feeder or both killed."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from tests.recording.mongo.comparing import assert_same
from tests.recording.mongo.mongod import Mongod

from movenv.recording.reader import Recording

from .processes import MOVENV, live_run, movenv, wait_until

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time
LONG = ("--duration", "600")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Mongod]:
    folder = tmp_path / "mongod"
    folder.mkdir()
    running = Mongod(folder)
    yield running
    running.kill()


def in_database(server: Mongod, t: float) -> bool:
    with server.client() as client:
        return client["runs"].snapshots.count_documents({"t": {"$gte": t}}, limit=1) > 0


def log(recording: Path) -> list[str]:
    return recording.with_suffix(".log").read_text().splitlines()


def told_back(line: str) -> bool:
    """Whether the Core says that the database is there again."""
    return line.startswith("core:") and "is back" in line


def test_the_database_is_fed_while_the_run_goes(tmp_path: Path, server: Mongod) -> None:
    url = server.url("runs")
    with live_run(tmp_path, "three-uavs", "--record", url, *LONG) as run:
        run.wait_for("GO", 1.0)
        wait_until(lambda: in_database(server, 1.0))
        during = movenv("info", url, "--json")
        assert during.returncode == 0, during.stderr
        run.state("stop")
        code, told, _ = run.ended()
    assert code == 0
    assert told["database"].startswith(f"{url}?run=")
    assert_same(run.recording, told["database"])
    replayed = movenv("export", told["database"], "--to", "csv", "-o", str(tmp_path / "a.csv"))
    assert replayed.returncode == 0, replayed.stderr
    movenv("export", str(run.recording), "--to", "csv", "-o", str(tmp_path / "b.csv"))
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.long
def test_a_database_killed_for_seconds_loses_and_doubles_nothing(
    tmp_path: Path, server: Mongod
) -> None:
    url = server.url("runs")
    with live_run(tmp_path, "three-uavs", "--record", url, *LONG) as run:
        run.wait_for("GO", 1.0)
        wait_until(lambda: in_database(server, 0.5))
        server.kill()
        time.sleep(6)
        server.start()
        back = run.status(False)["t"]
        wait_until(lambda: in_database(server, back))
        wait_until(lambda: any(told_back(line) for line in log(run.recording)))
        run.kill("upload")
        wait_until(lambda: in_database(server, back + 3))
        run.state("stop")
        code, told, said = run.ended()
    assert code == 0, said
    assert_same(run.recording, told["database"])
    with Recording(run.recording) as recording:
        marks = [event.text for event in recording.events() if event.who == "database"]
        assert any("Nothing is lost" in text for text in marks)
        assert any("is back" in text for text in marks)
        assert not recording.gaps()


@pytest.mark.soak
def test_a_database_away_for_a_minute_is_caught_up_with(tmp_path: Path, server: Mongod) -> None:
    """A thousand vehicles at ten ticks a second: six hundred thousand documents wait."""
    url = server.url("runs")
    many = ("--set", "vehicles.uav.count=1000", "--set", "areas.field.square=3000")
    with live_run(tmp_path, "three-uavs", "--record", url, *many, *LONG) as run:
        run.wait_for("GO", 5.0)
        wait_until(lambda: in_database(server, 2.0))
        server.kill()
        time.sleep(60)
        server.start()
        back, began = run.status(False)["t"], time.monotonic()
        wait_until(lambda: in_database(server, back), timeout=120)
        print(f"caught up after {time.monotonic() - began:.1f} s")
        missed = run.status(False)["core"]["missed_ticks"]
        run.state("stop")
        code, told, said = run.ended()
    assert code == 0, said
    assert missed == 0
    assert_same(run.recording, told["database"])


@pytest.mark.long
def test_a_database_away_at_the_end_leaves_the_file_and_says_how_to_go_on(
    tmp_path: Path, server: Mongod
) -> None:
    url = server.url("runs")
    with live_run(tmp_path, "three-uavs", "--record", url, *LONG, file=False) as run:
        run.wait_for("GO", 1.0)
        wait_until(lambda: in_database(server, 0.5))
        (spool,) = (tmp_path / "recordings").glob("*.mcap")
        server.kill()
        run.state("stop")
        code, _, said = run.ended(60)
    assert code == 1
    assert f"movenv upload {spool.relative_to(tmp_path)} {url}" in said
    assert spool.exists()
    server.start()
    done = movenv("upload", str(spool), url)
    assert done.returncode == 0, done.stderr
    assert_same(spool, url)


@pytest.mark.long
def test_a_database_alone_leaves_no_file(tmp_path: Path, server: Mongod) -> None:
    url = server.url("runs")
    options = ("--record", url, "--duration", "2")
    with live_run(tmp_path, "three-uavs", *options, file=False) as run:
        code, told, said = run.ended()
    assert code == 0, said
    assert told["recording"] is None
    assert list((tmp_path / "recordings").glob("*.mcap")) == []
    info = movenv("info", told["database"])
    assert info.returncode == 0, info.stderr
    assert "2.0 s in 20 ticks" in info.stdout
    assert "damage" not in info.stdout


@pytest.mark.parametrize("fast", [(), ("--fast",)])
def test_a_database_away_at_the_start_is_refused_before_anything_is_made(
    tmp_path: Path, server: Mongod, fast: tuple[str, ...]
) -> None:
    server.kill()
    url = f"mongodb://user:secret@127.0.0.1:{server.port}/runs"
    done = movenv("run", "three-uavs", *fast, "--record", url, cwd=tmp_path)
    assert done.returncode == 2
    assert f"mongodb://127.0.0.1:{server.port}/runs: the database does not answer" in done.stderr
    assert "secret" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mongod"]


def test_fast_runs_into_a_database_beside_a_file_and_alone(tmp_path: Path, server: Mongod) -> None:
    url = server.url("runs")
    words = ("run", "three-uavs", "--fast", "--duration", "20", "--record", url)
    both = movenv(*words, "--record", "a.mcap", "--json", cwd=tmp_path)
    assert both.returncode == 0, both.stderr
    alone = movenv(*words, cwd=tmp_path)
    assert alone.returncode == 0, alone.stderr
    first = msgspec.json.decode(both.stdout)
    assert_same(tmp_path / "a.mcap", first["database"])
    assert list((tmp_path / "recordings").glob("*")) == []
    listed = movenv("runs", url).stdout.splitlines()
    assert len(listed) == 2
    assert listed[1].startswith(first["database"].split("=")[1])
    wrong = movenv("info", f"{url}?run=nope")
    assert wrong.returncode == 2
    assert first["database"].split("=")[1] in wrong.stderr


@pytest.mark.long
def test_a_password_is_on_no_command_line_and_in_no_file(tmp_path: Path, server: Mongod) -> None:
    with server.client() as client:
        client["runs"].command("createUser", "user", pwd="s3cret", roles=["readWrite"])
    url = f"mongodb://user:s3cret@127.0.0.1:{server.port}/runs"
    with live_run(tmp_path, "three-uavs", "--record", url, "--duration", "600") as run:
        run.wait_for("GO", 1.0)
        feeder = run.pid("upload")
        assert b"s3cret" not in Path(f"/proc/{feeder}/cmdline").read_bytes()
        server.kill()
        time.sleep(2)
        server.start()
        run.state("stop")
        out, err = run.process.communicate(timeout=60)
    assert run.process.returncode == 0, err
    assert "s3cret" not in out + err
    for path in tmp_path.glob("run.*"):
        assert b"s3cret" not in path.read_bytes()
    assert_same(run.recording, url)


@pytest.mark.long
def test_a_recorder_by_itself_feeds_a_database(tmp_path: Path, server: Mongod) -> None:
    url = server.url("runs")
    file = tmp_path / "second.mcap"
    with live_run(tmp_path, "three-uavs", *LONG) as run:
        run.wait_for("GO", 0.5)
        words = [*MOVENV, "record", str(file), url, "--core", run.address, "--name", "second"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as recorder:
            wait_until(lambda: in_database(server, 0.5))
            run.state("stop")
            out, _ = recorder.communicate(timeout=60)
        assert recorder.returncode == 0
        assert "the run is in mongodb://" in out
        run.ended()
    assert_same(file, url)
