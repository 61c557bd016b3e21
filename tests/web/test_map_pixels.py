"""The map in a real Chromium: symbols stand where Web Mercator, worked out here by hand, puts them.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import base64
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page
from tests.web.serving import look, opened, served
from tests.web.synthetic import SyntheticFeed

from movenv.world.run_state import RunState

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long]

VEHICLES = 8
TILE = 512
REACH = 14
"""Pixels around the place a symbol should have in which its own pixels are looked for."""
TOLERANCE = 3.0
DECODE = """async (png) => {
  const data = Uint8Array.from(atob(png), (sign) => sign.charCodeAt(0));
  const image = await createImageBitmap(new Blob([data]));
  const paper = new OffscreenCanvas(image.width, image.height).getContext('2d');
  paper.drawImage(image, 0, 0);
  const { data: pixels } = paper.getImageData(0, 0, image.width, image.height);
  let text = '';
  for (let i = 0; i < pixels.length; i += 8192) {
    text += String.fromCharCode(...pixels.subarray(i, i + 8192));
  }
  return { width: image.width, pixels: btoa(text) };
}"""
"""A picture's pixels, by the browser itself."""
BLUE, ORANGE = (0x00, 0x66, 0xB3), (0xD9, 0x68, 0x00)
"""Of virtual and real vehicles by day."""


@pytest.fixture
def feed() -> SyntheticFeed:
    return SyntheticFeed(VEHICLES)


@pytest.fixture
def link(feed: SyntheticFeed) -> Iterator[str]:
    with served(feed, scenario=True) as link:
        yield link


@pytest.fixture
def page(browser: Browser, link: str) -> Iterator[Page]:
    """The console with its map, once somebody is drawn on it."""
    with opened(browser, 1000, 700) as page:
        look(page, link).evaluate("movenv.fleetMap.tailLength = 0")
        yield page


def stand_still(page: Page, feed: SyntheticFeed) -> None:
    feed.command(RunState.PAUSE, "test")
    page.wait_for_timeout(700)


def on_page(page: Page, lat: Any, lon: Any) -> NDArray[np.float64]:
    """Where places are in pixels of the page: Web Mercator and a turn; nothing of the map's."""
    look: dict[str, Any] = page.evaluate(
        """() => {
            const { map } = movenv;
            const { lng, lat } = map.getCenter();
            const box = map.getContainer().getBoundingClientRect();
            return { lng, lat, zoom: map.getZoom(), bearing: map.getBearing(),
                     x: box.x + box.width / 2, y: box.y + box.height / 2 };
        }"""
    )

    def mercator(lon: Any, lat: Any) -> tuple[Any, Any]:
        return np.radians(lon), -np.arctanh(np.sin(np.radians(lat)))

    east, south = mercator(lon, lat)
    middle_east, middle_south = mercator(look["lng"], look["lat"])
    scale = TILE * 2 ** look["zoom"] / math.tau
    turn = np.exp(-1j * math.radians(look["bearing"]))
    away = ((east - middle_east) + 1j * (south - middle_south)) * scale * turn
    return np.column_stack([look["x"] + away.real, look["y"] + away.imag])


def expected(page: Page, feed: SyntheticFeed) -> NDArray[np.float64]:
    """Where everyone is."""
    vehicles = feed.moment().vehicles
    return on_page(page, vehicles.lat, vehicles.lon)


def picture(page: Page, name: str) -> NDArray[np.int64]:
    data = page.screenshot()
    if folder := os.environ.get("MOVENV_SHOTS"):
        (Path(folder) / f"map-{name}.png").write_bytes(data)
    blank = page.context.new_page()
    found = blank.evaluate(DECODE, base64.b64encode(data).decode())
    blank.close()
    pixels = np.frombuffer(base64.b64decode(found["pixels"]), np.uint8)
    return pixels.reshape(-1, found["width"], 4)[:, :, :3].astype(np.int64)


def middle_of_symbol(
    seen: NDArray[np.int64], at: NDArray[np.float64], colour: tuple[int, int, int]
) -> NDArray[np.float64]:
    """The middle of the box around pixels of a colour near a place."""
    y, x = np.indices(seen.shape[:2])
    near = np.hypot(x + 0.5 - at[0], y + 0.5 - at[1]) < REACH
    alike = np.abs(seen - np.array(colour)).max(axis=2) < 40
    rows, columns = np.nonzero(near & alike)
    assert len(rows) > 20, f"only {len(rows)} pixels of a symbol around {at}"
    return np.array([columns.min() + columns.max() + 1, rows.min() + rows.max() + 1]) / 2


def shown(places: NDArray[np.float64], seen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rows well within the picture and apart from all others, whose symbols stand free."""
    high, wide = seen.shape[:2]
    apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1))
    np.fill_diagonal(apart, np.inf)
    inside = ((places > 40) & (places < [wide - 90, high - 40])).all(axis=1)
    heard = np.arange(len(places)) % 37 != 5  # a lost one is hollow
    return np.flatnonzero(inside & heard & (apart.min(axis=1) > 2.5 * REACH))


@pytest.mark.parametrize("bearing", [0, 70])
def test_symbols_stand_where_mercator_puts_them(
    page: Page, feed: SyntheticFeed, bearing: int
) -> None:
    stand_still(page, feed)
    page.evaluate(f"movenv.map.jumpTo({{bearing: {bearing}}})")
    page.wait_for_timeout(400)
    places, seen = expected(page, feed), picture(page, f"bearing-{bearing}")
    rows = shown(places, seen)
    assert len(rows) >= 4
    for row in rows:
        colour = ORANGE if row % 10 == 0 else BLUE
        off = middle_of_symbol(seen, places[row], colour) - places[row]
        assert np.hypot(*off) <= TOLERANCE, f"row {row} is off by {off}"


def test_the_handle_for_tests_tells_the_same_places(page: Page, feed: SyntheticFeed) -> None:
    stand_still(page, feed)
    told = [page.evaluate(f"movenv.project({row})") for row in range(VEHICLES)]
    places = np.array([[place["x"], place["y"]] for place in told])
    assert places == pytest.approx(expected(page, feed), abs=0.5)


def test_a_click_selects_the_vehicle_under_it_and_one_beside_deselects(
    page: Page, feed: SyntheticFeed
) -> None:
    stand_still(page, feed)
    places, seen = expected(page, feed), picture(page, "before")
    row = int(shown(places, seen)[0])
    page.mouse.click(places[row, 0] + 4, places[row, 1] - 3)
    page.wait_for_timeout(300)
    assert page.evaluate("movenv.fleetMap.selection.selected") == row
    box = page.evaluate("movenv.map.getContainer().getBoundingClientRect().toJSON()")
    free = [
        np.array([box["x"] + box["width"] * across, box["y"] + box["height"] * down])
        for across in (0.2, 0.4, 0.6, 0.8)
        for down in (0.3, 0.5, 0.7)
    ]
    far = max(free, key=lambda place: np.hypot(*(places - place).T).min())
    assert np.hypot(*(places - far).T).min() > REACH
    page.mouse.click(*far)
    page.wait_for_timeout(300)
    assert page.evaluate("movenv.fleetMap.selection.selected") is None


def test_who_is_followed_stays_in_the_middle_until_the_map_is_dragged(page: Page) -> None:
    page.evaluate("movenv.fleetMap.selection.select(2); movenv.fleetMap.selection.follow(true)")
    page.wait_for_timeout(1500)
    x, y = (page.evaluate("movenv.project(2)")[axis] for axis in "xy")
    box = page.evaluate("movenv.map.getContainer().getBoundingClientRect().toJSON()")
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    assert math.hypot(x - middle[0], y - middle[1]) < TOLERANCE
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0] + 120, middle[1] + 60, steps=5)
    page.mouse.up()
    assert page.evaluate("movenv.fleetMap.selection.following") is False


def test_a_frame_that_cannot_be_drawn_is_told_of_once_and_does_not_stop_the_feed(
    page: Page,
) -> None:
    page.evaluate("() => { movenv.fleetMap.draw = () => Promise.reject(new Error('no card')) }")
    before = page.evaluate("movenv.fleetMap.fleet.version")
    page.wait_for_timeout(1500)
    assert page.evaluate("movenv.fleetMap.fleet.version") > before + 5
    assert page.locator(".toast").all_inner_texts() == ["This page cannot show everything: no card"]


def test_a_chosen_pair_is_in_view_with_a_ring_around_each(page: Page, feed: SyntheticFeed) -> None:
    stand_still(page, feed)
    page.evaluate("movenv.map.jumpTo({ center: [-81.05, 29.2], zoom: 19 })")
    page.get_by_role("tab", name="Pairs").click()
    page.locator(".pair").first.click()
    page.wait_for_timeout(1800)
    rows = page.evaluate("movenv.fleetMap.selection.rows")
    assert len(rows) == 2
    places, seen = expected(page, feed)[rows], picture(page, "pair")
    box = page.evaluate("movenv.map.getContainer().getBoundingClientRect().toJSON()")
    for x, y in places:
        assert box["left"] < x < box["right"]
        assert box["top"] < y < box["bottom"]
        away = np.hypot(*(np.indices(seen.shape[:2])[::-1] + 0.5 - np.array([x, y])[:, None, None]))
        rim = seen[(away > 14) & (away < 22)]
        assert (rim.max(axis=1) < 60).sum() > 100, "no ring"
