"""Our CDR against ROS 2's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcap_ros2._dynamic import generate_dynamic

from movenv.recording.cdr import DecodeError
from movenv.recording.layouts import DETECTION_LAYOUT, LAYOUTS, NOTICE_LAYOUT, SNAPSHOT_LAYOUT
from movenv.world.messages import Detections, Encounters


def filled(table: type, rows: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    return table({name: rng.integers(0, 100, rows) for name in table.dtypes})


@pytest.mark.parametrize("topic", LAYOUTS)
@pytest.mark.parametrize("rows", [1, 2, 3, 7, 100])
def test_a_reader_for_ros_2_reads_the_same_numbers(topic: str, rows: int) -> None:
    layout = LAYOUTS[topic]
    numbers = dict.fromkeys(layout.numbers, 5)
    table = filled(layout.table, rows)
    decode = generate_dynamic(layout.name, layout.schema)[layout.name]
    theirs = decode(layout.encode(numbers, table))
    assert all(getattr(theirs, name) == 5 for name in numbers)
    for name, column in table.columns():
        assert (
            list(getattr(theirs, name)) == column.tolist()
            or bytes(getattr(theirs, name)) == column.tobytes()
        )


@given(rows=st.integers(0, 20), seed=st.integers(0, 99))
def test_what_goes_in_comes_out(rows: int, seed: int) -> None:
    table = filled(Encounters, rows, seed)
    numbers, back = NOTICE_LAYOUT.decode(NOTICE_LAYOUT.encode({"t": 1.5, "tick": 15}, table))
    assert numbers == {"t": 1.5, "tick": 15}
    for name, column in table.columns():
        assert np.array_equal(getattr(back, name), column)


@given(data=st.binary(max_size=200), keep=st.integers(0, 400))
def test_garbage_and_torn_messages_are_refused(data: bytes, keep: int) -> None:
    whole = DETECTION_LAYOUT.encode({"t": 0.0, "tick": 0}, filled(Detections, 5))
    for broken in (data, whole[: keep % len(whole)], whole[:4] + data):
        try:
            DETECTION_LAYOUT.decode(broken)
        except DecodeError:
            continue
    with pytest.raises(DecodeError):
        SNAPSHOT_LAYOUT.decode(whole[:-1])
