"""What a measurement is, and how to take one on a noisy machine."""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Row:
    """One figure with its target and its baseline."""

    what: str
    value: float
    unit: str
    target: float
    better: Literal["higher", "lower"]
    baseline: str
    baseline_value: float

    @property
    def met(self) -> bool:
        return self.value >= self.target if self.better == "higher" else self.value <= self.target

    @property
    def gain(self) -> float:
        """How many times better than the baseline."""
        ours, theirs = self.value, self.baseline_value
        if self.better == "lower":
            ours, theirs = theirs, ours
        return ours / theirs if theirs else math.inf

    def as_dict(self) -> dict[str, Any]:
        return asdict(self) | {"met": self.met, "gain": self.gain}


def best_time(job: Callable[[], object], repeats: int) -> float:
    """The shortest of several runs, s: other people's load only ever adds."""
    best = float("inf")
    for _ in range(repeats):
        began = time.perf_counter()
        job()
        best = min(best, time.perf_counter() - began)
    return best
