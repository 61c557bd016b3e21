"""After the warm-up no order makes a host compile anything."""

import subprocess
import sys
from pathlib import Path

SCENARIO = """
name: cold
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
terrain:
  features:
    - {kind: building, at: [50, 0], rectangle: [10, 20]}
    - {kind: road, name: street, line: [[0, 50], [300, 50]], width: 8}
vehicles:
  - name: car
    count: 3
    unit: a
    kind: ground
    start: {grid: {spacing: 20}}
    behaviors: {obey: {}, wander: {}}
"""
PROGRAM = """
import gc, sys
from numba.core.dispatcher import Dispatcher
from movenv.runtime.live.warm_up import warm_up
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.scenario.orders import OrderDesk, OrderWish
from movenv.world.run_state import RunState

def compiled():
    return sum(len(o.signatures) for o in gc.get_objects() if isinstance(o, Dispatcher))

stage = Stage(load(sys.argv[1]))
warm_up(stage)
run, desk = stage.run(1), OrderDesk(stage)
core, (host,) = run.core, run.hosts
core.move(RunState.SET)
core.take(host.set())
told = core.tick(0, 0.0)
core.move(RunState.GO)
wishes = [None] * 2 + [
    OrderWish("go", ["car-1"], to=[(200.0, 0.0)]),
    OrderWish("go", ["car-2"], to=[(250.0, 0.0)], roads="prefer"),
    OrderWish("go", unit="a", to=[(200.0, 0.0)], formation="wedge"),
    OrderWish("hold", unit="a"),
]
before = compiled()
for tick, wish in enumerate(wishes, start=1):
    orders = (desk.order(wish, tick, "me"),) if wish else ()
    core.take(host.tick(tick, told.snapshot.vehicles, told.notices, orders=orders))
    told = core.tick(tick, run.time.t(tick))
print(before, compiled())
"""


def test_the_first_orders_find_everything_compiled(tmp_path: Path) -> None:
    file = tmp_path / "cold.yaml"
    file.write_text(SCENARIO)
    command = [sys.executable, "-c", PROGRAM, str(file)]  # where nobody has compiled anything yet
    done = subprocess.run(command, capture_output=True, text=True, timeout=280, check=True)
    before, after = map(int, done.stdout.split())
    assert 0 < before == after
