"""The page in a real Chromium, as a phone in somebody's hand would show it.

Set MOVENV_SHOTS to a folder to keep the pictures.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

pytestmark = pytest.mark.xdist_group("browser")

PORTRAIT = {"width": 390, "height": 844}
LANDSCAPE = {"width": 844, "height": 390}
WITNESS = """
  window.shaken = [];
  navigator.vibrate = (pattern) => { window.shaken.push(pattern); return true; };
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (at) { window.tones += 1; start.call(this, at); };
"""
"""Counts what cannot be seen: vibrations and tones."""

NO_SOCKETS = """
  window.WebSocket = class {
    static OPEN = 1;
    static CLOSED = 3;
    constructor() { setTimeout(() => this.onclose?.(), 20); }
    close() {}
  };
"""
"""As on an iPhone that does not know the certificate."""


class InHand:
    """A phone with the page open, and the field it is in."""

    def __init__(self, browser: Browser, field: Any, **options: Any) -> None:
        self.field = field
        self.step = 0
        settings: dict[str, Any] = {
            "viewport": PORTRAIT,
            "device_scale_factor": 2,
            "is_mobile": True,
            "has_touch": True,
            "ignore_https_errors": True,
            "geolocation": {"latitude": 47.0, "longitude": 8.0, "accuracy": 4},
            "permissions": ["geolocation"],
        }
        self.context: BrowserContext = browser.new_context(**(settings | options))
        self.context.add_init_script(WITNESS)
        self.page: Page = self.context.new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if bad(said) else None)

    def join(self) -> "InHand":
        self.page.goto(self.field.url())
        self.page.get_by_role("button", name="Join").tap()
        expect(self.page.locator("#link")).to_contain_text("Connected")
        return self

    def tell(self, view: Any) -> None:
        """Have it shown, as ticks do."""
        self.field.gateway.tell({1: view})
        self.page.wait_for_timeout(150)

    def move(self, steps: int = 1, pause: float = 0.2) -> list[float]:
        """Go north; returns the latitudes."""
        went = []
        for _ in range(steps):
            self.step += 1
            went.append(round(47.0 + self.step * 1e-5, 7))
            self.context.set_geolocation({"latitude": went[-1], "longitude": 8.0, "accuracy": 4})
            self.page.wait_for_timeout(pause * 1000)
        return went

    def arrived(self) -> list[float]:
        self.field.take()
        return [round(fix.lat, 7) for _, fix in self.field.fixes]

    def shot(self, name: str) -> None:
        """A picture upright and one lying, for whoever wants to see them."""
        if not (shots := os.environ.get("MOVENV_SHOTS")):
            return
        self.page.wait_for_timeout(1200)  # the flood flickers at first
        self.page.screenshot(path=Path(shots) / f"{name}.png")
        self.page.set_viewport_size(LANDSCAPE)  # type: ignore[arg-type]
        self.page.wait_for_timeout(200)
        self.page.screenshot(path=Path(shots) / f"{name}-landscape.png")
        self.page.set_viewport_size(PORTRAIT)  # type: ignore[arg-type]
        self.page.wait_for_timeout(100)


def bad(said: Any) -> bool:
    """Whether the console tells of a mistake; that a network is gone is none."""
    return said.type == "error" and not re.search("ERR_(INTERNET|CONNECTION)", said.text)


@pytest.fixture
def make_phone(browser: Browser, field_day: Any) -> Iterator[Callable[..., InHand]]:
    made: list[InHand] = []

    def make(**options: Any) -> InHand:
        made.append(InHand(browser, field_day, **options))
        return made[-1]

    yield make
    for one in made:
        one.context.close()
        assert one.errors == []


@pytest.fixture
def phone(make_phone: Callable[..., InHand]) -> InHand:
    return make_phone()


def test_who_opens_the_link_sees_whose_it_is_and_uses_it_up_only_by_joining(phone: InHand) -> None:
    phone.page.goto(phone.field.url())
    expect(phone.page.get_by_role("heading", name="medic")).to_be_visible()
    phone.shot("1-welcome")
    assert not phone.field.gateway.ask(["links"])["links"][0]["used"]
    assert phone.field.gateway.wants() == set()


def test_joined_it_moves_and_its_fixes_arrive(phone: InHand, make_view: Any) -> None:
    phone.join()
    went = phone.move(5)
    phone.field.until(lambda: set(went) <= set(phone.arrived()))
    assert {vid for vid, _ in phone.field.fixes} == {1}
    fix = phone.field.fixes[-1][1]
    assert (fix.lon, fix.accuracy) == (8.0, 4.0)
    assert abs(fix.time - time.time()) < 5
    numbers = [fix.sequence for _, fix in phone.field.fixes]
    assert numbers == list(range(len(numbers)))
    phone.tell(make_view("READY", own=None, near=[]))
    expect(phone.page.locator("#state")).to_have_text("READY")
    expect(phone.page.locator("#link")).to_contain_text("no position yet")
    phone.shot("2-ready")
    phone.tell(make_view())
    expect(phone.page.locator("#state")).to_have_text("GO")
    expect(phone.page.locator("#gps")).to_have_text("±4 m")
    rows = phone.page.locator("#nearest li")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("drone-3")
    expect(rows.nth(0)).to_contain_text("virtual · ahead left")
    expect(rows.nth(1)).to_contain_text("real · behind")
    expect(rows.nth(1)).to_contain_text("61 m")
    phone.shot("3-rose")
    phone.page.get_by_role("button", name="Map").tap()
    for n in range(10):
        own = make_view().own
        own.x, own.y = -40 + 4 * n, -20 + 2 * n
        phone.tell(make_view(own=own))
    phone.tell(make_view())
    phone.shot("4-map")


@pytest.mark.parametrize(
    ("level", "words", "full"), [(1, "ADVISORY", False), (2, "CAUTION", True), (3, "WARNING", True)]
)
def test_warned_it_says_who_and_where_until_it_is_seen(
    phone: InHand, make_view: Any, make_notice: Any, level: int, words: str, full: bool
) -> None:
    phone.join()
    phone.tell(make_view())
    before = phone.page.evaluate("window.tones")
    warned = make_view(notices=[make_notice(level)])
    phone.tell(warned)
    panel = phone.page.locator("#alarm" if full else "#banner")
    expect(panel).to_be_visible()
    for text in (words, "drone-3", f"{warned.notices[0].distance:.0f} m", "ahead left"):
        expect(panel).to_contain_text(text)
    expect(phone.page.locator("#said")).to_contain_text("drone-3")
    assert phone.page.evaluate("window.tones") > before
    assert phone.page.evaluate("window.shaken.length") > 0
    phone.shot(f"5-level{level}")
    for view in (LANDSCAPE, PORTRAIT):
        phone.page.set_viewport_size(view)  # type: ignore[arg-type]
        expect(panel.get_by_role("button", name="Seen")).to_be_in_viewport(ratio=1)
    phone.page.wait_for_timeout(1000)
    panel.get_by_role("button", name="Seen").tap()
    phone.field.until(lambda: len(phone.field.said("ack")) == 1)
    (told,) = phone.field.said("ack")
    told_as = re.fullmatch(
        rf"medic acknowledged {words.lower()} of drone-3 after (.+) s, shown after (.+) s", told
    )
    assert told_as is not None, told
    assert float(told_as[1]) >= 1
    assert 0 <= float(told_as[2]) < 2
    expect(phone.page.locator("#alarm")).to_be_hidden()
    expect(phone.page.locator("#banner")).to_contain_text("drone-3")
    phone.shot(f"6-level{level}-seen")
    quiet = phone.page.evaluate("window.tones")
    phone.page.wait_for_timeout(2000)
    assert phone.page.evaluate("window.tones") == quiet
    phone.tell(make_view())
    expect(phone.page.locator("#banner")).to_be_hidden()


def test_what_gets_worse_warns_anew_and_what_ends_clears_by_itself(
    phone: InHand, make_view: Any, make_notice: Any
) -> None:
    phone.join()
    alarm = phone.page.locator("#alarm")
    phone.tell(make_view(notices=[make_notice(2)]))
    phone.page.get_by_role("button", name="Seen").tap()
    expect(alarm).to_be_hidden()
    phone.tell(make_view(notices=[make_notice(3)]))
    expect(alarm).to_contain_text("WARNING")
    phone.tell(make_view())
    expect(alarm).to_be_hidden()


def test_what_was_seen_and_comes_back_under_its_name_does_not_ring_again(
    phone: InHand, make_view: Any, make_notice: Any
) -> None:
    """A fix at the edge of a ring wanders out and in."""
    phone.join()
    alarm = phone.page.locator("#alarm")
    phone.tell(make_view(notices=[make_notice(3, "same")]))
    phone.page.get_by_role("button", name="Seen").tap()
    phone.tell(make_view())
    phone.tell(make_view(notices=[make_notice(3, "same")]))
    expect(alarm).to_be_hidden()
    phone.tell(make_view(notices=[make_notice(3, "another")]))
    expect(alarm).to_contain_text("WARNING")


def test_out_of_a_dead_zone_it_comes_back_with_all_fixes(phone: InHand, make_view: Any) -> None:
    phone.join()
    phone.tell(make_view())
    phone.context.set_offline(True)
    went = phone.move(10, 1.0)
    expect(phone.page.locator("#link")).to_contain_text(
        re.compile(r"No link for \d+ s – 1\d fixes")
    )
    phone.shot("7-offline")
    phone.field.until(lambda: "medic's phone left" in phone.field.said())
    assert not set(went) & set(phone.arrived())
    phone.context.set_offline(False)
    phone.field.until(lambda: set(went) <= set(phone.arrived()))
    latitudes = [lat for lat in phone.arrived() if lat in went]
    assert sorted(set(latitudes)) == went
    times = [fix.time for _, fix in phone.field.fixes]
    assert times == sorted(times)
    assert times[-1] - times[0] > 8
    numbers = [fix.sequence for _, fix in phone.field.fixes]
    assert numbers == list(range(len(numbers)))
    phone.tell(make_view())
    expect(phone.page.locator("#link")).to_have_text("Connected")


def test_a_line_that_brings_no_news_of_the_run_is_not_called_good(
    phone: InHand, make_view: Any
) -> None:
    phone.join()
    phone.tell(make_view())
    link, page = phone.page.locator("#link"), phone.page.locator("body")
    expect(link).to_have_text("Connected")
    phone.page.wait_for_timeout(4000)
    expect(link).to_have_text(re.compile(r"No news from the run for \d s"))
    expect(page).to_have_class("old")
    phone.shot("7-no-news")
    phone.tell(make_view("PAUSE"))
    halt = phone.page.locator("#halt-note")
    expect(halt).to_have_text("")
    phone.page.wait_for_timeout(4000)
    expect(halt).to_have_text(re.compile(r"No news for \d s"))
    phone.tell(make_view())
    expect(link).to_have_text("Connected")
    expect(page).not_to_have_class("old")


def test_where_sockets_do_not_open_it_asks_instead(
    phone: InHand, make_view: Any, make_notice: Any
) -> None:
    phone.context.add_init_script(NO_SOCKETS)
    phone.join()
    went = phone.move(3)
    phone.field.until(lambda: set(went) <= set(phone.arrived()))
    assert phone.field.gateway.wants() == {1}
    phone.field.gateway.tell({1: make_view(notices=[make_notice(3)])})
    phone.page.get_by_role("button", name="Seen").tap()
    phone.field.until(lambda: len(phone.field.said("ack")) == 1)
    phone.context.set_offline(True)
    went = phone.move(6, 1.0)
    phone.field.until(lambda: "medic's phone left" in phone.field.said())
    phone.context.set_offline(False)
    phone.field.until(lambda: set(went) <= set(phone.arrived()))
    numbers = [fix.sequence for _, fix in phone.field.fixes]
    assert numbers == list(range(len(numbers)))
    phone.field.gateway.ask(["revoke", "medic"])
    expect(phone.page.locator("#refused")).to_contain_text("This link was withdrawn")


@pytest.mark.parametrize("script", ["", NO_SOCKETS], ids=["socket", "requests"])
def test_stop_is_seen_although_the_gateway_closes_at_once(
    phone: InHand, make_view: Any, script: str
) -> None:
    phone.context.add_init_script(script)
    phone.join()
    phone.tell(make_view())
    phone.field.gateway.tell({1: make_view("STOP")})
    phone.field.gateway.close()
    expect(phone.page.locator("#halt")).to_contain_text("The test is over.")
    expect(phone.page.locator("#halt")).to_contain_text("no longer sent")


def test_fixes_that_wait_survive_a_reload_and_the_phone_joins_again(phone: InHand) -> None:
    phone.join()
    phone.field.gateway.close()
    went = phone.move(4)
    phone.page.wait_for_timeout(300)
    phone.field.open()
    phone.page.reload()
    expect(phone.page.locator("#link")).to_contain_text("Connected")
    phone.field.until(lambda: set(went) <= set(phone.arrived()))
    expect(phone.page.locator("#trouble")).to_have_text("Tap anywhere to turn the sound on.")
    phone.page.locator("#vehicle").tap()
    expect(phone.page.locator("#trouble")).not_to_contain_text("sound")
    numbers = [fix.sequence for _, fix in phone.field.fixes]
    assert numbers == list(range(len(numbers)))


def test_paused_and_stopped_it_fills_the_screen_and_then_sends_no_more(
    phone: InHand, make_view: Any
) -> None:
    phone.join()
    phone.tell(make_view())
    halt = phone.page.locator("#halt")
    expect(halt).to_be_hidden()
    shaken = phone.page.evaluate("window.shaken.length")
    phone.tell(make_view("PAUSE"))
    expect(halt).to_be_visible()
    expect(halt).to_contain_text("PAUSE")
    assert phone.page.evaluate("window.shaken.length") > shaken
    phone.shot("8-pause")
    phone.tell(make_view("GO"))
    expect(halt).to_be_hidden()
    last = phone.move(1)
    phone.tell(make_view("STOP"))
    expect(halt).to_contain_text("STOP")
    expect(halt).to_contain_text("The test is over.")
    expect(halt).to_contain_text("no longer sent")
    phone.shot("9-stop")
    assert set(last) <= set(phone.arrived())
    before = len(phone.arrived())
    phone.move(3)
    assert len(phone.arrived()) == before


def test_in_pause_the_word_lies_over_a_warning_which_rings_after_go(
    phone: InHand, make_view: Any, make_notice: Any
) -> None:
    phone.join()
    phone.tell(make_view(notices=[make_notice(3)]))
    expect(phone.page.locator("#alarm")).to_be_visible()
    phone.tell(make_view("PAUSE", notices=[make_notice(3)]))
    expect(phone.page.locator("#alarm")).to_be_hidden()
    expect(phone.page.locator("#halt-word")).to_have_text("PAUSE")
    expect(phone.page.locator("#halt-note")).to_contain_text("WARNING: drone-3, 18 m")
    phone.tell(make_view("GO", notices=[make_notice(3)]))
    phone.page.get_by_role("button", name="Seen").tap()  # would fail if something lay above it
    expect(phone.page.locator("#alarm")).to_be_hidden()


def test_who_does_not_give_the_place_is_told_what_to_do(make_phone: Callable[..., InHand]) -> None:
    phone = make_phone(permissions=[]).join()
    expect(phone.page.locator("#trouble")).to_contain_text("Your location is blocked")
    phone.shot("10-denied")


def test_a_link_that_is_withdrawn_or_used_says_so(make_phone: Callable[..., InHand]) -> None:
    first, second = make_phone().join(), make_phone()
    second.page.goto(second.field.url())
    second.page.get_by_role("button", name="Join").tap()
    expect(second.page.locator("#refused")).to_contain_text("belongs to another phone")
    second.shot("11-refused")
    first.field.gateway.ask(["revoke", "medic"])
    expect(first.page.locator("#refused")).to_contain_text("This link was withdrawn")


def test_a_foreign_name_is_only_text(phone: InHand, make_view: Any, make_notice: Any) -> None:
    evil = "<img src=x onerror=alert(1)>"
    phone.join()
    near = make_view().near
    near[0].name = evil
    phone.tell(make_view(near=near, notices=[make_notice(3, name=evil)]))
    expect(phone.page.locator("#alarm-name")).to_have_text(evil)
    expect(phone.page.locator("#nearest li").nth(0)).to_contain_text(evil)
    assert phone.page.locator("img").count() == 0


def test_times_are_corrected_to_the_hosts_clock(phone: InHand) -> None:
    phone.page.goto(phone.field.url())
    when = """async ([stamp, now, offset]) =>
        (await import('/page/geo.js')).fixTime(stamp, now, offset)"""
    cases = {
        (1000.0, 1000.2, 30.0): 1030.0,  # stamped by a phone whose clock is half a minute late
        (1030.0, 1000.2, 30.0): 1030.0,  # the same phone, stamped by the satellites
        (1000.0, 1000.2, 0.0): 1000.0,
        (1005.0, 1000.0, 0.0): 1000.0,  # never of the future
        (990.0, 1000.0, 1.0): 991.0,  # an old fix stays old
    }
    for case, expected in cases.items():
        assert phone.page.evaluate(when, list(case)) == pytest.approx(expected), case


def test_the_shortest_round_trip_sets_the_clock(phone: InHand) -> None:
    phone.page.goto(phone.field.url())
    offset = phone.page.evaluate(
        """async () => {
            const { Clock } = await import('/page/link.js');
            const clock = new Clock();
            clock.learn(100, 102, 110.9);
            clock.learn(200, 200.1, 210.05);
            clock.learn(300, 301, 310.9);
            return clock.offset;
        }"""
    )
    assert offset == pytest.approx(10.0)


def test_after_a_step_of_the_clock_what_was_learnt_before_is_forgotten(phone: InHand) -> None:
    phone.page.goto(phone.field.url())
    offsets = phone.page.evaluate(
        """async () => {
            const { Clock } = await import('/page/link.js');
            const clock = new Clock();
            const offsets = [];
            const learn = (now, trip, offset) => {
                clock.learn(now - trip, now, now - trip / 2 + offset);
                offsets.push(Math.round(clock.offset));
            };
            learn(100, 0.05, 0);
            learn(101, 4, 2);  // slow in one direction: no step
            learn(102, 4, 2);
            learn(103, 0.1, 0);
            learn(163, 0.2, -60);  // a minute was skipped
            learn(164, 0.2, -60);
            return offsets;
        }"""
    )
    assert offsets == [0, 0, 0, 0, 0, -60]


def test_words_for_directions_and_levels(phone: InHand) -> None:
    phone.page.goto(phone.field.url())
    said = phone.page.evaluate(
        """async () => {
            const { direction, severity, metres } = await import('/page/words.js');
            return {
                around: [0, 44, 90, 180, 271, 359].map((b) => direction(b, 0)),
                turned: direction(10, 350),
                compass: direction(225, null),
                one: severity(1, 1), two: [1, 2].map((n) => severity(n, 2)),
                four: [1, 2, 3, 4].map((n) => severity(n, 4)),
                far: [3.14, 99.6, 1234, 23456].map(metres),
            };
        }"""
    )
    assert said == {
        "around": ["ahead", "ahead right", "right", "behind", "left", "ahead"],
        "turned": "ahead",
        "compass": "to the south-west",
        "one": 3,
        "two": [1, 3],
        "four": [1, 2, 2, 3],
        "far": ["3.1 m", "100 m", "1.2 km", "23 km"],
    }
