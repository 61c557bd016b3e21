"""What a test director writes down stands in the recording."""

from pathlib import Path

import pytest

from movenv.recording.reader import Recording
from movenv.runtime.live.admission import MarkRefused, checked_mark
from movenv.world.run_state import RunState

from .processes import live_run, movenv
from .simulated import Simulation


def test_a_mark_is_an_event_with_the_present_time() -> None:
    net = Simulation("three-uavs").shares(1).start().run(2.03)
    t = net.live.mark("  medic crosses\n behind the truck ", "ann")
    net.run(0.5)
    (mark,) = [event for event in net.events if event.kind == "mark"]
    assert (mark.text, mark.who, mark.vids) == ("medic crosses behind the truck", "ann", [])
    assert mark.t == t == 2.0
    net.command(RunState.STOP)
    with pytest.raises(MarkRefused, match="has ended"):
        net.live.mark("too late", "ann")


def test_marks_are_short_and_fit_for_a_terminal() -> None:
    assert checked_mark("x" * 500) == "x" * 500
    assert checked_mark("a\x1b[31mb") == "a?[31mb"
    assert checked_mark("Böe, 風") == "Böe, 風"
    for text, why in (("x" * 501, "at most 500 letters"), ("", "needs words"), (" \n", "needs")):
        with pytest.raises(MarkRefused, match=why):
            checked_mark(text)


@pytest.mark.xdist_group("live")
def test_a_mark_stands_in_the_recording(tmp_path: Path) -> None:
    with live_run(tmp_path, "three-uavs", "--duration", "600") as run:
        run.wait_for("GO", t=0.5)
        texts = ("rain begins", "", "y" * 501)
        done = [movenv("mark", text, "--core", run.address) for text in texts]
        run.state("stop")
        assert run.ended()[0] == 0
    first, empty, long = ((one.returncode, one.stdout, one.stderr) for one in done)
    assert first[0] == 0
    assert first[1].startswith("marked at t = ")
    assert empty[0] == 2
    assert "a mark needs words" in empty[2]
    assert long[0] == 2
    assert "at most 500 letters" in long[2]
    with Recording(run.recording) as recording:
        marks = [event for event in recording.events() if event.kind == "mark"]
    assert [mark.text for mark in marks] == ["rain begins"]
    assert marks[0].who
    assert marks[0].t > 0.4
    assert f"marked at t = {marks[0].t:.1f} s" == first[1].strip()
