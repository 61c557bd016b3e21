"""Loading everything before time counts: kernels, behaviors, whatever they import."""

import numpy as np

from movenv.gateways.fix import Fix
from movenv.gateways.tracker import Trackers
from movenv.scenario.build import Stage
from movenv.world.awareness import Others, completed, near_any


def warm_up(stage: Stage) -> None:
    """Let one vehicle of each group live a tick, so that all is loaded before time counts."""
    _, rows = np.unique(stage.group, return_index=True)
    twin, core = stage.host("warm-up", rows), stage.core()
    core.take(twin.set())
    told = core.tick(0, 0.0)
    others = completed(Others(dict(told.snapshot.vehicles.take(rows).columns())), stage.frame)
    core.take(twin.tick(1, others.sealed(), told.notices))
    near_any(core.tick(1, stage.time.t(1)).snapshot.vehicles, rows, 1.0)
    if stage.real:
        _warm_up_trackers(stage)


def _warm_up_trackers(stage: Stage) -> None:
    trackers = Trackers(stage.frame, [stage.real[0].entry])
    here = Fix(stage.frame.lat, stage.frame.lon, 1.0)
    trackers.take(trackers.vids.tolist(), [here], [1.0])
    trackers.state(2.0)
