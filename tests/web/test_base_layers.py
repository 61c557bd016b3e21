"""Layers beneath the vehicles in a real Chromium; servers of maps are made up here."""

import io
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route, expect
from tests.web.serving import look, opened, served, until
from tests.web.synthetic import SyntheticFeed

from movenv.scenario.map_schema import MapLayer
from movenv.web.layers import Layers

pytestmark = pytest.mark.xdist_group("browser")

HOST = "https://tiles.example"
MAGENTA = (200, 0, 200)
DRAWN = "movenv.map.queryRenderedFeatures().map((f) => f.properties.role ?? f.sourceLayer)"
"""Role, or layer within tiles, of everything that MapLibre has drawn."""
SITE = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"role": "obstacle", "name": "hangar"},
            "geometry": {
                "type": "Polygon",
                "coordinates": [
                    [
                        [-81.0464, 29.1929],
                        [-81.046, 29.1929],
                        [-81.046, 29.1933],
                        [-81.0464, 29.1929],
                    ]
                ],
            },
        },
        {
            "type": "Feature",
            "properties": {"role": "route", "name": "taxiway"},
            "geometry": {
                "type": "LineString",
                "coordinates": [[-81.0465, 29.1930], [-81.0458, 29.1933]],
            },
        },
    ],
}


def field(number: int, value: bytes | int) -> bytes:
    """One field of a protocol buffer, all of whose numbers here are below 128 or of two bytes."""
    if isinstance(value, int):
        return bytes([number << 3]) + varint(value)
    return bytes([number << 3 | 2]) + varint(len(value)) + value


def varint(value: int) -> bytes:
    return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)


def vector_tile() -> bytes:
    """A tile with a line from corner to corner in its layer `roads`."""
    corner = 4096 << 1  # zigzag
    steps = b"".join(map(varint, [1 << 3 | 1, 0, 0, 1 << 3 | 2, corner, corner]))
    line = field(3, 2) + field(4, steps)
    return field(3, field(15, 2) + field(1, b"roads") + field(2, line) + field(5, 4096))


def picture_tile() -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (256, 256), MAGENTA).save(data, "PNG")
    return data.getvalue()


class Site:
    """Servers of maps: what they answer by path, and what they were asked."""

    def __init__(self, page: Page) -> None:
        self.asked: list[str] = []
        self.bodies: list[str] = []
        self.answers: dict[str, tuple[str, bytes]] = {
            ".png": ("image/png", picture_tile()),
            ".pbf": ("application/x-protobuf", vector_tile()),
        }
        for host in (HOST, "https://tile.googleapis.com"):
            page.context.route(f"{host}/**", self._answer)

    def _answer(self, route: Route) -> None:
        url = route.request.url
        self.asked.append(url)
        self.bodies.append(route.request.post_data or "")
        path = urlsplit(url).path
        found = next((told for end, told in self.answers.items() if end in path), None)
        headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
        if found is None:
            route.fulfill(status=403, headers=headers)
        else:
            route.fulfill(content_type=found[0], body=found[1], headers=headers)


@pytest.fixture
def link(tmp_path: Path) -> Iterator[str]:
    feed = SyntheticFeed(8)
    (tmp_path / "site.geojson").write_text(json.dumps(SITE))
    own = [
        MapLayer(name="site", file="site.geojson", shown=True),
        MapLayer(
            name="air", tiles=f"{HOST}/{{z}}/{{x}}/{{y}}.jpg?key={{key}}", key_env="MOVENV_KEY_AIR"
        ),
    ]
    with served(feed, Layers(own, tmp_path, {})) as link:
        yield link


@pytest.fixture
def page(browser: Browser, link: str) -> Iterator[Page]:
    with opened(browser, 1000, 700) as page:
        yield look(page, link)


@pytest.fixture
def site(page: Page) -> Site:
    return Site(page)


def open_form(page: Page) -> None:
    page.get_by_test_id("map-layers").click()
    page.get_by_text("Add a layer").click()


def add(page: Page, url: str) -> None:
    open_form(page)
    page.get_by_test_id("layer-url").fill(url)
    page.get_by_test_id("layer-url").press("Enter")


def share_of(page: Page, colour: tuple[int, int, int]) -> float:
    """How much of the map has a colour."""
    shot = Image.open(io.BytesIO(page.locator("#map").screenshot())).convert("RGB")
    return float((np.abs(np.asarray(shot).astype(int) - colour).max(axis=2) < 8).mean())


def test_picture_tiles_are_shown_dimmed_by_opacity_and_taken_away(page: Page, site: Site) -> None:
    add(page, f"{HOST}/{{z}}/{{x}}/{{y}}.png")
    until(page, "movenv.map.areTilesLoaded()")
    page.wait_for_timeout(500)
    assert all(len(urlsplit(url).path.split("/")) == 4 for url in site.asked)
    assert site.asked
    assert share_of(page, MAGENTA) > 0.3
    page.get_by_label("Opacity of tiles.example").fill("0.5")
    page.wait_for_timeout(500)
    assert share_of(page, MAGENTA) < 0.01
    page.get_by_label("Take tiles.example away").click()
    expect(page.get_by_test_id("layer-tiles.example")).to_have_count(0)
    assert page.evaluate("Object.values(movenv.map.getStyle().sources).map((s) => s.type)") == [
        "geojson"
    ]


@pytest.mark.usefixtures("site")
def test_an_added_layer_is_there_again_after_a_reload(page: Page) -> None:
    add(page, f"{HOST}/{{z}}/{{x}}/{{y}}.png")
    page.wait_for_timeout(300)
    page.reload()
    page.get_by_test_id("map-layers").click()
    expect(page.get_by_test_id("layer-tiles.example")).to_be_checked()


@pytest.mark.usefixtures("site")
def test_vector_tiles_ask_which_layers_within_to_draw(page: Page) -> None:
    add(page, f"{HOST}/{{z}}/{{x}}/{{y}}.pbf")
    expect(page.get_by_text("Say which layers within the tiles to draw.")).to_be_visible()
    page.get_by_test_id("layer-parts").fill("roads, water")
    page.get_by_test_id("layer-parts").press("Enter")
    until(page, f"{DRAWN}.includes('roads')")


def test_a_style_lies_beneath_with_addresses_told_from_where_it_lies(
    page: Page, site: Site
) -> None:
    style = {
        "version": 8,
        "glyphs": "fonts/{fontstack}/{range}.pbf",
        "sources": {"ground": {"type": "raster", "tiles": [f"{HOST}/{{z}}/{{x}}/{{y}}.png"]}},
        "layers": [{"id": "ground", "type": "raster", "source": "ground"}],
    }
    site.answers["/style.json"] = ("application/json", json.dumps(style).encode())
    add(page, f"{HOST}/maps/style.json")
    until(page, "movenv.map.getLayer('ground')")
    assert (
        page.evaluate("movenv.map.getStyle().glyphs")
        == f"{HOST}/maps/fonts/{{fontstack}}/{{range}}.pbf"
    )
    order = page.evaluate("movenv.map.getStyle().layers.map((layer) => layer.id)")
    assert order.index("ground") < order.index(next(name for name in order if "obstacles" in name))


def test_googles_tiles_are_asked_for_with_the_key_and_the_session(page: Page, site: Site) -> None:
    session = {"session": "s-1", "tileWidth": 256, "tileHeight": 256, "imageFormat": "png"}
    site.answers["/createSession"] = ("application/json", json.dumps(session).encode())
    site.answers["/2dtiles/"] = ("image/png", picture_tile())
    open_form(page)
    page.get_by_label("Google's map").select_option("roadmap")
    page.get_by_test_id("layer-key").fill("k&1")
    page.get_by_test_id("layer-key").press("Enter")
    page.wait_for_timeout(1500)
    first, *tiles = site.asked
    assert parse_qs(urlsplit(first).query) == {"key": ["k&1"]}
    assert json.loads(site.bodies[0])["mapType"] == "roadmap"
    assert tiles
    for tile in tiles:
        assert urlsplit(tile).path.startswith("/v1/2dtiles/")
        assert parse_qs(urlsplit(tile).query) == {"session": ["s-1"], "key": ["k&1"]}


def test_a_scenarios_features_are_drawn_by_their_roles(page: Page) -> None:
    until(page, f"{DRAWN}.includes('obstacle') && {DRAWN}.includes('route')")


@pytest.mark.usefixtures("site")
def test_trouble_is_told_in_words_at_the_layer_and_once_in_passing(page: Page) -> None:
    page.get_by_test_id("map-layers").click()
    page.get_by_test_id("layer-air").check()
    words = "set MOVENV_KEY_AIR to its key before the start"
    expect(page.get_by_test_id("map-menu").get_by_text(words)).to_be_visible()
    expect(page.get_by_test_id("toasts").get_by_text(f"Air: {words}")).to_be_visible()
    page.get_by_text("Add a layer").click()
    page.get_by_test_id("layer-url").fill(f"{HOST}/{{z}}/{{x}}/{{y}}.webp")
    page.get_by_test_id("layer-url").press("Enter")
    told = page.get_by_test_id("map-menu").get_by_text("tiles.example answers 403")
    expect(told).to_be_visible()


def test_a_file_is_picked_and_one_that_is_no_map_is_told_of(page: Page, tmp_path: Path) -> None:
    good, bad = tmp_path / "lines.geojson", tmp_path / "bad.geojson"
    good.write_text(json.dumps(SITE).replace("route", "fence"))
    bad.write_text("hello")
    open_form(page)
    page.locator("input[type=file]").set_input_files(good)
    until(page, f"{DRAWN}.includes('fence')")
    page.locator("input[type=file]").set_input_files(bad)
    told = page.get_by_test_id("map-menu").get_by_text("bad.geojson is not GeoJSON")
    expect(told).to_be_visible()


def test_an_address_with_something_else_than_geojson_is_told_of_by_name(
    page: Page, site: Site
) -> None:
    site.answers[".geojson"] = ("application/geo+json", b'{"type": "FeatureColl')
    add(page, f"{HOST}/fences.geojson")
    words = "iles.example is not GeoJSON"
    expect(page.get_by_test_id("map-menu").get_by_text(f"t{words}")).to_be_visible()
    expect(page.get_by_test_id("toasts")).to_have_text(f"T{words}")


def test_the_menu_is_worked_by_keys_alone(page: Page) -> None:
    page.get_by_test_id("map-layers").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    air = page.get_by_test_id("layer-air")
    expect(air).to_be_checked()
    expect(air).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("map-menu")).to_be_hidden()
    expect(page.get_by_test_id("map-layers")).to_be_focused()
