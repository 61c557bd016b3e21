"""How real vehicles were heard: the numbers, worked out at once, and the memory they take."""

import tracemalloc

import numpy as np
import pytest

from movenv.review import links as links_module
from movenv.review.links import Links
from movenv.world.messages import Heard, Receptions

from .made import roster


def receptions(count: int, tick: int) -> Receptions:
    """Of a made-up fleet: a fix every ten ticks, each with a beat and a noise of its own."""
    row = np.arange(count)
    since = (tick + 3 * row) % 10
    fix = (tick + 3 * row) // 10
    table = Receptions.empty(count)
    table.vid = (10 + 3 * row).astype(np.uint32)
    table.heard = np.where(tick + row % 7 < 5, Heard.NEVER, Heard.HEARD).astype(np.uint8)
    table.accuracy = (3.0 + np.sin(fix * 1.3 + row)).astype(np.float32)
    table.delay = (0.2 + 0.1 * np.cos(fix * 0.7 + row)).astype(np.float32)
    table.age = (since * 0.1 + table.delay).astype(np.float32)
    table.loss = (fix % 5 * 0.01).astype(np.float32)
    table.rate = np.full(count, 1.0, np.float32)
    table.accepted = (1 + np.where(tick > 40, fix - 4, fix)).astype(np.uint32)
    table.rejected = (fix // 4).astype(np.uint32)
    return table


def taken_in(count: int, ticks: int) -> Links:
    links = Links(roster(count, real=count))
    for tick in range(ticks):
        links.add(0.1 * tick, receptions(count, tick))
    return links


@pytest.mark.parametrize(("ticks", "count"), [(97, 11), (90, 8), (1, 1), (0, 3), (20, 0)])
def test_blocks_and_groups_change_nothing(
    monkeypatch: pytest.MonkeyPatch, ticks: int, count: int
) -> None:
    monkeypatch.setattr(links_module, "TICKS_A_BLOCK", 9)
    monkeypatch.setattr(links_module, "VEHICLES_A_GROUP", 4)
    links = taken_in(count, ticks)
    tables = [receptions(count, tick) for tick in range(ticks)]
    facts, series = links.facts(), links.series()
    assert len(facts.rows) == len(facts.age_p95) == len(facts.accepted) == len(series) == count
    for i in range(count):
        told = [k for k, table in enumerate(tables) if table.heard[i] != Heard.NEVER]
        age = np.full(ticks, np.nan)
        age[told] = [tables[k].age[i] for k in told]
        np.testing.assert_array_equal(series[i].age, age)
        assert series[i].t.tolist() == [0.1 * k for k in range(ticks)]
        if told:
            assert facts.age_p95[i] == np.percentile(age[told], 95)
            assert facts.loss[i] == pytest.approx(np.mean([tables[k].loss[i] for k in told]))
        totals = [int(table.accepted[i]) for table in tables]
        grown = [now - then if now >= then else now for then, now in zip([0, *totals], totals)]  # noqa: B905
        assert facts.accepted[i] == sum(grown)
        new = [k for k in told if grown[k] > 0]
        if new:
            accuracies = np.array([tables[k].accuracy[i] for k in new], float)
            assert facts.accuracy_median[i] == np.median(accuracies)


def test_the_memory_of_a_large_fleet() -> None:
    """A fiftieth of an hour of a thousand vehicles, which so stays far below a gigabyte."""
    tracemalloc.start()
    links = taken_in(200, 3600)
    links.facts()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    print(f"{peak / 1e6:.1f} MB")
    assert peak < 20e6
