"""From the fixes of real vehicles to their motion: one row a vehicle, whole batches at a time."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from movenv.gateways.config import Entry
from movenv.gateways.fix import Fix
from movenv.gateways.judging import AHEAD, FIRST_INTERVALS, RATE_TIME, Outcome, judge
from movenv.gateways.limits import limits_of
from movenv.gateways.track_filter import FIX, TRACK
from movenv.world.columns import F8, U1, U4, Mask, VidIndex
from movenv.world.frames import Frame, yaw_of_heading
from movenv.world.messages import Heard, Motions, Receptions

__all__ = ["Outcome", "Trackers"]

LOOK_BACK = 1.0
"""So far, s, a fix may be newer than the instant that is asked for."""
UNKNOWN = ("z_t", "sent", "accuracy", "told_accuracy", "battery", "newest", "delay")


def _new_tracks(entries: Sequence[Entry]) -> NDArray[np.void]:
    tracks = np.zeros(len(entries), TRACK)
    for track, entry in zip(tracks, entries, strict=True):
        limits, config = limits_of(entry.kind), entry.config
        track["max_speed"] = config.max_speed or limits.max_speed
        track["usual_speed"] = min(limits.usual_speed, track["max_speed"])
        track["noise"] = limits.acceleration**2  # times the second in which it changes so much
        track["fading"] = 1.0 / limits.fading
        track["stale_after"] = config.stale_after
        track["default_accuracy"] = config.accuracy
        track["by_arrival"] = config.clock == "arrival"
        track["by_fix"] = (config.height or limits.height) == "fix"
    for name in UNKNOWN:
        tracks[name] = math.nan
    tracks["sequence"] = -1
    tracks["interval"] = tracks["recent"] = math.inf
    return tracks


class Trackers:
    """All real vehicles of a host, in the order of their vids."""

    def __init__(self, frame: Frame, entries: Sequence[Entry]) -> None:
        """`entries` are sorted by vid."""
        self.vids: U4 = np.array([entry.vid for entry in entries], np.uint32)
        self._frame = frame
        self._index = VidIndex(self.vids)
        self._tracks = _new_tracks(entries)

    def take(self, vid: Sequence[int], fixes: Sequence[Fix], at: Sequence[float]) -> U1:
        """Enter fixes in order of arrival; `at` is when each arrived (s since 1970, UTC).

        Returns the Outcome of each. Raises KeyError for a vid that is not one of `vids`.
        """
        outcomes = np.empty(len(fixes), np.uint8)
        if not len(fixes):
            return outcomes
        batch = np.empty(len(fixes), FIX)
        batch["row"] = self._index.rows(np.asarray(vid, np.uint32))
        if batch["row"].min() < 0:
            raise KeyError(f"vid {vid[int(batch['row'].argmin())]} is not of this gateway")
        batch["at"] = at
        self._fill(batch, fixes)
        judge(self._tracks, batch, outcomes)
        return outcomes

    def _fill(self, batch: NDArray[np.void], fixes: Sequence[Fix]) -> None:
        lat, lon, alt, course = np.array([(f.lat, f.lon, f.alt, f.course) for f in fixes]).T
        batch["x"], batch["y"], batch["alt"] = self._frame.to_local(lat, lon, alt)
        # The sphere's convergence of meridians: off by a millionth within a zone.
        east = np.radians(lon - self._frame.meridian_deg)
        convergence = np.arctan(np.tan(east) * np.sin(np.radians(lat)))
        batch["yaw"] = yaw_of_heading(course, convergence)
        batch["sequence"] = [f.sequence for f in fixes]
        for name in ("time", "speed", "accuracy", "vertical_accuracy", "battery"):
            batch[name] = [getattr(f, name) for f in fixes]

    def state(self, utc: float) -> tuple[Motions, Receptions]:
        """Everyone heard so far, carried to the instant `utc` (s since 1970)."""
        heard = self._tracks["accepted"] > 0
        return self._motions(utc, heard), self._receptions(utc, heard)

    def _motions(self, utc: float, heard: Mask) -> Motions:
        tracks = self._tracks[heard]
        seconds = utc - tracks["t"]
        going = (seconds <= tracks["stale_after"]) & (seconds >= -AHEAD)
        seconds = np.clip(seconds, -LOOK_BACK, tracks["stale_after"])
        fading = tracks["fading"]
        left = np.exp(-np.maximum(seconds, 0.0) * fading)
        fades = (fading > 0.0) & (seconds > 0.0)
        way = np.divide(1.0 - left, fading, out=seconds.copy(), where=fades)
        vx, vy = (tracks[name] * left * going for name in ("vx", "vy"))
        z, vz = self._heights(utc, tracks, going)
        columns = {name: np.zeros(len(tracks), dtype) for name, dtype in Motions.dtypes.items()}
        columns |= {
            "vid": self.vids[heard],
            "x": tracks["x"] + tracks["vx"] * way,
            "y": tracks["y"] + tracks["vy"] * way,
            "z": z,
            "yaw": tracks["yaw"],
            "speed": np.sqrt(vx**2 + vy**2 + vz**2),
            "vx": vx,
            "vy": vy,
            "vz": vz,
        }
        return Motions(columns)

    def _heights(self, utc: float, tracks: NDArray[np.void], going: Mask) -> tuple[F8, F8]:
        """z and its rate; 0 where z comes from the ground or no height was ever told."""
        seconds = np.nan_to_num(utc - tracks["z_t"])
        going = going & (seconds <= tracks["stale_after"])
        carried = np.clip(seconds, -LOOK_BACK, tracks["stale_after"])
        return tracks["z"] + tracks["vz"] * carried, tracks["vz"] * going

    def _receptions(self, utc: float, heard: Mask) -> Receptions:
        tracks = self._tracks
        seconds = utc - tracks["t"]
        age = np.where(heard, np.maximum(seconds, 0.0), math.nan)
        stale = (age > tracks["stale_after"]) | (seconds < -AHEAD)  # the clock was set back
        fresh = np.where(stale, Heard.STALE, Heard.HEARD)
        counted = (tracks["sequence"] >= 0) | (tracks["intervals"] > FIRST_INTERVALS)
        expected = np.where(counted & (tracks["expected"] > 0.0), tracks["expected"], math.nan)
        # An even stream is 1 / (1 - exp(-1 / rate / time)) strong, and weaker while it is young.
        silent = np.maximum(utc - tracks["at"], 0.0)
        young = np.maximum(utc - tracks["first_at"], 1.0)
        strength = tracks["weight"] * np.exp(-silent / RATE_TIME)
        return Receptions(
            {
                "vid": self.vids,
                "heard": np.where(heard, fresh, Heard.NEVER),
                "accuracy": tracks["told_accuracy"],
                "age": age,
                "delay": tracks["delay"],
                "loss": np.clip(1.0 - tracks["received"] / expected, 0.0, 1.0),
                "battery": tracks["battery"],
                "rate": strength / RATE_TIME / (1.0 - np.exp(-young / RATE_TIME)),
                "accepted": tracks["accepted"],
                "rejected": tracks["rejected"],
            }
        )
