"""The drive page in a real Chromium: whoever holds the controls drives, whoever does not brakes."""

import io
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, WebSocketRoute, expect
from tests.runtime.live.processes import wait_until
from tests.web.serving import look, opened, served, until
from tests.web.synthetic import PICTURE, SyntheticFeed, SyntheticWheel
from tests.web.test_console_app import bearer

pytestmark = pytest.mark.xdist_group("browser")

CAR, BLIND_CAR = "ground-2", "ground-8"
STEER, THROTTLE, BRAKE, GEAR = range(4)
BRAKED = (0.0, 0.0, 1.0)
GAMEPAD = """
  const button = () => ({ pressed: false, touched: false, value: 0 });
  window.pad = { connected: true, mapping: 'standard', id: 'a pad', index: 0, timestamp: 0,
                 axes: [0, 0, 0, 0], buttons: Array.from({ length: 17 }, button) };
  navigator.getGamepads = () => [null, window.pad];
  window.press = (at, value) => Object.assign(pad.buttons[at], { pressed: value > 0, value });
"""
"""What a browser with a gamepad has, to be pressed from here."""
PIXEL = """([x, y]) => [...document.querySelector('.camera canvas').getContext('2d')
  .getImageData(x, y, 1, 1).data].slice(0, 3)"""
MIDDLED = """(turns) => { const { map, project, fleetMap } = window.movenv, at = project(1),
  box = map.getContainer().getBoundingClientRect(),
  [x, y] = [at.x - box.left - box.width / 2, at.y - box.top - box.height / 2],
  off = map.getBearing() - (turns ? fleetMap.fleet.heading[1] : 0);
  return Math.hypot(x, y) < 3 && Math.cos(off * Math.PI / 180) > 0.99; }"""
"""Whether the vehicle is in the middle of the map, and ahead of it, or north, is up."""
INSIDE = """() => [...document.querySelectorAll('.drive-bar > *, .cockpit > *, .dashboard > *')]
  .filter((one) => one.getBoundingClientRect().width > 0)
  .filter((one) => { const { left, top, right, bottom } = one.getBoundingClientRect();
    return left < -1 || top < -1 || right > innerWidth + 1 || bottom > innerHeight + 1; })
  .map((one) => one.className)"""
"""Whatever is not wholly on the screen."""


@pytest.fixture
def feed() -> SyntheticFeed:
    return SyntheticFeed(12)


@pytest.fixture
def console(feed: SyntheticFeed) -> Iterator[str]:
    with served(feed, scenario=True) as link:
        yield link


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    with opened(browser) as page:
        yield page


def handed_out(console: str, vehicle: str = CAR) -> str:
    address, token = console.split("/#operator=")
    answer = httpx.post(f"{address}/api/wheels/{vehicle}", headers=bearer(token))
    return f"{address}{answer.json()['url']}"


def take(page: Page, link: str, feed: SyntheticFeed, driver: str = "Ann") -> SyntheticWheel:
    page.goto(link)
    page.get_by_test_id("driver").fill(driver)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("take")).to_be_hidden()
    wait_until(lambda: feed.wheels and feed.wheels[-1].turns)
    return feed.wheels[-1]


def turned(wheel: SyntheticWheel, holds: Any) -> tuple[float, ...]:
    """The last turn, once it is as it should be."""
    found: tuple[float, ...] = wait_until(lambda: holds(wheel.turns[-1]) and wheel.turns[-1])
    return found


def braked(turn: tuple[float, ...]) -> bool:
    return turn[:3] == BRAKED


def strip(page: Page) -> Any:
    return expect(page.get_by_test_id("strip"))


def test_keys_drive_and_who_releases_them_brakes(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    wheel = take(page, handed_out(console), feed, "Ann of Ault")
    assert wheel.who == "Ann of Ault"
    turned(wheel, braked)
    strip(page).to_have_text("Braking: nobody holds the controls")
    page.keyboard.down("ArrowUp")
    page.keyboard.down("a")
    turned(wheel, lambda turn: turn[STEER] == 1.0 and turn[THROTTLE] == 1.0)
    strip(page).to_have_text("You drive by keyboard")
    expect(page.get_by_test_id("speed")).to_have_text("72")  # km/h of 20 m/s
    expect(page.get_by_test_id("steering")).to_have_text("left 100 %")
    expect(page.get_by_test_id("throttle")).to_have_attribute("aria-valuenow", "100")
    page.keyboard.up("a")
    page.keyboard.down("ArrowRight")
    turned(wheel, lambda turn: turn[STEER] == -1.0)
    page.keyboard.up("ArrowRight")
    page.keyboard.up("ArrowUp")
    turned(wheel, braked)
    strip(page).to_have_text("Braking: nobody holds the controls")


def test_gears_are_shifted_by_keys_and_by_buttons(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    wheel = take(page, handed_out(console), feed)
    assert wheel.turns[-1][GEAR] == 1
    for key, gear in (("q", 0), ("q", -1), ("q", -1), ("e", 0), ("r", -1), ("r", 1)):
        page.keyboard.press(key)
        turned(wheel, lambda turn, gear=gear: turn[GEAR] == gear)
    page.get_by_test_id("gear-R").click()
    turned(wheel, lambda turn: turn[GEAR] == -1)
    expect(page.get_by_test_id("gear-R")).to_have_attribute("aria-pressed", "true")


def test_what_cannot_go_backwards_has_no_gears(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    link = handed_out(console, "ground-8")
    page.goto(link)
    expect(page.locator(".guide")).not_to_contain_text("gear")
    wheel = take(page, link, feed)
    expect(page.get_by_test_id("gear-R")).to_be_hidden()
    page.keyboard.press("r")
    page.keyboard.down("ArrowUp")
    assert turned(wheel, lambda turn: turn[THROTTLE] == 1.0)[GEAR] == 1
    assert {turn[GEAR] for turn in wheel.turns} == {1}


def test_backwards_the_speed_has_a_sign(page: Page, console: str, feed: SyntheticFeed) -> None:
    wheel = take(page, handed_out(console), feed)
    page.keyboard.press("r")
    page.keyboard.down("ArrowUp")
    turned(wheel, lambda turn: turn[THROTTLE] == 1.0 and turn[GEAR] == -1)
    expect(page.get_by_test_id("speed")).to_have_text("-72")  # km/h of 20 m/s
    expect(page.get_by_test_id("speed-ms")).to_have_text("-20.0 m/s")


@pytest.mark.parametrize("leaves", ["window.dispatchEvent(new Event('blur'))", """
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'))"""])  # fmt: skip
def test_who_looks_elsewhere_brakes_although_a_key_is_down(
    page: Page, console: str, feed: SyntheticFeed, leaves: str
) -> None:
    wheel = take(page, handed_out(console), feed)
    page.keyboard.down("w")
    turned(wheel, lambda turn: turn[THROTTLE] == 1.0)
    before = len(wheel.turns)
    page.evaluate(leaves)
    turned(wheel, braked)
    assert all(turn[THROTTLE] in (0.0, 1.0) for turn in wheel.turns[before:]), "at once"
    count = len(wheel.turns)
    wait_until(lambda: len(wheel.turns) > count + 5)
    assert all(braked(turn) for turn in wheel.turns[count:]), "turns go on, so that delay is known"


def test_a_gamepad_drives_while_a_shoulder_button_is_held(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    page.add_init_script(GAMEPAD)
    wheel = take(page, handed_out(console), feed)
    page.evaluate("() => { pad.axes[0] = -1; press(7, 0.6); }")
    strip(page).to_have_text("Braking: nobody holds the controls; hold L1 or R1")
    turned(wheel, braked)
    page.evaluate("press(5, 1)")
    turned(wheel, lambda turn: turn[:3] == (1.0, 0.6, 0.0))
    strip(page).to_have_text("You drive by gamepad")
    page.evaluate("press(6, 0.3)")
    turned(wheel, lambda turn: turn[:3] == (1.0, 0.0, 0.3))
    page.evaluate("press(1, 1)")
    turned(wheel, lambda turn: turn[GEAR] == 0)
    page.evaluate("press(5, 0)")
    turned(wheel, braked)


def test_what_a_gamepad_gives_that_is_no_number_moves_nothing(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    page.add_init_script(GAMEPAD)
    wheel = take(page, handed_out(console), feed)
    page.evaluate("() => { pad.axes[0] = NaN; press(5, 1); press(7, 0.6); }")
    turned(wheel, lambda turn: turn[:3] == (0.0, 0.6, 0.0))
    page.evaluate("pad.buttons[7].value = NaN")
    turned(wheel, lambda turn: turn[:3] == (0.0, 0.0, 0.0))
    page.evaluate("pad.buttons[5].value = NaN")
    turned(wheel, braked)


def test_a_vehicle_that_does_not_answer_is_braked_until_its_driver_lets_go_once(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    wheel = take(page, handed_out(console), feed)
    page.keyboard.down("w")
    turned(wheel, lambda turn: turn[THROTTLE] == 1.0)
    wheel.answers = False
    strip(page).to_have_text("Braking: the vehicle does not answer")
    strip(page).to_have_attribute("data-tone", "alarm")
    expect(page.get_by_test_id("speed")).to_have_text("–")
    turned(wheel, braked)
    wheel.answers = True
    strip(page).to_have_text("Braking: it was silent; let go, then drive on")
    strip(page).to_have_attribute("data-tone", "caution")
    count = len(wheel.turns)
    wait_until(lambda: len(wheel.turns) > count + 10)
    assert all(braked(turn) for turn in wheel.turns[count:]), "it drives off by itself"
    page.keyboard.up("w")
    strip(page).to_have_text("Braking: nobody holds the controls")
    page.keyboard.down("w")
    turned(wheel, lambda turn: turn[THROTTLE] == 1.0)
    strip(page).to_have_text("You drive by keyboard")


def test_thumbs_drive_and_lifting_both_brakes(
    browser: Browser, console: str, feed: SyntheticFeed
) -> None:
    with opened(browser, 390, 844, touch=True) as page:
        wheel = take(page, handed_out(console), feed)
        fingers = page.context.new_cdp_session(page)

        def touch(kind: str, **places: tuple[float, float]) -> None:
            points = []
            for number, (name, (across, down)) in enumerate(places.items()):
                box = page.get_by_test_id(f"pad-{name}").bounding_box()
                assert box is not None
                x, y = box["x"] + across * box["width"], box["y"] + down * box["height"]
                points.append({"x": x, "y": y, "id": number})
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

        touch("touchStart", steering=(0.95, 0.5), pedals=(0.5, 0.02))
        turn = turned(wheel, lambda turn: turn[THROTTLE] > 0.9)
        assert turn[STEER] == pytest.approx(-0.9, abs=0.05)
        strip(page).to_have_text("You drive by touch")
        touch("touchMove", steering=(0.5, 0.5), pedals=(0.5, 0.98))
        turned(wheel, lambda turn: turn[STEER] == 0.0 and turn[BRAKE] > 0.9)
        touch("touchEnd")
        turned(wheel, braked)


def test_a_wheel_that_is_taken_is_refused_in_words(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    feed.take_wheel(CAR, "Bob", 100, lambda _dashboard: None)
    page.goto(handed_out(console))
    page.get_by_test_id("take").click()
    expect(page.get_by_test_id("saying")).to_have_text(f"Not now: '{CAR}' is driven by somebody.")
    expect(page.get_by_test_id("take")).to_be_enabled()


def test_who_lost_the_wheel_is_told_why_and_can_ask_again(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    wheel = take(page, handed_out(console), feed)
    wheel.lost = "Bob has more authority"
    said = expect(page.get_by_test_id("saying"))
    said.to_have_text("You have lost the wheel: Bob has more authority.")
    expect(page.get_by_test_id("take")).to_have_text("Take the wheel again")
    page.get_by_test_id("take").click()
    wait_until(lambda: len(feed.wheels) == 2 and feed.wheels[1].turns)


def test_letting_go_says_what_it_means(page: Page, console: str, feed: SyntheticFeed) -> None:
    wheel = take(page, handed_out(console), feed)
    page.get_by_test_id("let-go").click()
    expect(page.get_by_test_id("saying")).to_contain_text("does again what it did before")
    assert wheel.released == [False]
    count = len(wheel.turns)
    page.keyboard.press("w")
    page.wait_for_timeout(200)
    assert len(wheel.turns) == count, "keys move nothing any more"


def test_a_broken_link_comes_back_without_the_wheel(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    sockets: list[WebSocketRoute] = []

    def between(socket: WebSocketRoute) -> None:
        socket.connect_to_server()
        sockets.append(socket)

    page.route_web_socket("**/api/drive", between)
    take(page, handed_out(console), feed)
    page.keyboard.down("w")
    strip(page).to_have_text("You drive by keyboard")
    sockets[0].close(code=4000)
    said = expect(page.get_by_test_id("saying"))
    said.to_contain_text("braked until you take the wheel again")
    expect(page.get_by_test_id("take")).to_be_enabled()
    assert len(feed.wheels) == 1, "it is not taken by itself"
    page.get_by_test_id("take").click()
    expect(page.get_by_test_id("take")).to_be_hidden()
    assert [one.released for one in feed.wheels] == [[True], []]


def test_a_link_that_no_longer_opens_says_so(page: Page, console: str) -> None:
    old = handed_out(console)
    handed_out(console)
    page.goto(old)
    expect(page.get_by_text("This link no longer opens a vehicle")).to_be_visible()


def test_the_camera_is_seen_large_and_without_one_the_map_has_the_room(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    take(page, handed_out(console), feed)
    until(page, "document.querySelector('.camera canvas').width === 320")
    picture = np.asarray(Image.open(io.BytesIO(PICTURE)).convert("RGB"), int)
    for x, y in ((20, 20), (160, 200), (20, 200)):
        assert np.abs(picture[y, x] - page.evaluate(PIXEL, [x, y])).max() < 8
    wide = page.evaluate("document.querySelector('.camera').clientWidth / innerWidth")
    assert wide > 0.5
    page.goto("about:blank")
    page.goto(handed_out(console, BLIND_CAR))
    until(page, "document.querySelector('.map-view')?.clientWidth === innerWidth")
    assert page.get_by_test_id("camera").is_hidden()


def test_the_map_keeps_to_the_vehicle_and_turns_with_it_or_not(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    take(page, handed_out(console), feed)
    until(page, "window.movenv?.fleetMap.selection.following")
    for turns in (True, False):
        until(page, f"({MIDDLED})({str(turns).lower()})")
        page.get_by_test_id("map-turning").click()


def test_the_delay_that_is_shown_is_what_the_vehicle_took(
    page: Page, console: str, feed: SyntheticFeed
) -> None:
    feed.shows_after = 0.2
    take(page, handed_out(console), feed)
    delay = page.get_by_test_id("delay")
    expect(delay).to_contain_text("slow")
    milliseconds = int(delay.locator("strong").inner_text().removesuffix(" ms"))
    assert 200 <= milliseconds < 1000
    expect(delay).to_contain_text("worst")


@pytest.mark.parametrize(("width", "height", "touch"), [
    (1280, 720, False), (390, 844, True), (844, 390, True), (768, 1024, True)])  # fmt: skip
def test_everything_is_on_the_screen(
    browser: Browser, console: str, feed: SyntheticFeed, width: int, height: int, touch: bool
) -> None:
    with opened(browser, width, height, touch) as page:
        wheel = take(page, handed_out(console), feed)
        assert page.evaluate(INSIDE) == []
        before = page.get_by_test_id("strip").bounding_box()
        page.keyboard.down("w")
        strip(page).to_have_text("You drive by keyboard")
        assert page.get_by_test_id("strip").bounding_box() == before, "nothing jumps"
        wheel.answers = False
        strip(page).to_have_text("Braking: the vehicle does not answer")
        wheel.answers = True
        strip(page).to_have_text("Braking: it was silent; let go, then drive on")
        assert page.get_by_test_id("strip").bounding_box() == before
        assert page.evaluate("document.querySelector('.strip').scrollWidth <= innerWidth")


def test_the_console_hands_a_vehicle_out_and_takes_it_back(
    page: Page, browser: Browser, console: str, feed: SyntheticFeed
) -> None:
    look(page, console)
    search = page.get_by_test_id("roster-search")
    search.fill("pedestrian-1")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("wheel-offer")).to_be_hidden()
    search.fill(CAR)
    search.press("Enter")
    offer = page.get_by_test_id("wheel-offer")
    expect(page.get_by_test_id("wheel-driver")).to_have_text("nobody drives it")
    expect(page.get_by_test_id("wheel-take-back")).to_be_hidden()
    page.get_by_test_id("wheel-hand-out").click()
    expect(offer.get_by_role("img")).to_be_visible()
    link = console.split("/#")[0] + offer.locator("code").inner_text()
    with opened(browser) as seat:
        take(seat, link, feed, "Ann")
        expect(page.get_by_test_id("wheel-driver")).to_have_text("Ann drives it")
        page.get_by_test_id("wheel-take-back").click()
        said = expect(seat.get_by_test_id("saying"))
        said.to_have_text("You have lost the wheel: console has taken it back.")
        seat.get_by_test_id("take").click()
        said.to_contain_text("this link no longer opens the vehicle")
    assert feed.freed == [f"{CAR} console"]
    expect(page.get_by_test_id("wheel-driver")).to_have_text("nobody drives it")
