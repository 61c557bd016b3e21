"""Orders and remarks are among what happened, also in a fast run."""

from pathlib import Path

from movenv.recording.reader import Recording
from movenv.review.happenings import Happenings
from movenv.review.reading import everything
from movenv.runtime.fast import FastRun
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import build
from movenv.scenario.load import load

SCENARIO = """
name: ordered
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 12}
vehicles:
  - {name: car, count: 2, unit: alpha, kind: ground, model: {speed: 6},
     start: {line: {from: [0, 0], to: [0, 30]}}, behaviors: {obey: {}}}
orders:
  - {at: 1, what: go, vehicles: [car-1], to: [[25, 0]]}
  - {at: 3, what: hold, unit: alpha}
"""


def test_a_fast_run_records_its_orders_and_what_vehicles_said(tmp_path: Path) -> None:
    path = tmp_path / "ordered.yaml"
    path.write_text(SCENARIO.replace("{at: 3", "{at: 9"))
    run = build(load(str(path)))
    writer = open_recording(tmp_path / "run.mcap", run, 1e9, [])
    summary = FastRun(run, [writer]).run()
    writer.close(summary.simulated, summary.as_dict())
    with Recording(tmp_path / "run.mcap") as recording:
        first, second = recording.orders()
        told = Happenings(recording.roster, ["advisory"])
        for message in everything(recording):
            told.take(message)
    assert (first.t, first.what, first.who, first.vids) == (1.0, "go", "script", [1])
    assert first.points == [(25.0, 0.0, None)]
    assert (second.t, second.unit, second.vids) == (9.0, "alpha", [1, 2])
    orders = [(h.t, h.text, h.rows) for h in told.kept if h.kind == "order"]
    assert orders == [
        (1.0, "script: car-1: go to 1 place", [0]),
        (9.0, "script: unit alpha (2 vehicles): hold", [0, 1]),
    ]
    (remark,) = [h for h in told.kept if h.kind == "remark"]
    assert (remark.text, remark.rows) == ("car-1: arrived", [0])
    assert 1.0 < remark.t < 9.0
