"""The station points of formations by name, as seen by the leader: metres ahead and to the left."""

import math
from typing import Literal, get_args

import numpy as np

from movenv.world.columns import F8

Shape = Literal["column", "line", "wedge", "vee", "echelon", "diamond"]
Side = Literal["left", "right"]
SHAPES: tuple[str, ...] = get_args(Shape)


def stations_of(shape: str, followers: int, spacing: float, side: Side = "right") -> F8:
    """The stations (2, followers) of a shape, the leader's own left out.

    Neighbours are `spacing` metres apart. Followers come in pairs, right before left, from the
    leader outward; `side` is where an echelon trails.
    """
    number = np.arange(1, followers + 1)
    pair, hand = (number + 1) // 2, np.where(number % 2, -1.0, 1.0)
    aslant = spacing / math.sqrt(2)
    match shape:
        case "column":
            points = [-spacing * number, np.zeros(followers)]
        case "line":
            points = [np.zeros(followers), spacing * pair * hand]
        case "wedge":
            points = [-aslant * pair, aslant * pair * hand]
        case "vee":
            points = [aslant * pair, aslant * pair * hand]
        case "echelon":
            points = [-aslant * number, aslant * number * (1.0 if side == "left" else -1.0)]
        case "diamond":
            return _diamond(followers, aslant)
        case _:
            raise ValueError(f"'{shape}' is none of {', '.join(SHAPES)}")
    return np.array(points, float).reshape(2, followers)


def _diamond(followers: int, aslant: float) -> F8:
    """Ranks of 1, 2, ... and down to 1 again behind a leader at the tip.

    A rank that is not full has its middle filled.
    """
    widest = math.isqrt(followers) + 1
    points: list[tuple[float, float]] = []
    for rank in range(2 * widest - 1):
        width = min(rank + 1, 2 * widest - 1 - rank)
        left = aslant * (2.0 * np.arange(width) - (width - 1))
        middle_first = left[np.lexsort((left, np.abs(left)))]
        points += [(-aslant * rank, float(y)) for y in middle_first]
    return np.array(points[1 : followers + 1], float).reshape(followers, 2).T
