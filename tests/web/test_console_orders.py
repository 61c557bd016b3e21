"""Selecting several, drawing and ordering in a real Chromium, beside a run that never was.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page, expect
from tests.web.ordered import TOO_FAST, OrderedFeed
from tests.web.serving import look, opened, served

from movenv.world.run_state import RunState

pytestmark = [pytest.mark.xdist_group("browser"), pytest.mark.long]

VEHICLES = 10
SELECTION = "window.movenv.fleetMap.selection"
WATER = (0xC3, 0xDA, 0xE8)
WOOD = (0xD5, 0xE2, 0xC8)


@pytest.fixture
def feed() -> OrderedFeed:
    return OrderedFeed(VEHICLES)


@pytest.fixture
def link(feed: OrderedFeed) -> Iterator[str]:
    with served(feed, scenario=True) as link:
        yield link


@pytest.fixture
def page(browser: Browser, link: str, feed: OrderedFeed) -> Iterator[Page]:
    """A run that stands still, all of it in view."""
    with opened(browser, 1366, 768) as page:
        look(page, link)
        feed.command(RunState.PAUSE, "test")
        page.evaluate("movenv.map.jumpTo({ center: [-81.046171, 29.193111], zoom: 16.2 })")
        page.wait_for_timeout(700)
        yield page


def by_id(page: Page, name: str) -> Any:
    return page.get_by_test_id(name)


def selected(page: Page) -> list[int]:
    rows: list[int] = page.evaluate(f"{SELECTION}.members")
    return sorted(rows)


def project(page: Page, lat: float, lon: float) -> tuple[float, float]:
    x, y = page.evaluate(
        """([lat, lon]) => { const b = movenv.map.getContainer().getBoundingClientRect();
             const p = movenv.map.project([lon, lat]); return [b.left + p.x, b.top + p.y]; }""",
        [lat, lon],
    )
    return float(x), float(y)


def places(page: Page) -> NDArray[np.float64]:
    """Where everyone's symbol is, pixels of the page."""
    found = page.evaluate(f"[...Array({VEHICLES}).keys()].map((row) => movenv.project(row))")
    return np.array([[one["x"], one["y"]] for one in found])


def globe(page: Page, x: float, y: float) -> dict[str, float]:
    found: dict[str, float] = page.evaluate(
        """([x, y]) => { const b = movenv.map.getContainer().getBoundingClientRect();
             const { lng, lat } = movenv.map.unproject([x - b.left, y - b.top]);
             return { lat, lon: lng }; }""",
        [x, y],
    )
    return found


def free(page: Page, count: int) -> list[tuple[float, float]]:
    """Pixels of the map that are far from everyone and from each other."""
    box = by_id(page, "selection-bar").evaluate(
        "() => movenv.map.getContainer().getBoundingClientRect().toJSON()"
    )
    there = [tuple(place) for place in places(page).tolist()]
    found: list[tuple[float, float]] = []
    across = np.linspace(box["left"] + 150, box["right"] - 100, 25)
    down = np.linspace(box["top"] + 80, box["bottom"] - 140, 25)
    for x, y in ((float(x), float(y)) for y in down for x in across):
        taken = np.array(there + found)
        if np.hypot(*(taken - [x, y]).T).min() > 40:
            found.append((x, y))
        if len(found) == count:
            return found
    raise AssertionError("the map is full")


def shot(page: Page, name: str) -> NDArray[np.int64]:
    data = page.screenshot()
    if folder := os.environ.get("MOVENV_SHOTS"):
        (Path(folder) / f"orders-{name}.png").write_bytes(data)
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(np.int64)


def drag(page: Page, begin: Any, end: Any) -> None:
    page.keyboard.down("Shift")
    page.mouse.move(*begin)
    page.mouse.down()
    page.mouse.move(*end, steps=6)
    page.mouse.up()
    page.keyboard.up("Shift")


def test_shift_adds_and_takes_away_and_a_box_selects_all_within(page: Page) -> None:
    at = places(page)
    page.mouse.click(*at[0])
    page.keyboard.down("Shift")
    page.mouse.click(*at[3])
    page.keyboard.up("Shift")
    assert selected(page) == [0, 3]
    expect(by_id(page, "selection-count")).to_have_text("2 selected")
    expect(by_id(page, "selection-bar")).to_contain_text("rotorcraft-4")
    page.keyboard.down("Shift")
    page.mouse.click(*at[0])
    page.keyboard.up("Shift")
    assert selected(page) == [3]
    expect(by_id(page, "vehicle-card")).to_contain_text("rotorcraft-4")
    page.keyboard.press("Escape")
    assert selected(page) == []
    before = page.evaluate("movenv.map.getCenter().toArray()")
    middle, half = np.median(at, axis=0), np.array([70, 60])
    corner, other = middle - half, middle + half
    drag(page, corner, other)
    inside = ((at > corner) & (at < other)).all(axis=1)
    assert 2 <= inside.sum() < VEHICLES
    assert selected(page) == np.flatnonzero(inside).tolist()
    assert page.evaluate("movenv.map.getCenter().toArray()") == before, "the map was dragged"


def test_the_list_selects_units_and_all_that_a_filter_shows(page: Page) -> None:
    by_id(page, "unit-bravo").click()
    assert selected(page) == [5, 6, 7, 8, 9]
    expect(by_id(page, "unit-bravo")).to_have_attribute("aria-pressed", "true")
    expect(by_id(page, "unit-bravo")).to_contain_text("4 of 5 heard")  # one of them is lost
    expect(by_id(page, "selection-count")).to_have_text("bravo, 5 selected")
    expect(page.locator(".roster-row[aria-selected=true]:visible")).to_have_count(5)
    by_id(page, "roster-search").fill("ground")
    by_id(page, "roster-select-all").click()
    assert selected(page) == [1, 7]
    page.locator(".roster-row:visible", has_text="ground-8").click(modifiers=["Shift"])
    assert selected(page) == [1]


def test_a_drawn_route_is_ordered_shown_and_told_of(page: Page, feed: OrderedFeed) -> None:
    by_id(page, "unit-alpha").click()
    page.wait_for_timeout(1200)
    by_id(page, "bar-orders").click()
    expect(by_id(page, "order-whom")).to_have_text("alpha, 5 vehicles")
    expect(by_id(page, "order-refusers")).to_have_text("1 of 5 takes no orders.")
    by_id(page, "order-route").click()
    points = free(page, 4)
    for point in points:
        page.mouse.click(*point)
        page.wait_for_timeout(350)  # not to be taken for a double click
    page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    assert feed.asked == [], "drawing is not ordering"
    expect(by_id(page, "order-where")).to_have_text("3 points")
    by_id(page, "order-formation").select_option("wedge")
    by_id(page, "order-spacing").fill("25")
    by_id(page, "order-speed").fill("7.5")
    by_id(page, "order-roads").select_option("prefer")
    drawn = [globe(page, *point) for point in points[:3]]
    by_id(page, "order-go").click()
    expect(by_id(page, "order-answer")).to_contain_text("Order 1")
    (wish,) = feed.asked
    to = wish.pop("to")
    assert wish == {
        "what": "go", "vehicles": [], "unit": "alpha", "speed": 7.5, "roads": "prefer",
        "formation": "wedge", "spacing": 25.0,
    }  # fmt: skip
    for place, wanted in zip(to, drawn, strict=True):
        assert [place["lat"], place["lon"]] == pytest.approx([wanted["lat"], wanted["lon"]])
    expect(by_id(page, "standing-1")).to_contain_text("alpha, 4 vehicles")
    expect(by_id(page, "standing-1")).to_contain_text("3 places · wedge · 7.5 m/s")
    page.wait_for_timeout(500)
    seen = shot(page, "standing")
    teal = np.abs(seen - np.array([0x00, 0x79, 0x8C])).max(axis=2) < 30
    for x, y in points[:3]:
        assert teal[int(y) - 12 : int(y) + 5, int(x) - 6 : int(x) + 10].sum() > 15, "no flag"
    by_id(page, "tab-events").click()
    expect(by_id(page, "event-log")).to_contain_text("4 vehicles: go")


def test_a_goal_by_keyboard_is_sent_by_enter_and_orders_of_others_are_shown_on_demand(
    page: Page, feed: OrderedFeed
) -> None:
    page.mouse.click(*places(page)[1])
    page.keyboard.press("o")
    expect(by_id(page, "selection-bar")).to_contain_text("Click the goal")
    ((x, y),) = free(page, 1)
    page.mouse.click(x, y)
    assert selected(page) == [1], "the click was the goal's"
    page.keyboard.press("Enter")
    expect(by_id(page, "order-answer")).to_contain_text("Order 1")
    assert feed.asked[0]["vehicles"] == ["ground-2"]
    assert len(feed.asked[0]["to"]) == 1
    page.keyboard.press("Shift+H")
    expect(by_id(page, "order-answer")).to_contain_text("Order 2")
    page.keyboard.press("Shift+C")
    expect(by_id(page, "order-answer")).to_contain_text("Order 3")
    assert [wish["what"] for wish in feed.asked] == ["go", "hold", "resume"]
    page.keyboard.press("d")
    page.mouse.click(x, y)
    page.keyboard.press("Escape")
    expect(by_id(page, "order-where")).to_have_text("")
    assert selected(page) == [1], "the first Esc only leaves off drawing"
    page.keyboard.press("Escape")
    assert selected(page) == []
    feed.order({"what": "go", "vehicles": ["ground-2"], "to": [globe(page, x, y)]}, "somebody")
    expect(by_id(page, "standing-4")).to_be_visible()
    for shown in (False, True):
        by_id(page, "orders-all").set_checked(shown)
        page.wait_for_timeout(400)
        seen = shot(page, f"all-{shown}")[int(y) - 12 : int(y) + 5, int(x) - 6 : int(x) + 10]
        teal = np.abs(seen - np.array([0x00, 0x79, 0x8C])).max(axis=2) < 30
        assert bool(teal.sum() > 15) is shown


def test_a_refusal_is_said_in_words_and_what_was_drawn_stays(page: Page, feed: OrderedFeed) -> None:
    page.mouse.click(*places(page)[1])
    page.keyboard.press("o")
    page.mouse.click(*free(page, 1)[0])
    by_id(page, "order-speed").fill(f"{TOO_FAST:g}")
    by_id(page, "order-go").click()
    refused = "Refused: nobody goes 99 m/s."
    expect(by_id(page, "order-answer")).to_have_text(refused)
    expect(by_id(page, "selection-bar")).to_contain_text(refused)
    expect(by_id(page, "order-where")).to_have_text("1 goal")
    assert feed.standing == []
    by_id(page, "order-form").click()
    expect(by_id(page, "order-answer")).to_have_text("Choose a formation first.")
    page.keyboard.press("Escape")
    page.mouse.click(*places(page)[4])
    expect(by_id(page, "order-refusers")).to_have_text("It takes no orders.")
    expect(by_id(page, "order-go")).to_be_disabled()


def test_an_observer_sees_standing_orders_and_cannot_give_any(
    browser: Browser, feed: OrderedFeed, link: str
) -> None:
    with opened(browser) as page:
        as_observer(page)
        look(page, link)
        expect(by_id(page, "tab-orders")).to_be_hidden()
        feed.order({"what": "hold", "vehicles": ["ground-2"], "to": []}, "somebody")
        by_id(page, "tab-orders").click()
        expect(by_id(page, "standing-1")).to_contain_text("ground-2")
        expect(by_id(page, "order-desk")).to_have_count(0)
        by_id(page, "tab-vehicles").click()
        by_id(page, "unit-alpha").click()
        page.wait_for_timeout(300)
        expect(by_id(page, "bar-hold")).to_be_hidden()
        page.keyboard.press("Shift+H")
        page.wait_for_timeout(300)
        assert len(feed.asked) == 1


def as_observer(page: Page) -> None:
    """Have the page be told that it may only look."""
    page.route_web_socket(
        "**/api/feed",
        lambda socket: socket.connect_to_server().on_message(
            lambda said: socket.send(
                said.replace('"role":"operator"', '"role":"observer"')
                if isinstance(said, str)
                else said
            )
        ),
    )


def test_the_ground_is_drawn_beneath_named_on_hover_and_switched_off(page: Page) -> None:
    page.wait_for_timeout(500)
    lake, wood = project(page, *(29.193774, -81.045143)), project(page, *(29.193977, -81.047768))
    seen = shot(page, "ground")
    for (x, y), colour in ((lake, WATER), (wood, WOOD)):
        around = seen[int(y) - 15 : int(y) + 15, int(x) - 15 : int(x) + 15]
        share = (np.abs(around - np.array(colour)).max(axis=2) < 12).mean()
        assert share > 0.5, f"{share:.0%} of what lies at {x:.0f}, {y:.0f} is {colour}"
    trees = """() => new Set(movenv.map.querySourceFeatures("movenv-terrain",
        { filter: ["==", ["get", "kind"], "tree"] }).map((tree) => tree.properties.radius)).size"""
    assert page.evaluate(trees) > 5
    page.mouse.move(*lake)
    expect(page.locator(".fleet-map .tip")).to_have_text("mirror (lake)")
    by_id(page, "map-layers").click()
    by_id(page, "layer-Terrain").uncheck()
    page.wait_for_timeout(600)
    x, y = wood
    around = shot(page, "no-ground")[int(y) - 15 : int(y) + 15, int(x) - 15 : int(x) + 15]
    assert (np.abs(around - np.array(WOOD)).max(axis=2) < 12).mean() < 0.05
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(by_id(page, "ground-legend")).to_contain_text("tree line")


def test_a_remark_stands_in_the_log_and_leads_to_its_vehicle(page: Page, feed: OrderedFeed) -> None:
    by_id(page, "tab-events").click()
    expect(by_id(page, "events-remarks")).to_be_hidden()
    feed.remark(7, "no way to (120, 40)")
    line = by_id(page, "event-log").locator(".log-line", has_text="no way to (120, 40)")
    expect(line.locator(".tag svg")).to_be_visible()
    line.click()
    assert selected(page) == [6]
    by_id(page, "events-remarks").click()
    expect(line).to_have_count(0)


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720), (1920, 1080)])
def test_on_every_screen_all_of_the_form_can_be_reached_and_nothing_lies_over_it(
    browser: Browser, link: str, width: int, height: int
) -> None:
    with opened(browser, width, height) as page:
        look(page, link)
        by_id(page, "unit-alpha").click()
        by_id(page, "tab-orders").click()
        bar = by_id(page, "selection-bar").bounding_box()
        stage = page.locator("#map").bounding_box()
        assert stage is not None
        assert bar["x"] >= 0
        assert bar["x"] + bar["width"] <= stage["x"] + stage["width"] + 1
        assert bar["height"] < 110
        fields = ("goal", "route", "speed", "roads", "formation")
        for name in (*fields, "go", "form", "hold", "resume"):
            by_id(page, f"order-{name}").click(trial=True)
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide == width
        shot(page, f"form-{width}")
