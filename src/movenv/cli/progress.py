"""Progress bars: on a terminal, on standard error, never in the way of output."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

REDRAW_EVERY = 0.1


@contextmanager
def progress_bar(
    title: str, total: float, quiet: bool = False
) -> Iterator[Callable[[float], None]]:
    """Gives a function to call with what is done so far."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda done: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, auto_refresh=False) as bar:
        task = bar.add_task(title, total=total)
        drawn = time.monotonic()

        def advance(done: float) -> None:
            nonlocal drawn
            if time.monotonic() - drawn >= REDRAW_EVERY:
                drawn = time.monotonic()
                bar.update(task, completed=done)
                bar.refresh()

        yield advance
