"""Scans on the console beside a real run: sensor, bus, server and page together."""

import math
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser
from tests.runtime.live.processes import free_port, live_run
from tests.web.serving import look, opened, until
from tests.web.test_console_browser import link

from movenv.world.frames import Frame

pytestmark = pytest.mark.xdist_group("live")  # one real-time run at a time

ORIGIN = 29.193111, -81.046171
SCENARIO = """
name: parked
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 600}
vehicles:
  - name: scanning
    kind: ground
    model: {type: ground, build: f110}
    footprint: [0.55, 0.3]
    start: {at: [0, 0], heading_deg: 90, speed: 0}
    sensors: {scanner: {type: lidar, preset: hokuyo-ust-10lx, mount: {x: 0.2}}}
  - name: parked
    kind: ground
    model: {type: ground, build: f110}
    footprint: [2, 2]
    start: {at: [5, 0], heading_deg: 90, speed: 0}
"""


def test_the_scan_of_a_virtual_vehicle_lies_on_whom_it_sees(
    browser: Browser, tmp_path: Path
) -> None:
    (tmp_path / "parked.yaml").write_text(SCENARIO)
    port = str(free_port())
    scenario = str(tmp_path / "parked.yaml")
    with live_run(tmp_path, scenario, "--console-port", port) as run, opened(browser) as page:
        run.wait_for("GO", t=0.5, timeout=120)
        look(page, link(run, "observer"))
        assert page.evaluate("movenv.fleetMap.fleet.scans") == []
        page.evaluate("movenv.fleetMap.selection.select(0)")
        until(page, "movenv.fleetMap.fleet.scans.length === 1")
        own, altered = page.evaluate(
            "(({ own, altered }) => [[...own], [...altered]])(movenv.fleetMap.fleet.scans[0])"
        )
    assert altered == []
    east, south = np.array(own).reshape(-1, 2).T
    northing = math.atanh(math.sin(math.radians(ORIGIN[0]))) - south * math.tau
    lat = np.degrees(np.arcsin(np.tanh(northing)))
    x, y, _ = Frame(*ORIGIN).to_local(lat, ORIGIN[1] + east * 360.0)
    assert len(x) > 50
    # The near side of a square of 2 m around (5, 0), as well as the scanner measures.
    np.testing.assert_allclose(x, 4.0, atol=0.2)
    assert -1.1 < y.min() < -0.9
    assert 0.9 < y.max() < 1.1
