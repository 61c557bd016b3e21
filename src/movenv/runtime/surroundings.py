"""What gateways are told of the run and of this machine."""

import os
import socket
from pathlib import Path

import numpy as np

from movenv.gateways.certificate import make_certificate
from movenv.gateways.config import Entry
from movenv.gateways.inlet import Inlet
from movenv.gateways.part import Gateway, GatewayFailed, Surroundings, Track
from movenv.recording.reader import Recording
from movenv.recording.writer import RecordingRefused
from movenv.runtime.errors import WrongInput
from movenv.scenario.build import Stage


class NoTrack(WrongInput, ValueError):
    """A recording that does not tell where somebody went."""


HERE, EVERYWHERE = "127.0.0.1", "0.0.0.0"


def surroundings(
    stage: Stage, folder: Path, public: bool, address: str | None, state: Path | None
) -> Surroundings:
    """`public`: listen on every network; `address` is what people are told, if it is known."""
    shown = address or (own_address() if public else HERE)
    return Surroundings(
        bind=EVERYWHERE if public else HERE,
        shown=shown,
        folder=folder,
        scenario=stage.scenario.name,
        levels=list(stage.scenario.notices.levels),
        areas={
            name: [(float(x), float(y)) for x, y in a.vertices] for name, a in stage.areas.items()
        },
        certificate=lambda: make_certificate(state_folder(), [shown, socket.gethostname()]),
        track=recorded_track,
        state=state,
    )


def check_gateways(stage: Stage, folder: Path) -> None:
    """Find mistakes with real vehicles before anything starts. Raises WrongInput."""
    around = surroundings(stage, folder, public=False, address=None, state=None)
    by_part: dict[type[Gateway], list[Entry]] = {}
    for real in stage.real:
        by_part.setdefault(real.gateway, []).append(real.entry)
    for part, entries in by_part.items():
        try:
            part(entries, Inlet(), around).check()
        except GatewayFailed as error:
            raise WrongInput(str(error)) from None


def own_address() -> str:
    """This machine's address in the network that leads out; nothing is sent to find it.

    Raises WrongInput when it cannot be found out.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return str(probe.getsockname()[0])
        except OSError:
            pass  # no way out, as when this machine is the hotspot
    try:
        found = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
    except OSError:
        found = []
    addresses = [str(one[4][0]) for one in found if not str(one[4][0]).startswith("127.")]
    if not addresses:
        raise WrongInput("at which address do phones reach this machine? Say it with --address")
    return addresses[0]


def state_folder() -> Path:
    """Where what outlives a run is kept for this user."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "movenv"


def recorded_track(path: Path, name: str) -> Track:
    """Where a vehicle of a recording was; `name` may be left out where only one is real.

    Raises NoTrack.
    """
    try:
        opened = Recording(path)
    except RecordingRefused as error:
        raise NoTrack(str(error)) from None
    with opened as recording:
        row = _row(path, recording, name)
        rows = [
            (s.t, s.vehicles.lat[row], s.vehicles.lon[row], s.vehicles.z[row])
            for s, _ in recording.snapshots()
            if np.isfinite(s.vehicles.lat[row])
        ]
        floor = recording.run.origin[2]
    if len(rows) < 2:
        raise NoTrack(f"{path} does not tell where '{name}' went")
    t, lat, lon, z = (list(map(float, column)) for column in zip(*rows, strict=True))
    return Track([moment - t[0] for moment in t], lat, lon, [height + floor for height in z])


def _row(path: Path, recording: Recording, name: str) -> int:
    names = recording.roster.names
    if not name and len(names) == 1:
        return 0
    if name not in names:
        raise NoTrack(f"{path} has no vehicle '{name}'; it has {', '.join(names[:10])}")
    return names.index(name)
