"""Behaviors that talk: when they hear, on how many hosts, and what they may not send."""

import base64
import json
from pathlib import Path

import jsonschema
import msgspec
import pytest
from mcap.reader import make_reader

from movenv.recording.layouts import BroadcastsRecord
from movenv.recording.reader import Recording
from movenv.runtime.fast import FastRun, updates
from movenv.runtime.recorded import open_recording
from movenv.scenario.build import Run, build
from movenv.scenario.load import load
from movenv.world.behavior import PartFailed

CHATTER = '''
from movenv.parts import BehaviorConfig, Broadcasts, Behavior, SingleVehicleBehavior

class Chatter(Behavior):
    """Says every third tick how much it has heard so far."""
    Config = BehaviorConfig
    def __init__(self, setup):
        self.heard = dict.fromkeys(setup.vids.tolist(), 0)
        self.log = []
    def hear(self, own, inbox, moment):
        assert len(inbox) and set(inbox.vid.tolist()) <= set(own.vid.tolist())
        for i in range(len(inbox)):
            self.heard[int(inbox.vid[i])] += 1
            self.log.append((moment.tick, int(inbox.vid[i]), int(inbox.sender[i]),
                             float(inbox.t_sent[i]), inbox.payload(i)))
    def speak(self, own, others, moment):
        if moment.tick % 3:
            return None
        return Broadcasts(own.vid, [b"%d" % self.heard[int(vid)] for vid in own.vid])

class Greeter(SingleVehicleBehavior):
    Config = BehaviorConfig
    def __init__(self, setup):
        super().__init__(setup)
        self.log = []
    def hear_one(self, me, sender, payload, t_sent, config, moment):
        self.log.append((moment.tick, me.vid, sender, t_sent, payload))
    def speak_one(self, me, others, config, moment):
        if me.vid == 2:
            return None
        return b"I carry %s" % me.payload.get("cargo", "nothing").encode()
'''
SCENARIO = """
name: talk
origin: {lat: 29.0, lon: -81.0}
seed: 3
time: {duration: 3}
areas: {field: {square: 600}}
radio: {range: 200, delay: 0.13, jitter: 0.4, loss: 0.2}
vehicles:
  - name: drone
    vid: 20
    count: 24
    kind: aerial/rotorcraft
    start: {within: field}
    behaviors: {wander: {}, ./talk.py:Chatter: {}}
  - name: car
    count: 12
    kind: ground
    start: {within: field}
    behaviors: {./talk.py:Chatter: {}, wander: {}}
"""
PAIR = """
name: pair
origin: {lat: 29.0, lon: -81.0}
time: {duration: 0.5}
vehicles:
  - {name: a, kind: ground, start: {at: [0, 0]}, payload: {cargo: sand}, behaviors: {BEHAVIOR: {}}}
  - {name: b, kind: ground, start: {at: [50, 0]}, behaviors: {BEHAVIOR: {}}}
"""


def scenario(folder: Path, text: str, code: str = CHATTER) -> Path:
    (folder / "talk.py").write_text(code)
    (folder / "talk.yaml").write_text(text)
    return folder / "talk.yaml"


def logs(run: Run) -> list[tuple[object, ...]]:
    jobs = [job for host in run.hosts for job in host._assignments]
    return sorted(entry for job in jobs for entry in getattr(job.behavior, "log", []))


def test_the_same_is_said_and_heard_on_any_number_of_hosts(tmp_path: Path) -> None:
    file = scenario(tmp_path, SCENARIO)
    told = []
    for hosts in (1, 2, 4):
        run = build(load(str(file)), hosts)
        recording = tmp_path / f"{hosts}.mcap"
        writer = open_recording(recording, run, 1e9, [])
        summary = FastRun(run, [writer]).run()
        writer.close(summary.simulated, summary.as_dict())
        with Recording(recording) as opened:
            opened.verify()
            assert not opened.damage
            told.append((list(opened.broadcasts()), logs(run)))
    assert told[0] == told[1] == told[2]
    broadcasts, heard = told[0]
    assert [record.tick for record in broadcasts] == list(range(1, 31, 3))
    assert all(record.vid == [*range(1, 13), *range(20, 44)] for record in broadcasts)
    assert broadcasts[-1].payload != broadcasts[0].payload
    in_time = sum(sum(record.heard) for record in broadcasts if record.t <= 2.3)
    assert in_time <= len(heard) <= sum(sum(record.heard) for record in broadcasts)
    assert len(heard) > 100


def test_a_reader_that_is_not_ours_finds_what_was_said(tmp_path: Path) -> None:
    run = build(load(str(scenario(tmp_path, PAIR.replace("BEHAVIOR", "./talk.py:Greeter")))))
    writer = open_recording(tmp_path / "said.mcap", run, 1e9, [])
    summary = FastRun(run, [writer]).run()
    writer.close(summary.simulated, summary.as_dict())
    with (tmp_path / "said.mcap").open("rb") as file:
        messages = list(make_reader(file).iter_messages(topics=["/broadcasts"]))
    for k, (schema, _, message) in enumerate(messages, start=1):
        said = json.loads(message.data)
        jsonschema.validate(said, json.loads(schema.data))
        assert message.log_time == round((1e9 + k / 10) * 1e9)
        assert (said["tick"], said["vid"], said["heard"]) == (k, [1], [1])
        assert base64.b64decode(said["payload"][0]) == b"I carry sand"
    assert len(messages) == 5


def test_a_record_that_does_not_fit_together_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="differ in length"):
        msgspec.json.decode(
            b'{"t": 1, "tick": 1, "vid": [1], "heard": [], "payload": []}', type=BroadcastsRecord
        )


def test_what_is_said_in_one_tick_is_heard_in_the_next(tmp_path: Path) -> None:
    run = build(load(str(scenario(tmp_path, PAIR.replace("BEHAVIOR", "./talk.py:Chatter")))))
    seen = list(updates(run))
    assert [len(u.broadcasts) for u in seen] == [0, 2, 0, 0, 2, 0]  # decided at ticks 0 and 3
    assert [u.heard.tolist() for u in seen if len(u.broadcasts)] == [[1, 1], [1, 1]]
    assert logs(run) == [(1, 1, 2, 0.1, b"0"), (1, 2, 1, 0.1, b"0"),
                         (4, 1, 2, 0.4, b"1"), (4, 2, 1, 0.4, b"1")]  # fmt: skip


def test_one_vehicle_at_a_time_can_talk_and_knows_what_it_carries(tmp_path: Path) -> None:
    run = build(load(str(scenario(tmp_path, PAIR.replace("BEHAVIOR", "./talk.py:Greeter")))))
    list(updates(run))
    assert logs(run) == [(k, 2, 1, k / 10, b"I carry sand") for k in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("b'hello'", "speak gave bytes, expected Broadcasts or None"),
        ("Broadcasts([2], [b''])", "speak sends for vid 2, which does not carry it"),
        ("Broadcasts([1, 1], [b''])", "speak gave 2 vids for 1 payloads"),
        ("Broadcasts([1], ['text'])", "vid 1 sends str, expected bytes"),
        ("Broadcasts([1], [bytes(241)])", "vid 1 sends 241 bytes; 240 are the most"),
    ],
)
def test_what_cannot_be_sent_is_refused_in_words(
    tmp_path: Path, returned: str, message: str
) -> None:
    code = (
        "from movenv.parts import Behavior, BehaviorConfig, Broadcasts\n"
        "class Wrong(Behavior):\n    Config = BehaviorConfig\n"
        "    def __init__(self, setup): pass\n"
        f"    def speak(self, own, others, moment): return {returned}\n"
    )
    text = PAIR.replace("BEHAVIOR", "./talk.py:Wrong", 1).replace("BEHAVIOR", "wander")
    with pytest.raises(PartFailed, match="behavior 'wrong' failed at t = 0 s") as caught:
        list(updates(build(load(str(scenario(tmp_path, text, code))))))
    assert message in str(caught.value.__cause__)


def test_behaviors_that_do_not_talk_are_not_asked(tmp_path: Path) -> None:
    text = SCENARIO.replace("./talk.py:Chatter: {}", "periodic_turn: {}")
    jobs = build(load(str(scenario(tmp_path, text)))).hosts[0]._assignments
    assert not any(job.hears or job.speaks for job in jobs)
    code = CHATTER + "\nclass Quiet(SingleVehicleBehavior):\n    Config = BehaviorConfig\n"
    text = PAIR.replace("BEHAVIOR", "./talk.py:Quiet")
    (job,) = build(load(str(scenario(tmp_path, text, code)))).hosts[0]._assignments
    assert not job.hears
    assert not job.speaks
