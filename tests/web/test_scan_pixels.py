"""Scans and maps of occupied cells in a real Chromium, where Web Mercator puts them.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import base64
import zlib
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page
from tests.web.serving import look, opened, served, until
from tests.web.synthetic import FRAME, SCENARIO, WALL, SyntheticFeed
from tests.web.test_map_pixels import on_page, picture, stand_still

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long]

CELL = 8.0
WALLS = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 2, 0]])
"""Of the map, from the north: 0 free, 1 occupied, 2 unknown."""
DAY = {0: (0xFF, 0xFF, 0xFF), 1: (0x4D, 0x54, 0x5C), 2: (0xDF, 0xE2, 0xE4)}
NIGHT = {0: (0x1D, 0x23, 0x2A), 1: (0x9A, 0xA4, 0xAE), 2: (0x0E, 0x11, 0x14)}
OWN, ALTERED = (0xC2, 0x18, 0x5B), (0x00, 0x66, 0xB3)
GREY = {0: 254, 1: 0, 2: 205}


@pytest.fixture
def feed() -> SyntheticFeed:
    return SyntheticFeed(2)


@pytest.fixture
def page(browser: Browser, feed: SyntheticFeed) -> Iterator[Page]:
    with served(feed) as link, opened(browser, 1000, 700) as page:
        look(page, link).evaluate("movenv.fleetMap.tailLength = 0")
        yield page


def metres_on_page(page: Page, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where local metres are in pixels of the page."""
    lat, lon, _ = FRAME.to_geodetic(points[:, 0], points[:, 1])
    return on_page(page, lat, lon)


def alike(seen: NDArray[np.int64], colour: tuple[int, int, int]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(seen - np.array(colour)).max(axis=2) < 25)


def has_near(where: NDArray[np.bool_], at: NDArray[np.float64], reach: int = 3) -> bool:
    x, y = np.rint(at - 0.5).astype(int)
    return bool(where[y - reach : y + reach + 1, x - reach : x + reach + 1].any())


def test_the_scan_of_the_selected_is_drawn_and_what_was_put_into_it_in_another_colour(
    page: Page, feed: SyntheticFeed
) -> None:
    assert feed.watched == []
    stand_still(page, feed)
    vehicles = feed.moment().vehicles
    page.evaluate("movenv.fleetMap.selection.select(1); movenv.fleetMap.goTo(1)")
    until(page, "movenv.fleetMap.fleet.scans.length === 1 && !movenv.map.isMoving()")
    page.wait_for_timeout(500)
    assert feed.watched == [1]
    seen = picture(page, "scan")
    middle = np.array([vehicles.x[1], vehicles.y[1]])
    walls = [(along, side) for side in (-1.0, 1.0) for along in (-1.0, -0.5, 0.0, 0.7)]
    for at in metres_on_page(page, middle + WALL * np.array(walls)):
        assert has_near(alike(seen, OWN), at), f"no wall at {at}"
        assert not has_near(alike(seen, ALTERED), at)
    ahead = np.radians([-12, -5, 5, 12])
    virtual = middle + WALL * np.column_stack([np.cos(ahead), np.sin(ahead)])
    for at in metres_on_page(page, virtual):
        assert has_near(alike(seen, ALTERED), at), f"nobody at {at}"
        assert not has_near(alike(seen, OWN), at)


def test_who_wants_to_see_no_scans_is_sent_none(page: Page, feed: SyntheticFeed) -> None:
    page.evaluate("movenv.fleetMap.selection.select(0)")
    until(page, "movenv.fleetMap.fleet.scans.length === 1")
    page.get_by_test_id("map-layers").click()
    page.get_by_test_id("scans-of").select_option("nobody")
    until(page, "movenv.fleetMap.fleet.scans.length === 0")
    assert feed.watched == []
    page.get_by_test_id("scans-of").select_option("all")
    until(page, "movenv.fleetMap.fleet.scans.length === 2")
    assert feed.watched == [0, 1]


@pytest.fixture
def mapped() -> SyntheticFeed:
    """Around the origin, its corner at (-16, -12)."""
    feed = SyntheticFeed(2)
    image = b"P2 4 3 255\n" + b" ".join(b"%d" % GREY[cell] for cell in WALLS.ravel().tolist())
    files = {"hall.yaml": f"image: hall.pgm\nresolution: {CELL}\norigin: [-16, -12, 0]\n"}
    files["hall.pgm"] = packed(image)
    scenario = SCENARIO + "terrain: {map: hall.yaml}\n"
    feed.record = msgspec.structs.replace(feed.record, scenario=scenario, files=files)
    return feed


def packed(image: bytes) -> str:
    return base64.b64encode(zlib.compress(image)).decode()


def test_a_map_of_occupied_cells_lies_beneath_by_day_and_by_night(
    browser: Browser, mapped: SyntheticFeed
) -> None:
    with served(mapped, scenario=True) as link, opened(browser, 1000, 700) as page:
        look(page, link).emulate_media(color_scheme="light")
        stand_still(page, mapped)
        lat, lon, _ = FRAME.to_geodetic(0.0, 0.0)
        page.evaluate(f"movenv.map.jumpTo({{center: [{lon}, {lat}], zoom: 20}})")
        shows(page, DAY, "day")
        page.keyboard.press("n")
        shows(page, NIGHT, "night")
        page.get_by_test_id("map-layers").click()
        page.get_by_test_id("layer-Terrain").uncheck()
        page.wait_for_timeout(700)
        assert "movenv-occupancy" not in page.evaluate("Object.keys(movenv.map.getStyle().sources)")


def shows(page: Page, tones: dict[int, tuple[int, int, int]], name: str) -> None:
    """Every cell has its colour up to its very edge: nothing is blurred."""
    page.wait_for_timeout(1200)
    seen = picture(page, f"cells-{name}")
    for row, column in np.ndindex(WALLS.shape):
        corner = np.array([-16.0 + column * CELL, 12.0 - row * CELL])
        wanted = alike(seen, tones[int(WALLS[row, column])])
        inside = [(0.07, 0.2), (0.3, 0.07), (0.8, 0.93), (0.93, 0.7), (0.62, 0.38)]
        for at in metres_on_page(page, corner + np.array(inside) * [CELL, -CELL]):
            x, y = np.floor(at).astype(int)
            assert wanted[y, x], f"cell {row}, {column} is {seen[y, x]} at {at}"
