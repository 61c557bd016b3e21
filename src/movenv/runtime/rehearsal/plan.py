"""From what somebody wants rehearsed to the player that does it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from movenv.gateways.fix import Unreadable
from movenv.gateways.part import Track
from movenv.gateways.playback.codec import read_gpx
from movenv.recording.reader import Recording
from movenv.runtime.errors import WrongInput
from movenv.runtime.rehearsal.doors import FORMATS, sender_for, sender_in, why_not
from movenv.runtime.rehearsal.imperfections import Imperfections
from movenv.runtime.rehearsal.motion import SimulatedMotion, TrackMotion
from movenv.runtime.rehearsal.player import Phone, Player
from movenv.runtime.surroundings import recorded_track
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.columns import VidIndex

APART = 5.0
"""How many seconds several phones on one track are behind each other."""


@dataclass(frozen=True)
class Wishes:
    """What was asked for on the command line."""

    source: str
    host: str
    port: int | None
    format: str | None
    rate: float | None
    """Fixes a second; None for what the scenario says of each."""
    imperfections: Imperfections
    with_speed: bool
    count: int
    device: str | None
    vehicles: list[str]
    """Name patterns."""
    seed: int
    changes: list[str]
    truth: Callable[[str, float, float, float], None]
    without: Sequence[str] = ()
    """Name patterns of those who are left out all the same."""

    def wants(self, name: str) -> bool:
        return _fits(name, self.vehicles) and not _fits(name, self.without)


def _fits(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def rehearsal(wishes: Wishes) -> tuple[Player, list[str]]:
    """The player, and what it plays in words. Raises WrongInput and what loading raises."""
    path = Path(wishes.source)
    if path.suffix.lower() == ".gpx":
        return _on_tracks(wishes, [(wishes.device or path.stem, _gpx(path))])
    if path.suffix.lower() == ".mcap":
        return _on_tracks(wishes, _recorded(wishes, path))
    return _in_scenario(wishes)


def _in_scenario(wishes: Wishes) -> tuple[Player, list[str]]:
    loaded = load(wishes.source, wishes.changes)
    real = [r.entry for r in Stage(loaded).real if wishes.wants(r.entry.name)]
    if not real:
        called = "" if wishes.vehicles == ["*"] else f" called {' or '.join(wishes.vehicles)}"
        raise WrongInput(f"{wishes.source} has no real vehicles{called} to rehearse")
    if wishes.count > 1:
        raise WrongInput("a scenario says itself how many phones there are; --count is for tracks")
    left = [f"{entry.name} {why}" for entry in real if (why := why_not(entry))]
    real = [entry for entry in real if not why_not(entry)]
    if not real:
        raise WrongInput("; ".join(left))
    stage = Stage(loaded, real=False)
    rows = VidIndex(stage.roster.vids).rows(np.array([e.vid for e in real], np.uint32))
    senders = [sender_for(entry, wishes.host, wishes.format) for entry in real]
    phones = [
        Phone(entry.device, entry.config.token or "", sender, wishes.rate or entry.config.rate)
        for entry, sender in zip(real, senders, strict=True)
    ]
    lines = [
        f"{e.name}: {e.config.type} at {wishes.host}, {wishes.rate or e.config.rate:g} fixes/s"
        for e in real
    ]
    return _player(wishes, phones, SimulatedMotion(stage, rows)), lines + left


def _on_tracks(wishes: Wishes, tracks: list[tuple[str, Track]]) -> tuple[Player, list[str]]:
    if wishes.changes:
        raise WrongInput("--set changes a scenario, and this is none")
    if wishes.format is None:
        raise WrongInput(f"say what they speak: --format {' | '.join(FORMATS)}")
    if len(tracks) == 1 and wishes.count > 1:
        device, track = tracks[0]
        tracks = [(f"{device}-{i + 1}", track) for i in range(wishes.count)]
    phones = [
        Phone(device, "", sender_in(wishes.format, wishes.host, wishes.port))
        for device, _ in tracks
    ]
    lines = [f"{device}: {wishes.format} at {wishes.host}" for device, _ in tracks]
    motion = TrackMotion([track for _, track in tracks], APART if wishes.count > 1 else 0.0)
    return _player(wishes, phones, motion), lines


def _player(wishes: Wishes, phones: list[Phone], motion: SimulatedMotion | TrackMotion) -> Player:
    how = wishes.imperfections, wishes.seed, wishes.with_speed, wishes.truth
    return Player(phones, motion, wishes.rate or 1.0, *how)


def _gpx(path: Path) -> Track:
    try:
        return read_gpx(path.read_bytes())
    except OSError as error:
        raise WrongInput(f"cannot read {path}: {error.strerror}") from None
    except Unreadable as error:
        raise WrongInput(f"{path}: {error}") from None


def _recorded(wishes: Wishes, path: Path) -> list[tuple[str, Track]]:
    with Recording(path) as recording:
        names = [name for name in recording.roster.names if wishes.wants(name)]
    if not names:
        raise WrongInput(f"{path} has no vehicle called {' or '.join(wishes.vehicles)}")
    return [(name, recorded_track(path, name)) for name in names]
