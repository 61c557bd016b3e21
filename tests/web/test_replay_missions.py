"""Steps of missions in replays: of fast runs, which have no events, and of live ones, which do."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import numpy as np
import pytest

from movenv.bench.recorded import PERIOD, MadeUp
from movenv.recording.layouts import EventRecord, RosterRecord
from movenv.recording.writer import RecordingWriter
from movenv.web.replay.feed import ReplayFeed
from movenv.world.core import Update
from movenv.world.messages import MISSION_OVER, Detections, Encounters, Notices, Snapshot
from movenv.world.run_state import RunState

TICKS = 300
VEHICLES = 3


def steps_at(tick: int) -> list[int]:
    """The first has no mission; the second goes on every 5 s, the third once."""
    return [0, min(1 + tick // 50, 4), MISSION_OVER if tick >= 120 else 1]
