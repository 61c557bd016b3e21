"""A console's server on a real socket, in a thread, and a browser's page that shows it."""

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, ViewportSize
from tests.web.synthetic import SyntheticFeed

from movenv.scenario.recorded import scenario_of
from movenv.web.access import Access
from movenv.web.app import Console
from movenv.web.hello import hello
from movenv.web.layers import Layers
from movenv.web.page import NoPage, PageFile, page_files
from movenv.web.serve import Place, listening, server_of

PATIENCE = 20.0


@contextmanager
def serving(console: Console) -> Iterator[str]:
    """The address of its page."""
    place = Place(port=0)
    listener = listening(place)
    server = server_of(console, place)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        assert not thread.is_alive()


@contextmanager
def served(
    feed: SyntheticFeed, layers: Layers | None = None, scenario: bool = False
) -> Iterator[str]:
    """The operator's link to a run that never was; with the world of its scenario, or without."""
    access, layers = Access.new(), layers or Layers([], None, {})
    world = scenario_of(feed.record, feed.source) if scenario else None
    greeting = hello(feed, world, layers.described())
    with serving(Console(feed, feed, access, layers, greeting, _page())) as address:
        yield f"{address}/#operator={access.operator}"


def _page() -> dict[str, PageFile]:
    """Where it was not built there is nothing to test; in CI that is a failure."""
    try:
        return page_files()
    except NoPage as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@contextmanager
def opened(
    browser: Browser, width: int = 1280, height: int = 720, touch: bool = False
) -> Iterator[Page]:
    """An empty page; fails where anything goes wrong in it."""
    viewport: ViewportSize = {"width": width, "height": height}
    context = browser.new_context(viewport=viewport, has_touch=touch)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def look(page: Page, link: str) -> Page:
    """Open a console, until somebody is drawn on its map."""
    page.goto(link)
    until(page, "window.movenv?.updates > 3")
    return page


def until(page: Page, holds: str) -> None:
    """Wait until a JavaScript expression holds; the page forbids Playwright's own way."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(holds):
        assert time.monotonic() < end, f"never: {holds}"
        page.wait_for_timeout(100)
