"""Semi-automated forces: a thousand vehicles live, and ten thousand through a wood."""

import subprocess
import tempfile
from pathlib import Path

from movenv.bench.baselines import PlainFleet
from movenv.bench.live import MOVENV, TICK, live_run
from movenv.bench.measure import Row, best_time
from movenv.bench.swarm import recorded
from movenv.runtime.fast import suitable_hosts
from movenv.scenario.build import build
from movenv.scenario.load import load
from movenv.world.frames import Frame

WOOD = """\
name: wood
origin: {{lat: 37.891, lon: -85.963}}
seed: 7
time: {{duration: {duration}}}
areas:
  wood: {{rectangle: [{side}, {side}], center: [0, 0]}}
terrain:
  scatter:
    - {{kind: tree, count: {count}, within: wood, radius: [0.3, 1.0], apart: 6}}
vehicles:
  - name: cart
    count: {count}
    kind: ground
    model: {{length: 1.5, speed: 8}}
    start: {{within: wood, heading_deg: 90}}
    behaviors:
      move_to: {{by: [{far}, 0], visibility: 60}}
      avoid: {{method: {method}}}
notices: {{levels: {{warning: 1.0}}}}
"""
ORDERS = (
    ("go", "--unit", "tanks-3", "--to", "1500,-900", "--formation", "wedge"),
    ("go", "--unit", "convoy-1", "--to", "2500,1900", "--roads", "prefer"),
    ("go", "aircraft-1", "--to", "0,0,900"),
    ("hold", "--unit", "squad-1"),
)
"""What the operator wants, one order after the other."""
SPACING = 16.0
"""On the mean between carts, and between trees; m."""


def through_the_wood(count: int, duration: float, method: str) -> Row:
    """As many carts as trees, all on their way through at once."""
    side = SPACING * count**0.5
    text = WOOD.format(duration=duration, side=side, count=count, far=1.2 * side, method=method)
    frame = Frame(37.891, -85.963)
    fleet = PlainFleet(count, side)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wood.yaml"
        path.write_text(text)
        taken = recorded(build(load(str(path)), suitable_hosts))
    return Row(
        f"{count:,} vehicles through {count:,} trees, move_to and avoid by {method}, recording",
        duration / taken, "× real time", 1.0, "higher",
        "NumPy, PROJ and k-d tree, without trees, ways, behaviors or recording",
        0.1 / best_time(lambda: fleet.tick(frame, SPACING), 3),
    )  # fmt: skip


def simnet_live(duration: float) -> list[Row]:
    """The shipped thousand, with its two phones played and an operator who gives orders."""
    with live_run("simnet-1000", duration, "--rehearse") as run:
        run.connect().close()
        for words in ORDERS:
            subprocess.run(
                [*MOVENV, "order", *words, "--core", run.address],
                check=True,
                stdout=subprocess.DEVNULL,
            )
        told = run.end()
    everyone = [told["core"], *told["hosts"]]
    margin = min(one["margin_p5"] for one in everyone if one["margin_p5"] is not None)
    core = told["core"]
    # A tick counts as missed also where a host came too late and its vehicles were carried on.
    missed = core["missed_ticks"] + core["carried_ticks"] + core["refused"].get("too early", 0)
    said = f"simnet-1000 live for {duration:g} s"
    fleet, frame = PlainFleet(1_000, 5_000.0), Frame(37.891, -85.963)
    plain = best_time(lambda: fleet.tick(frame, 20.0), 3)
    return [
        Row(f"{said}: ticks stated in time", 1.0 - missed * TICK / duration, "share", 1.0,
            "higher", "a loop of NumPy, PROJ and k-d tree alone", 1.0),
        Row(f"{said}: margin at the 5th percentile, worst process", margin, "share of a tick",
            0.5, "higher", "NumPy, PROJ and k-d tree alone, without behaviors, bus or recording",
            max(1e-3, 1 - plain / TICK)),
    ]  # fmt: skip


def measure(quick: bool) -> list[Row]:
    count, duration = (1_000, 5.0) if quick else (10_000, 30.0)
    through_the_wood(100, 1.0, "reciprocal")  # compile
    through_the_wood(100, 1.0, "constant_velocity")
    rows = [
        through_the_wood(count, duration, method) for method in ("constant_velocity", "reciprocal")
    ]
    return rows + simnet_live(10.0 if quick else 120.0)
