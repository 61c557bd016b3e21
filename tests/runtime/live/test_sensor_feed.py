"""What sensors measure goes to those who listen, and to nobody else."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from movenv.runtime.live.bus import Bus, sensor_key
from movenv.runtime.live.sensor_feed import SensorFeed, SensorMessage, decoded, messages
from movenv.runtime.live.wire import Garbled
from movenv.scenario.build import Stage
from movenv.scenario.load import load
from movenv.world.sensor import PIXEL, ImageLayout, Readings, ScanLayout

from .processes import free_port, wait_until

LAYOUT = ScanLayout(3, -1.0, 1.0, 0.001, 0.025, 0.1, 10.0, (0.2, 0.0, 0.0))


def readings(values: np.ndarray, scan: ScanLayout | None, *fields: str) -> Readings:
    numbers = np.arange(1, values.shape[1] + 1)
    name = "scanner" if scan else "wheels"
    return Readings(name, np.array([1], np.uint32), numbers, numbers / 40, values, fields, scan)


def test_a_message_has_the_very_bits() -> None:
    values = np.array([[[1.5, np.nan, np.inf], [0.0, 2.0, 3.0]]], np.float32)
    (message,) = messages(readings(values, LAYOUT), np.array([0]), "run")
    back = decoded(message.encoded())
    assert back.table().tobytes() == values[0].tobytes()
    assert back.scan == LAYOUT
    assert (back.numbers, back.stamps, back.vid) == ([1, 2], [1 / 40, 2 / 40], 1)


@pytest.mark.parametrize(
    "change", [{"width": 4}, {"precision": 2}, {"numbers": [1]}, {"stamps": []}, {"values": b"x"}]
)
def test_what_does_not_fit_together_is_garbled(change: dict) -> None:
    values = np.zeros((1, 2, 3), np.float32)
    (message,) = messages(readings(values, LAYOUT), np.array([0]), "run")
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(Garbled):
        decoded(message.encoded())


def pictures(*stamps: float) -> Readings:
    """The left half red, the right half blue."""
    values = np.zeros((1, len(stamps), 24, 32), PIXEL)
    values["colour"][..., :16, 0] = values["colour"][..., 16:, 2] = 200
    layout, numbers = ImageLayout(32, 24, 20.0), np.arange(len(stamps))
    return Readings(
        "eye", np.array([1], np.uint32), numbers, np.array(stamps), values, image=layout
    )


def test_a_picture_is_a_jpeg_of_the_newest() -> None:
    (message,) = messages(pictures(0.1, 0.2), np.array([0]), "run")
    back = decoded(message.encoded())
    assert (back.image, back.stamps, back.numbers) == (ImageLayout(32, 24, 20.0), [0.2], [1])
    seen = np.asarray(Image.open(BytesIO(back.values))).astype(int)
    assert seen.shape == (24, 32, 3)
    np.testing.assert_allclose(seen[:, 4:12], np.broadcast_to([200, 0, 0], (24, 8, 3)), atol=12)
    np.testing.assert_allclose(seen[:, 20:28], np.broadcast_to([0, 0, 200], (24, 8, 3)), atol=12)


def test_a_picture_that_is_lost_is_not_sent() -> None:
    lost = pictures(0.1)
    lost.values["depth"] = np.nan
    assert not list(messages(lost, np.array([0]), "run"))


@pytest.mark.parametrize("change", [{"values": b"GIF89a"}, {"numbers": []}, {"stamps": [1.0, 2.0]}])
def test_a_picture_that_is_none_is_garbled(change: dict) -> None:
    (message,) = messages(pictures(0.1), np.array([0]), "run")
    for name, value in change.items():
        setattr(message, name, value)
    with pytest.raises(Garbled):
        decoded(message.encoded())


def test_only_what_somebody_listens_to_is_sent() -> None:
    stage = Stage(load("hybrid-f110"), real=False)
    address = f"tcp/127.0.0.1:{free_port()}"
    heard: list[SensorMessage] = []
    with Bus.listen([address], None), Bus.connect(address) as host, Bus.connect(address) as other:
        feed = SensorFeed(host, stage, np.array([0]), "run")
        scan = readings(np.ones((1, 2, 3), np.float32), LAYOUT)
        wheels = readings(np.ones((1, 2, 1)), None, "speed")
        feed.publish([scan, wheels])
        other.hear(sensor_key(1, "scanner"), lambda _, data: heard.append(decoded(data)))

        def sent() -> bool:
            feed.publish([scan, wheels])
            return bool(heard)

        wait_until(sent)
        same = [scan, wheels]
        feed.publish(same)
        count = len(heard)
        feed.publish(same)  # of the same tick: not again
        wait_until(lambda: len(heard) >= count)
    assert {message.sensor for message in heard} == {"scanner"}
