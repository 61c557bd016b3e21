"""The console's page in a real Chromium beside a run that never was: words, keys, filters."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from tests.web.serving import look, opened, served, until
from tests.web.synthetic import SyntheticFeed

pytestmark = pytest.mark.xdist_group("browser")

VEHICLES = 12
SELECTION = "window.movenv.fleetMap.selection"
BOXES = """() => Object.fromEntries(
  [['stage', '.stage'], ['banner', '.banner'], ['map', '#map .base'],
   ['zoom', '.maplibregl-ctrl-zoom-in'], ['scale', '.maplibregl-ctrl-scale']].map(
    ([name, where]) => {
      const { top, bottom, width, height } = document.querySelector(where).getBoundingClientRect();
      return [name, { top, bottom, width, height }];
    }))"""
"""Where things are on the page."""
DRAWN = """() => [...document.querySelectorAll('#map canvas')].map(
  (canvas) => { const { top, bottom } = canvas.getBoundingClientRect(); return [top, bottom]; })"""
REMARK = "The recording has no proper end: what came last may be missing."


@pytest.fixture
def link() -> Iterator[str]:
    with served(SyntheticFeed(VEHICLES)) as link:
        yield link


@pytest.fixture
def empty_page(browser: Browser) -> Iterator[Page]:
    with opened(browser) as page:
        yield page


@pytest.fixture
def page(empty_page: Page, link: str) -> Page:
    return look(empty_page, link)


def test_the_map_makes_room_for_a_banner_and_takes_it_back(page: Page) -> None:
    before = page.evaluate(BOXES)
    assert before["map"]["height"] == pytest.approx(before["stage"]["height"], abs=1)
    for _ in range(2):
        page.get_by_test_id("state-STOP").click()
    expect(page.get_by_test_id("banner")).to_contain_text("The run has ended")
    page.wait_for_timeout(500)
    now = page.evaluate(BOXES)
    assert now["banner"]["height"] > 30
    assert now["map"]["top"] == pytest.approx(now["banner"]["bottom"], abs=1)
    assert now["map"]["bottom"] == pytest.approx(now["stage"]["bottom"], abs=1)
    assert now["zoom"]["top"] > now["banner"]["bottom"]
    assert now["scale"]["bottom"] <= now["stage"]["bottom"]
    for top, bottom in page.evaluate(DRAWN):
        assert top == pytest.approx(now["map"]["top"], abs=1)
        assert bottom == pytest.approx(now["map"]["bottom"], abs=17), "a map of few pixels is round"
    page.get_by_label("Put away").click()
    page.wait_for_timeout(500)
    assert page.evaluate(BOXES)["map"] == before["map"]


def test_a_vehicle_is_found_selected_and_followed_by_keyboard_alone(page: Page) -> None:
    page.keyboard.press("/")
    page.keyboard.type("surface-11")
    page.keyboard.press("Enter")
    page.keyboard.press("f")
    expect(page.get_by_test_id("vehicle-card")).to_contain_text("surface-11")
    assert page.evaluate(f"[{SELECTION}.selected, {SELECTION}.following]") == [10, True]
    page.keyboard.press("/")
    page.keyboard.press("Control+a")
    page.keyboard.type("ground")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("vehicle-card")).to_contain_text("ground-2")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("vehicle-card")).to_contain_text("ground-8")


def test_a_filter_is_told_of_over_the_map_whichever_tab_is_open_and_cleared_there(
    page: Page,
) -> None:
    told = page.get_by_test_id("filter-notice")
    expect(told).to_be_hidden()
    page.get_by_test_id("roster-search").fill("ground-2")
    page.get_by_test_id("tab-run").click()
    expect(told).to_have_text("Filter: 'ground-2'· 11 hidden")
    page.get_by_test_id("panel-fold").click()
    expect(told).to_be_visible()
    told.click()
    expect(told).to_be_hidden()
    assert page.evaluate(f"{SELECTION}.filtering") is False
    page.get_by_test_id("tab-vehicles").click()
    expect(page.get_by_test_id("roster-search")).to_have_value("")


def test_a_pair_has_one_distance_in_the_heading_and_in_the_list(page: Page) -> None:
    page.get_by_test_id("tab-pairs").click()
    page.locator(".pair").first.click()
    texts = """() => ['.pair-view .big', '.pair[aria-pressed=true] .pair-distance'].map(
        (where) => document.querySelector(where)?.textContent)"""
    seen = []
    for _ in range(12):
        seen.append(page.evaluate(texts))
        page.wait_for_timeout(130)
    both = [(heading, listed) for heading, listed in seen if listed]
    assert len({heading for heading, _ in both}) > 3, "it changes"
    assert all(heading == listed for heading, listed in both)


def as_recording(page: Page) -> list[dict[str, Any]]:
    """Have the page take the run for a recording with a gap; returns what it asks of the replay."""
    asked: list[dict[str, Any]] = []

    def between(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def answer(message: str | bytes) -> None:
            said = json.loads(message) if isinstance(message, str) else None
            if said and "hello" in said:
                said["hello"]["replay"] = {"start": 0.0, "end": 60.0}
                gaps = {"notices": [], "marks": [], "gaps": [[23.5, 24.4]], "remarks": [REMARK]}
                socket.send(json.dumps(said))
                socket.send(json.dumps({"happenings": gaps}))
            else:
                socket.send(message)

        def ask(message: str | bytes) -> None:
            wish = json.loads(message).get("replay")
            if wish is not None:
                asked.append(wish)
            else:
                server.send(message)

        server.on_message(answer)
        socket.on_message(ask)

    page.route_web_socket("**/api/feed", between)
    return asked


def test_a_recordings_gaps_and_remarks_are_shown(empty_page: Page, link: str) -> None:
    page = empty_page
    as_recording(page)
    page.goto(link)
    until(page, "window.movenv?.updates > 3")
    expect(page.get_by_test_id("banner")).to_contain_text(REMARK)
    page.get_by_label("Put away").click()
    expect(page.get_by_test_id("banner")).to_be_hidden()
    page.get_by_test_id("tab-run").click()
    run = page.locator("#panel-run")
    expect(run).to_contain_text(REMARK)
    expect(run).to_contain_text("t = 0:00.0 to 1:00.0, 60 s")
    track = page.get_by_test_id("replay-scrub").bounding_box()
    assert track is not None
    for t, told in [(24.0, True), (30.0, False)]:
        page.mouse.move(track["x"] + track["width"] * t / 60, track["y"] + 10)
        tip = page.locator(".scrub-tip")
        words = "not recorded 23.5 to 24.4 s"
        (expect(tip).to_contain_text if told else expect(tip).not_to_contain_text)(words)


def test_a_recordings_keys_reach_its_ends_and_its_sheet_offers_only_what_there_is(
    empty_page: Page, link: str
) -> None:
    page = empty_page
    asked = as_recording(page)
    page.goto(link)
    until(page, "window.movenv?.updates > 3")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    page.wait_for_timeout(300)
    assert asked == [{"t": 60}, {"t": 0}]
    page.keyboard.press("?")
    sheet = page.get_by_test_id("help-sheet")
    expect(sheet).to_contain_text("to the start")
    expect(sheet).to_contain_text("1 … 5")
    expect(sheet).not_to_contain_text("write a mark")
