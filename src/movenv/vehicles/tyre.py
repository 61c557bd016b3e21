"""The tyre: a tread that lags behind, and pulls the more the further it lags.

With forward speed V of the hub, sliding velocity s = (V - R spin, sideways speed) of the tread and
relaxation length L, the lag z of the tread (along its way and to the left) obeys

    dz/dt = -s - z (|V| + |s|) / L

Rolling, z / L settles at slip / (1 + |slip|); standing, the tread is a spring, which is why a
parked car stays where it is. The force follows the slip that the lag stands for,
slip = (z/L) / (1 - |z/L|), by a curve f that has its peak 1 at the extremum:

    by extremum and asymptote: f(r) = 2 r - r² up to r = 1 (the extremum's slip), then smoothly
    down to the asymptote's share where its slip is reached, and level beyond;
    Pacejka: f(r) = sin(C arctan(q - E (q - arctan q))), q = r / C = B slip.

Slip along and across is scaled to r = (rx, ry) and shares one curve, whose shape is that of the
axis in pure slip and blends in between: F = N mu f(|r|) r / |r|. Grip of the ground scales the
greatest force and leaves the stiffness against small slip as it is.
"""

import math

from movenv.world.kernel import inline
from movenv.world.rk4 import clip
from movenv.world.trig import arctan, sincos

SETTLING = 1.0 / 30.0
"""The tread of a standing wheel damps its own swing within so many seconds a metre of length."""
SETTLED_SPEED = 2.0
"""Above this speed, m/s, it no longer does."""
FASTEST_EASE = 1500.0
"""A tread settles no faster than this, 1/s, however fast its wheel spins in the air."""
MOST_LAG = 0.98
LEAST_SLIP = 1e-12
LEAST_LOAD_SHARE = 0.3


@inline
def _curve(r, along, car):  # type: ignore[no-untyped-def]
    """Share of the greatest force at a scaled slip, `along` of which is along the way."""
    shape = car.shape_y + along * (car.shape_x - car.shape_y)
    tail = car.tail_y + along * (car.tail_x - car.tail_y)
    steep = r / shape
    bent, _ = sincos(shape * arctan(steep - tail * (steep - arctan(steep))))
    beyond = clip((r - 1.0) / (shape - 1.0), 0.0, 1.0)
    falling = 1.0 - (1.0 - tail) * beyond * beyond * (3.0 - 2.0 * beyond)
    splined = r * (2.0 - r) if r < 1.0 else falling
    return bent if car.magic > 0.5 else splined


@inline
def tyre_force(forward, tread, aside, stretch, lean, load, grip, car):  # type: ignore[no-untyped-def]
    """Force along and to the left, and the rates of the tread's lag.

    `forward` and `aside` are the hub's velocity, `tread` the speed of the tread, `car` its columns.
    """
    slide = forward - tread
    ease = (abs(forward) + math.sqrt(slide * slide + aside * aside)) / car.relaxation
    pace = min(1.0, FASTEST_EASE / (ease + LEAST_SLIP))
    stretch_rate = -pace * (slide + stretch * ease)
    lean_rate = -pace * (aside + lean * ease)
    damping = SETTLING * car.relaxation / (1.0 + (forward / SETTLED_SPEED) ** 2)
    lag_x = (stretch + damping * stretch_rate) / car.relaxation
    lag_y = (lean + damping * lean_rate) / car.relaxation
    lag = min(math.sqrt(lag_x * lag_x + lag_y * lag_y), MOST_LAG)
    scale = 1.0 / ((1.0 - lag) * grip)
    x, y = car.stiff_x * lag_x * scale, car.stiff_y * lag_y * scale
    square = x * x + y * y + LEAST_SLIP * LEAST_SLIP
    r = math.sqrt(square)
    share = _curve(r, x * x / square, car)
    softened = max(1.0 - car.load_sensitivity * (load / car.usual_load - 1.0), LEAST_LOAD_SHARE)
    pull = load * grip * softened * share / r
    return car.friction_x * pull * x, car.friction_y * pull * y, stretch_rate, lean_rate
