"""Work in several threads: kernels let go of the interpreter."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

THREADS = min(os.cpu_count() or 1, 4)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(THREADS - 1, 1), "sensors")


def in_threads(part: Callable[[int, int], None], count: int, shared: bool = True) -> None:
    """Call `part` with the first and the end of some of `count` things, until all are done."""
    parts = THREADS if shared else 1
    bounds = [count * number // parts for number in range(parts + 1)]
    waiting = [_pool().submit(part, low, high) for low, high in pairwise(bounds[1:])]
    part(bounds[0], bounds[1])  # the first is for this thread
    for other in waiting:
        other.result()
