"""Recorded packets through today's tracker, also of formats that need what came before."""

from pathlib import Path

import numpy as np

from movenv.gateways.fix import sound_fix
from movenv.gateways.inlet import Inlet
from movenv.gateways.nmea.codec import encode_nmea
from movenv.gateways.nmea.gateway import NmeaGateway
from movenv.gateways.part import Surroundings
from movenv.recording.layouts import PACKETS, encoded
from movenv.recording.reader import Recording
from movenv.recording.writer import RecordingWriter
from movenv.runtime.live.real_vehicles import RealVehicles
from movenv.runtime.recorded import run_record
from movenv.runtime.retrack import Retrack
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.messages import Report
from movenv.world.run_state import RunState

BEGIN = 1_800_000_000.0
SCENARIO = """
name: boat
origin: {lat: 29.193111, lon: -81.046171}
vehicles:
  - {name: boat, vid: 7, kind: surface, live: {type: nmea, port: 47300}}
"""


def test_sentences_in_datagrams_of_their_own_are_joined_again(tmp_path: Path) -> None:
    (tmp_path / "boat.yaml").write_text(SCENARIO)
    stage = Stage(load(str(tmp_path / "boat.yaml")))
    (boat,) = stage.real
    now = BEGIN
    inlet = Inlet(lambda: now)
    gateway = NmeaGateway([boat.entry], inlet, Surroundings())
    vehicles = RealVehicles(stage.frame, [boat.entry], inlet)
    core = stage.core()
    core.resume(RunState.GO)
    path = tmp_path / "boat.mcap"
    writer = RecordingWriter(path, run_record(stage, BEGIN, [], ""))
    for tick in range(1, 31):
        now = BEGIN + tick
        lat, lon, _ = stage.frame.to_geodetic(2.0 * tick, 0.0)
        fix = sound_fix(float(lat), float(lon), time=now, speed=2.0, course=90.0, alt=0.0)
        for sentence in encode_nmea(fix).splitlines():
            gateway._datagram(sentence + b"\r\n", "10.0.0.5:4000", 47300)
        vehicles.listen()
        motions, receptions = vehicles.state(now)
        t = stage.time.t(tick)
        if len(motions):
            core.take(Report("g", tick, t, RunState.GO, motions, receptions=receptions))
        for topic, data in encoded(core.tick(tick, t), now + 0.01):
            writer.put(topic, t, data)
        for packet in vehicles.news()[0]:
            writer.put(PACKETS, t, packet)
    writer.abandon()
    with Recording(path) as recording:
        again = Retrack(recording, stage)
        moments = list(again.moments())
    boat_now = again.comparisons[7]
    assert len(moments) == 30
    assert boat_now.accepted_then == boat_now.accepted_now >= 29
    assert np.max(boat_now.apart) < 0.2
