"""After the warm-up nothing that a run may ask of a host or the Core is compiled any more."""

import json
import subprocess
import sys
from typing import Any

import pytest

SCENARIO = """
name: cold
origin: {lat: 29.193111, lon: -81.046171}
time: {duration: 60}
radio: {loss: 0.1}
areas: {field: {square: 800}}
routes:
  patrol: {points: [[50, 150], [150, 150], [150, 250]]}
terrain:
  features:
    - {kind: building, at: [60, 0], rectangle: [20, 20]}
    - {kind: building, at: [60, 60], rectangle: [4, 80]}
    - {kind: tree, at: [-60, 60], radius: 1}
    - {kind: soil, soil: mud, at: [20, 0], rectangle: [30, 30]}
    - {kind: road, name: street, line: [[-100, -100], [100, -100], [100, 100]], width: 6}
  hills: [{at: [0, -300], height: 5, radius: 50}]
vehicles:
  - name: tank
    count: 5
    unit: alpha
    kind: ground
    model: {type: ground}
    start: {grid: {center: [20, 0], spacing: 20}}
    behaviors:
      avoid: {method: reciprocal}
      obey: {}
      wander: {}
      stay_in_bounds: {priority: 3, area: field}
  - name: jeep
    count: 4
    unit: bravo
    kind: ground
    start: {grid: {center: [0, 90], spacing: 20}}
    behaviors: {avoid: {method: constant_velocity}, obey: {}, wander: {}}
  - name: cart
    count: 3
    unit: charlie
    kind: ground
    start: {grid: {center: [-120, 80], spacing: 20}}
    behaviors: {avoid: {method: turn_away}, obey: {}}
  - name: plane
    count: 3
    unit: air
    kind: aerial/fixedwing
    start: {grid: {center: [-100, 200, 5], spacing: 60}}
    behaviors: {avoid: {method: arc_line}, obey: {}, wander: {}}
  - name: glider
    kind: aerial/fixedwing
    model: {type: fixedwing}
    start: {at: [-300, 0, 200]}
    behaviors: {wander: {}}
  - name: mule
    count: 4
    unit: delta
    kind: ground
    start: {grid: {center: [0, 160], spacing: 15}}
    behaviors: {formation: {leader: mule-1, shape: wedge}, wander: {}}
    mission:
      - {step: wait, do: {hover: {}}, until: {time: 50}}
      - {step: drive, do: {follow_path: {route: patrol}, car_follow: {route: patrol}}}
  - name: van
    kind: ground
    start: {at: [0, -90]}
    behaviors: {avoid: {method: reciprocal}, move_to: {to: [150, 20]}}
  - name: walker
    kind: pedestrian
    start: {at: [30, 90]}
    behaviors: {walk: {area: field}}
"""
COMPILED = """
import gc, json, sys
from types import CodeType, FunctionType
from numba.core.dispatcher import Dispatcher
from movenv.runtime.live.warm_up import warm_up
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.scenario.orders import OrderDesk, OrderWish
from movenv.world.awareness import Others, completed
from movenv.world.run_state import RunState

def called(kernel):
    return f"{kernel.py_func.__module__}.{kernel.py_func.__qualname__}"

def compiled():
    found = (o for o in gc.get_objects() if isinstance(o, Dispatcher))
    return {f"{called(kernel)}{each}" for kernel in found for each in kernel.signatures}

"""
PROGRAM = (
    COMPILED
    + """
def names(code):
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from names(const)

def functions(space, module):
    for value in list(space.values()):
        if isinstance(value, type) and value.__module__ == module:
            yield from functions(vars(value), module)
        value = getattr(value, "fget", getattr(value, "__func__", value))
        if isinstance(value, FunctionType) and value.__module__ == module:
            yield value

def asked_from_python():
    '''The kernels that plain functions of the loaded modules call.'''
    found = {}
    for name, module in list(sys.modules.items()):
        if not name.startswith("movenv."):
            continue
        for function in functions(vars(module), name):
            for word in names(function.__code__):
                values = [vars(module).get(word)]  # and as crowd.decide
                values += [getattr(vars(module).get(n), word, None)
                           for n in function.__code__.co_names]
                for kernel in values:
                    if isinstance(kernel, Dispatcher) and not kernel.targetoptions.get(
                        "forceinline"
                    ):
                        found[called(kernel)] = kernel
    return found

stage = Stage(load(sys.argv[1]))
warm_up(stage)
kernels = asked_from_python()
left = [name for name, kernel in kernels.items() if not kernel.signatures]
run, desk = stage.run(2), OrderDesk(stage)
core = run.core
core.move(RunState.SET)
for host in run.hosts:
    core.take(host.set())
told = core.tick(0, 0.0)
core.move(RunState.GO)
wishes = {
    3: OrderWish("go", unit="alpha", to=[(150.0, 20.0)], formation="wedge"),
    4: OrderWish("go", unit="bravo", to=[(150.0, 60.0)], formation="column"),
    5: OrderWish("go", unit="charlie", to=[(150.0, -20.0)], roads="prefer"),
    6: OrderWish("go", unit="air", to=[(150.0, -20.0)], formation="line"),
    70: OrderWish("form", unit="bravo", formation="vee"),
    71: OrderWish("hold", unit="alpha"),
    75: OrderWish("resume", unit="alpha"),
}
before = compiled()
for tick in range(1, 80):
    orders = (desk.order(wishes[tick], tick, "me"),) if tick in wishes else ()
    everyone = Others(dict(told.snapshot.vehicles.columns()))
    others = completed(everyone.take(everyone.vid > 0), stage.frame).sealed()  # as over the wire
    for host in run.hosts:
        core.take(host.tick(tick, others, told.notices, told.inbox, told.finds, orders))
    told = core.tick(tick, run.time.t(tick))
late = sorted(compiled() - before)
print(json.dumps({"kernels": sorted(kernels), "left": sorted(left), "late": late}))
"""
)
ALONE = (
    COMPILED
    + """
from itertools import islice
from movenv.runtime.fast import updates

stage = Stage(load(sys.argv[1], sys.argv[2:]), real=False)
warm_up(stage)
before = compiled()
seen = list(islice(updates(stage.run(1)), 40))
late = sorted(compiled() - before)
x = [float(seen[k].snapshot.vehicles.x[0]) for k in (0, -1)]
print(json.dumps({"moved": x[1] - x[0], "late": late}))
"""
)
ELSEWHERE = {
    "movenv.gateways.judging.judge",  # there is no real vehicle
    "movenv.world.proximity._near_pairs",  # the scenario measures all pairs
    # There is no height map, and nobody asks for normals.
    "movenv.terrain.heights._with_normals",
    "movenv.terrain.rises._join",
    "movenv.terrain.sight._look",
    "movenv.terrain.soil._look_up_materials",
}


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process says that has warmed up, and then lived through orders of all kinds."""
    file = tmp_path_factory.mktemp("cold") / "cold.yaml"
    file.write_text(SCENARIO)
    return said_by(PROGRAM, str(file))


def said_by(*program: str) -> dict[str, Any]:
    command = [sys.executable, "-c", *program]  # where nobody has compiled anything yet
    done = subprocess.run(command, capture_output=True, text=True, timeout=580, check=False)
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_every_kernel_that_is_ever_asked_is_compiled_by_the_warm_up(told: dict[str, Any]) -> None:
    names = {"sightlines.find_room", "sightlines.open_lines", "crowd.decide", "leeway._choose"}
    assert names <= {".".join(name.split(".")[-2:]) for name in told["kernels"]}
    assert set(told["left"]) - ELSEWHERE == set()


@pytest.mark.parametrize("scenario", ["hybrid-f110", "urban-loop"])
def test_a_car_that_sets_out_compiles_nothing(scenario: str) -> None:
    """One by its scans; one on a height map with materials, its scanners and camera."""
    told = said_by(ALONE, scenario)
    assert told["moved"] > 0.5
    assert told["late"] == []


def test_no_order_makes_anybody_compile_anything(told: dict[str, Any]) -> None:
    assert told["late"] == []
