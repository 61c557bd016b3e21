"""Exports against the recording and an independent parser."""

import csv
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyproj import CRS, Transformer
from tests.forked import forked

from movenv.recording.export import export
from movenv.recording.reader import Recording
from movenv.recording.writer import RecordingError

FIRST = [
    "t",
    "utc",
    "vid",
    "name",
    "kind",
    "origin",
    "run_state",
    "behavior",
    "x",
    "y",
    "z",
    "lat",
    "lon",
    "alt",
    "yaw",
    "pitch",
    "roll",
    "heading_deg",
    "speed",
    "vx",
    "vy",
    "vz",
]


def rows_of(file: Path) -> list[dict[str, str]]:
    with file.open(newline="") as text:
        return list(csv.DictReader(text))


def test_csv_has_the_promised_columns_and_rows(recorded: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with Recording(recorded) as recording:
        count = export(recording, target, "csv")
        snapshots = [snapshot for snapshot, _ in recording.snapshots()]
        names = recording.roster.names
    rows = rows_of(target)
    assert list(rows[0])[: len(FIRST)] == FIRST
    assert count == len(rows) == 301 * len(names)
    k = 100
    for row, name in zip(rows[k * len(names) : (k + 1) * len(names)], names, strict=True):
        assert row["name"] == name
        assert float(row["t"]) == snapshots[k].t
        i = names.index(name)
        assert float(row["x"]) == snapshots[k].vehicles.x[i]
        assert float(row["alt"]) == pytest.approx(float(row["z"]) + 3.0)
    assert rows[0]["run_state"] == "SET"
    assert rows[-1]["run_state"] == "GO"
    assert {row["origin"] for row in rows} == {"virtual"}
    assert rows[0]["utc"].startswith("2023-11-14 22:13:20")


def test_latitude_and_longitude_are_those_of_proj(recorded: Path, tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    with Recording(recorded) as recording:
        export(recording, target, "csv")
    to_utm = Transformer.from_crs(CRS.from_epsg(4326), CRS.from_epsg(32617), always_xy=True)
    east0, north0 = to_utm.transform(-81.046171, 29.193111)
    for row in rows_of(target)[::97]:
        east, north = to_utm.transform(float(row["lon"]), float(row["lat"]))
        assert (east - east0, north - north0) == pytest.approx(
            (float(row["x"]), float(row["y"])), abs=1e-5
        )


def test_parquet_says_the_same_as_csv(recorded: Path, tmp_path: Path) -> None:
    with Recording(recorded) as recording:
        export(recording, tmp_path / "out.csv", "csv")
        export(recording, tmp_path / "out.parquet", "parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    rows = rows_of(tmp_path / "out.csv")
    assert table.num_rows == len(rows)
    assert table.column_names == list(rows[0])
    for k in (0, 1000, len(rows) - 1):
        for name in ("t", "vid", "name", "behavior", "x", "lat", "yaw", "heading_deg"):
            value = table.column(name)[k].as_py()
            assert str(value) == rows[k][name] or float(value) == pytest.approx(
                float(rows[k][name]), rel=1e-6
            )


def test_an_unwritable_target_is_told(recorded: Path, tmp_path: Path) -> None:
    with Recording(recorded) as recording, pytest.raises(RecordingError, match="cannot write"):
        export(recording, tmp_path / "no" / "such" / "folder.csv", "csv")


def test_an_export_never_costs_the_recording_or_another_file(
    recorded: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.mcap"
    mine.write_bytes(recorded.read_bytes())
    other = tmp_path / "other.csv"
    other.write_text("precious")

    def movenv(*words: str) -> subprocess.CompletedProcess[str]:
        return forked(["export", "mine.mcap", "--to", "csv", *words], tmp_path)

    assert movenv("-o", "mine.mcap").returncode == 2
    assert movenv("-o", "mine.mcap", "--force").returncode == 2
    assert mine.read_bytes() == recorded.read_bytes()
    done = movenv("-o", "other.csv")
    assert (done.returncode, other.read_text()) == (2, "precious")
    assert "--force" in done.stderr
    assert movenv("-o", "other.csv", "--force").returncode == 0
    assert other.stat().st_size > 100_000
    (tmp_path / "link.csv").symlink_to("nowhere.csv")
    assert movenv("-o", "link.csv", "--force").returncode == 2
    (tmp_path / "link.csv").unlink()
    assert movenv("-o", "nowhere/x.csv").returncode == 2
    assert movenv("-o", str(tmp_path)).returncode == 2
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine.mcap", "other.csv"]
