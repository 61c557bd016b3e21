"""Work in several threads: kernels let go of the interpreter."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

THREADS = min(os.cpu_count() or 1, 4)


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max(THREADS - 1, 1), "sensors")


def in_threads(part: Callable[[int, int], None], count: int, size: int) -> None:
    """Call `part` with the first and the end of `size` things at a time, until all are done.

    Where there is nothing to do it is called once, for nothing.
    """
    size = max(size, 1)
    starts = iter(range(0, max(count, 1), size))  # whoever is free takes the next

    def work() -> None:
        for low in starts:
            part(low, min(low + size, count))

    others = min(THREADS, -(-count // size)) - 1
    waiting = [_pool().submit(work) for _ in range(others)]
    work()
    for other in waiting:
        other.result()
