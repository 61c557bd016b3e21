"""Loading everything before time counts: kernels, behaviors, whatever they import."""

import numpy as np

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
