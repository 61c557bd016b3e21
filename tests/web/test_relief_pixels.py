"""The shaded height map in a real Chromium.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import msgspec
import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.serving import look, opened, served
from tests.web.synthetic import FRAME, SCENARIO, SyntheticFeed
from tests.web.test_map_pixels import picture, stand_still
from tests.web.test_scan_pixels import metres_on_page, packed

from movenv.web.feed import Moment
from movenv.world.messages import Health

pytestmark = pytest.mark.xdist_group("browser")

SIDE, CELL = 200, 0.5
DAY = (0x8F, 0x98, 0x9F), (0xFF, 0xFF, 0xFF)
NIGHT = (0x03, 0x04, 0x05), (0x2B, 0x33, 0x3B)
"""Darkest and brightest."""


@pytest.fixture
def hilly() -> SyntheticFeed:
    """A cone around the origin, 20 m high, and a house of 10 m in the south-west."""
    feed = SyntheticFeed(2)
    y, x = (np.mgrid[0:SIDE, 0:SIDE] - (SIDE - 1) / 2) * CELL
    high = np.maximum(20 - np.hypot(x, y) / 2, 0)
    high[150:170, 20:40] += 10
    image = b"P5 %d %d 65535\n" % (SIDE, SIDE) + (high * 2000).astype(">u2").tobytes()
    terrain = f"terrain: {{relief: {{file: hill.pgm, cell: {CELL}, white: 32.7675}}}}\n"
    scenario, files = SCENARIO + terrain, {"hill.pgm": packed(image)}
    feed.record = msgspec.structs.replace(feed.record, scenario=scenario, files=files)
    return feed


def brightness(page: Page, name: str, places: list[tuple[float, float]]) -> np.ndarray:
    page.wait_for_timeout(1200)
    seen = picture(page, f"relief-{name}")
    at = np.floor(metres_on_page(page, np.array(places))).astype(int)
    return seen[at[:, 1], at[:, 0]]


def test_heights_are_shaded_by_day_and_by_night_with_buildings_on_top(
    browser: Browser, hilly: SyntheticFeed
) -> None:
    lit, dark, flat, house = (-10.0, 10.0), (10.0, -10.0), (-45.0, 45.0), (-35.0, -30.0)
    with served(hilly, scenario=True) as link, opened(browser, 1000, 700) as page:
        look(page, link).emulate_media(color_scheme="light")
        stand_still(page, hilly)
        lat, lon, _ = FRAME.to_geodetic(0.0, 0.0)
        page.evaluate(f"movenv.map.jumpTo({{center: [{lon}, {lat}], zoom: 18.4}})")
        for name, (darkest, brightest) in (("day", DAY), ("night", NIGHT)):
            seen = brightness(page, name, [lit, dark, flat, house])
            span = np.subtract(brightest, darkest)
            # Shown twice as steep: a slope of 1 in the light of 45°, or away from it.
            for found, share in zip(seen, (1.0, 0.0, np.sqrt(0.5)), strict=False):
                assert np.abs(found - (darkest + share * span)).max() <= 4
            assert np.ptp(seen[3]) > 2, "the colour of buildings"
            page.keyboard.press("n")


def test_the_map_shows_the_ground_until_somebody_is_heard(
    browser: Browser, hilly: SyntheticFeed, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = hilly.moment

    def unheard() -> Moment:
        moment = heard()
        moment.vehicles.health[:] = Health.UNHEARD
        moment.vehicles.lat[:] = moment.vehicles.lon[:] = np.nan
        return moment

    monkeypatch.setattr(hilly, "moment", unheard)
    near = hilly.record.scenario.replace("  field: {square: 400}\n", "")
    hilly.record = msgspec.structs.replace(hilly.record, scenario=near)
    with served(hilly, scenario=True) as link, opened(browser, 1000, 700) as page:
        look(page, link)
        # The hill, and the pond beside it.
        corners = metres_on_page(page, np.array([(-50.0, -120.0), (140.0, 50.0)]))
        assert (corners > 0).all()
        assert 350 < np.abs(corners[1] - corners[0]).max() < 700


SOILS = {
    "light": ((0xD0, 0xE0, 0xBF), (0xD0, 0xD4, 0xD9)),
    "dark": ((0x1F, 0x33, 0x23), (0x2A, 0x30, 0x37)),
}
"""Of grass and of what is hard."""


def test_level_ground_has_the_colours_of_its_soils(browser: Browser) -> None:
    """Grass in the west, asphalt in the east."""
    feed = SyntheticFeed(2)
    head = b"P5 %d %d 255\n" % (SIDE, SIDE)
    soils = np.repeat([[9] * 100 + [5] * 100], SIDE, axis=0).astype(np.uint8)
    files = {
        "flat.pgm": packed(head + bytes(SIDE * SIDE)),
        "soils.pgm": packed(head + soils.tobytes()),
    }
    made_of = "materials: {file: soils.pgm, kinds: {9: grass, 5: hard}}"
    terrain = f"terrain: {{relief: {{file: flat.pgm, cell: {CELL}, white: 20, {made_of}}}}}\n"
    feed.record = msgspec.structs.replace(feed.record, scenario=SCENARIO + terrain, files=files)
    with served(feed, scenario=True) as link, opened(browser, 1000, 700) as page:
        look(page, link).emulate_media(color_scheme="light")
        stand_still(page, feed)
        lat, lon, _ = FRAME.to_geodetic(0.0, 0.0)
        page.evaluate(f"movenv.map.jumpTo({{center: [{lon}, {lat}], zoom: 18.4}})")
        for scheme, colours in SOILS.items():
            seen = brightness(page, f"soils-{scheme}", [(-33.0, 23.0), (33.0, 23.0)])
            assert np.abs(seen - np.array(colours, int)).max() <= 4, scheme
            page.keyboard.press("n")
        page.keyboard.press("?")
        legend = page.get_by_test_id("ground-legend")
        expect(legend).to_contain_text("grass")
        expect(legend).not_to_contain_text("gravel")
