"""The report in a real Chromium, from disk and without a network."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page
from tests.review.made_up import NAMES, empty, ten

from movenv.review.findings import Happening
from movenv.review.report import write_report

pytestmark = pytest.mark.xdist_group("browser")

HOSTILE = '<script>window.hacked=1</script><img src=x onerror="window.hacked=1">'
DRAWN = "plot => plot.dataset.drawn"
FIGURES = ("map", "distances", "timeline", "path", "speed", "space", "known", "fixes", "links",
           "processes")  # fmt: skip


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Offline; what goes wrong in it fails the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    page = context.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    yield page
    context.close()
    assert wrong == []
    assert [url[:80] for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of ten vehicles."""
    return write_report([ten()], tmp_path_factory.mktemp("report"))[0]


def opened(page: Page, report: Path) -> list[str]:
    """Opens the report and scrolls through it until all is drawn; what is drawn."""
    page.goto(report.as_uri())
    names = []
    for plot in page.query_selector_all(".plot"):
        plot.scroll_into_view_if_needed()
        until = time.monotonic() + 60
        while plot.evaluate(DRAWN) != "yes":
            assert time.monotonic() < until, plot.get_attribute("data-figure")
            time.sleep(0.05)
        names.append(str(plot.get_attribute("data-figure")))
    return names


def test_every_figure_is_drawn_from_disk_without_a_network(page: Page, report: Path) -> None:
    assert set(opened(page, report)) == set(FIGURES)
    lines = page.evaluate("document.querySelector('[data-figure=speed]').data.length")
    assert lines == 10
    assert page.query_selector_all("#speed svg.main-svg path.js-line")


@pytest.mark.long
def test_two_reports_are_drawn_side_by_side(page: Page, tmp_path: Path) -> None:
    a = ten()
    b = replace(a, run=replace(a.run, t_last=90.0), links=[])
    assert set(opened(page, write_report([a, b], tmp_path)[0])) == {"closest", *FIGURES}
    ranges = page.evaluate(
        """(() => { const { xaxis, xaxis2, yaxis, yaxis2 } =
             document.querySelector('[data-figure=speed]')._fullLayout;
             return [xaxis.range, xaxis2.range, yaxis.range, yaxis2.range]; })()"""
    )
    assert ranges[0] == pytest.approx(ranges[1])
    assert ranges[2] == pytest.approx(ranges[3])


def test_what_is_missing_is_said_instead_of_drawn(page: Page, tmp_path: Path) -> None:
    assert opened(page, write_report([empty()], tmp_path)[0]) == []
    said = page.inner_text("#nothing")
    assert said.startswith("Nothing to show: Map (no vehicle's position is known")
    assert "Soft-real-time margin and lag (fast runs have no wall clock" in said
    for name in (*FIGURES, "pairs", "fix-table"):
        assert not page.query_selector(f"#{name}")
        assert not page.query_selector(f"nav a[href='#{name}']")


def test_text_of_a_recording_stays_text(page: Page, tmp_path: Path) -> None:
    findings = ten([HOSTILE, "$x$", "_hidden", "<b>bold</b>", "%{x}", *NAMES[5:]])
    findings = replace(
        findings,
        run=replace(findings.run, name=HOSTILE, description=HOSTILE, honesty=[HOSTILE]),
        happenings=[Happening(1.0, HOSTILE, HOSTILE), Happening(2.0, "state", HOSTILE)],
    )
    opened(page, write_report([findings], tmp_path)[0])
    assert page.evaluate("window.hacked") is None
    assert HOSTILE in page.inner_text("h1")
    assert HOSTILE in page.inner_text("#vehicles")
    assert "<b>bold</b>" in page.inner_text("#vehicles")
    legend = page.evaluate(
        "[...document.querySelectorAll('#speed .legendtext')].map(text => text.textContent)"
    )
    assert {"<b>bold</b>", "$x$", "_hidden"} <= set(legend)


def test_nothing_offers_to_send_a_review_away(page: Page, report: Path) -> None:
    opened(page, report)
    offers = page.evaluate(
        "[...document.querySelectorAll('.modebar-btn')].map(b => b.dataset.title ?? '')"
    )
    assert offers
    assert not [offer for offer in offers if "loud" in offer or "tudio" in offer]


def test_colours_follow_day_and_night(page: Page, report: Path) -> None:
    ground = "document.querySelector('[data-figure=speed]')._fullLayout.paper_bgcolor"
    page.emulate_media(color_scheme="light")
    opened(page, report)
    assert page.evaluate(ground) == "#ffffff"
    page.emulate_media(color_scheme="dark")
    until = time.monotonic() + 30
    while page.evaluate(ground) != "#11171d":
        assert time.monotonic() < until
        time.sleep(0.05)


def test_on_paper_pictures_take_the_place_of_plots(page: Page, report: Path) -> None:
    opened(page, report)
    page.emulate_media(media="print")
    assert not page.is_visible("#map .plot")
    assert page.is_visible("#map .picture")


def test_lines_break_where_a_vehicle_was_not_known(page: Page, report: Path) -> None:
    findings = ten()
    opened(page, report)
    drawn = page.evaluate(
        "Array.from(document.querySelector('[data-figure=speed]').data[1].y, v => isNaN(v))"
    )
    assert drawn == np.isnan(findings.tracks[1].speed).tolist()
    pieces = page.evaluate(
        "document.querySelectorAll('#speed .trace')[1].querySelectorAll('path.js-line').length"
    )
    assert pieces == 3  # not heard yet; stale; nothing recorded
