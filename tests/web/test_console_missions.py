"""Missions and routes on the console's page, in a real Chromium."""

from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.serving import look, opened, served, until
from tests.web.synthetic import SCENARIO, SyntheticFeed

from movenv.recording.layouts import EventRecord
from movenv.web.feed import Moment
from movenv.world.messages import MISSION_OVER
from movenv.world.run_state import RunState

pytestmark = pytest.mark.xdist_group("browser")

STEPS = ["approach", "load", "return"]
ROUTES = """
routes:
  ring:
    points: [[-60, -40], [60, -40], [60, 40]]
    slow: [{at: 20, over: 15, speed: 3}]
    stops: [{at: 120}]
  track: {file: track.gpx}
"""
WORDS = """() => movenv.fleetMap.writings.areas.map((one) => one.text)"""
LINES = "movenv.fleetMap.overlay.drawn.grid.count"


class OnMission(SyntheticFeed):
    """The second and the third vehicle have a mission."""

    def __init__(self) -> None:
        super().__init__(4)
        self.steps = [0, 2, MISSION_OVER, 0]
        self.record.roster = msgspec.structs.replace(
            self.record.roster, missions=[STEPS], mission=[-1, 0, 0, -1]
        )
        self.record.scenario = SCENARIO + ROUTES
        self.events += [
            EventRecord(0.0, 1.7e9, "mission", "ground-2: load", "", [2]),
            EventRecord(0.0, 1.7e9, "mark", "a mark", "test", []),
        ]

    def moment(self) -> Moment:
        moment = super().moment()
        moment.vehicles.step[:] = self.steps
        return moment


@pytest.fixture
def feed() -> OnMission:
    return OnMission()


@pytest.fixture
def page(browser: Browser, feed: OnMission) -> Iterator[Page]:
    with served(feed, scenario=True) as link, opened(browser) as page:
        yield look(page, link)


def steps_shown(page: Page) -> list[tuple[str, str]]:
    items = page.get_by_test_id("mission").locator("li").all()
    return [
        (item.get_attribute("class") or "", item.inner_text().split("\n")[-1]) for item in items
    ]


def test_the_list_and_the_card_say_how_far_a_mission_is(page: Page, feed: OnMission) -> None:
    row = page.get_by_test_id("roster-row-ground-2")
    expect(row.locator(".col-step")).to_have_text("load")
    expect(page.get_by_test_id("roster-row-fixedwing-3").locator(".col-step")).to_have_text("over")
    expect(page.get_by_test_id("roster-row-pedestrian-1").locator(".col-step")).to_have_text("")
    row.click()
    expect(page.get_by_test_id("mission")).to_contain_text("Mission, step 2 of 3")
    assert steps_shown(page) == [("done", "approach"), ("now", "load"), ("ahead", "return")]
    feed.steps[1] = 3
    expect(row.locator(".col-step")).to_have_text("return")
    expect(page.get_by_test_id("mission").locator("[aria-current=step]")).to_contain_text("return")
    page.get_by_test_id("roster-row-fixedwing-3").click()
    expect(page.get_by_test_id("mission")).to_contain_text("Mission over")
    assert [state for state, _ in steps_shown(page)] == ["done"] * 3
    page.get_by_test_id("roster-row-pedestrian-1").click()
    expect(page.get_by_test_id("mission")).to_be_hidden()


def test_steps_are_events_with_a_chip_of_their_own(page: Page) -> None:
    page.get_by_test_id("tab-events").click()
    log = page.get_by_test_id("event-log")
    expect(log).to_contain_text("ground-2: load")
    page.get_by_test_id("events-missions").click()
    expect(log).not_to_contain_text("ground-2: load")
    expect(log).to_contain_text("a mark")


def test_routes_are_named_on_the_map_and_go_with_the_areas(page: Page, feed: OnMission) -> None:
    feed.command(RunState.PAUSE, "test")
    until(page, f"({WORDS})().includes('ring')")
    lines = page.evaluate(LINES)
    stops = page.evaluate("movenv.fleetMap.symbols.count")
    page.get_by_test_id("map-layers").click()
    page.get_by_test_id("layer-Areas and routes").uncheck()
    until(page, f"({WORDS})().length === 0")
    until(page, f"movenv.fleetMap.symbols.count === {stops - 1}")
    assert page.evaluate(LINES) < lines
    page.get_by_test_id("layer-Areas and routes").check()
    until(page, f"({WORDS})().includes('ring')")
    assert page.evaluate(LINES) == lines


def test_a_route_that_is_not_shown_is_said_to_be_missing(page: Page) -> None:
    words = "route 'track' is not shown"
    expect(page.get_by_test_id("toasts")).to_contain_text(words.capitalize())
    page.get_by_test_id("map-layers").click()
    expect(page.get_by_test_id("map-menu")).to_contain_text(words)
    page.keyboard.press("Escape")
    page.get_by_test_id("tab-run").click()
    expect(page.locator(".panel-run")).to_contain_text(words)
