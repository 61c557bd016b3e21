"""Our sine, cosine and arctangent against the platform's."""

import numpy as np

from movenv.world.kernel import kernel
from movenv.world.trig import arctan, sincos, wrap


@kernel
def both(angle, sine, cosine, wrapped):  # type: ignore[no-untyped-def]
    for i in range(len(angle)):
        sine[i], cosine[i] = sincos(angle[i])
        wrapped[i] = wrap(angle[i])


def test_sine_and_cosine_are_good_to_the_last_place() -> None:
    rng = np.random.default_rng(0)
    angle = np.concatenate([rng.uniform(-10, 10, 100_000), rng.uniform(-1e6, 1e6, 100_000), [0.0]])
    sine, cosine, wrapped = np.empty((3, len(angle)))
    both(angle, sine, cosine, wrapped)
    assert np.abs(sine - np.sin(angle)).max() <= 2.3e-16
    assert np.abs(cosine - np.cos(angle)).max() <= 2.3e-16
    assert np.abs(wrapped).max() <= np.pi
    assert np.abs(np.sin(wrapped) - np.sin(angle)).max() < 1e-9


@kernel
def arctans(x, angle):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        angle[i] = arctan(x[i])


def test_the_arctangent_is_good_to_the_last_places() -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=100_000), 10.0 ** rng.uniform(-12, 12, 10_000), [0.0]])
    angle = np.empty(len(x))
    arctans(x, angle)
    assert np.abs(angle - np.arctan(x)).max() <= 4.5e-16
    arctans(-x, angle)
    assert np.abs(angle + np.arctan(x)).max() <= 4.5e-16
