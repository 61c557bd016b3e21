"""Tables and the way from vids to rows."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from movenv.world.columns import VidIndex
from movenv.world.messages import Motions


@given(
    vids=st.lists(st.integers(1, 2**32 - 1), min_size=1, max_size=50, unique=True),
    asked=st.lists(st.integers(0, 2**32 - 1), max_size=20),
)
def test_rows_of_vids_are_found_in_dense_and_sparse_numberings(
    vids: list[int], asked: list[int]
) -> None:
    for numbers in (vids, list(range(1, len(vids) + 1))[::-1]):
        index = VidIndex(np.array(numbers, np.uint32))
        wanted = np.array(asked + numbers, np.uint32)
        expected = [numbers.index(v) if v in numbers else -1 for v in wanted.tolist()]
        assert index.rows(wanted).tolist() == expected


def test_columns_take_the_types_of_the_wire() -> None:
    motions = Motions({name: np.arange(3) for name in Motions.dtypes})
    assert motions.x.dtype == np.float64
    assert motions.yaw.dtype == np.float32
    assert motions.take(np.array([2, 0])).vid.tolist() == [2, 0]
