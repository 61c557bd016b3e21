"""The velocity nearest to a wished one that lies in many half-planes and within a speed.

A small quadratic programme in two dimensions, one for each vehicle and tick. A half-plane is a row
(a, b, c): velocities v with a·v_x + b·v_y >= c, where (a, b) has length 1.
"""

import math

from movenv.world.kernel import kernel

PARALLEL = 1e-9
"""Sine of the angle below which two lines count as parallel."""
HALVINGS = 14
"""How often the range of the smallest violation is halved."""
SLACK = 1e-9
"""A half-plane counts as met within this, m/s."""


@kernel
def _on_line(planes, k, wish_x, wish_y, fastest):  # type: ignore[no-untyped-def]
    """The nearest velocity on the border of half-plane k that meets those before it."""
    a, b, c = planes[k, 0], planes[k, 1], planes[k, 2]
    spare = fastest * fastest - c * c
    if spare < 0.0:
        return False, 0.0, 0.0
    # Along the border: v = c·(a, b) + t·(-b, a).
    high = math.sqrt(spare)
    low = -high
    for m in range(k):
        along = -b * planes[m, 0] + a * planes[m, 1]
        room = planes[m, 2] - c * (a * planes[m, 0] + b * planes[m, 1])
        if abs(along) < PARALLEL:
            if room > SLACK:
                return False, 0.0, 0.0
            continue
        t = room / along
        if along > 0.0:
            low = max(low, t)
        else:
            high = min(high, t)
        if low > high + SLACK:
            return False, 0.0, 0.0
    t = min(max(-b * wish_x + a * wish_y, low), high)
    return True, c * a - t * b, c * b + t * a


@kernel
def in_all(planes, first, count, x, y):  # type: ignore[no-untyped-def]
    """Whether a velocity is in the half-planes from `first` to before `count`."""
    for k in range(first, count):
        if planes[k, 0] * x + planes[k, 1] * y < planes[k, 2] - SLACK:
            return False
    return True


@kernel
def nearest_in_all(planes, count, wish_x, wish_y, fastest):  # type: ignore[no-untyped-def]
    """Whether the first `count` half-planes have a velocity in common, and the nearest of those."""
    speed = math.sqrt(wish_x * wish_x + wish_y * wish_y)
    share = fastest / speed if speed > fastest else 1.0
    x, y = wish_x * share, wish_y * share
    for k in range(count):
        if planes[k, 0] * x + planes[k, 1] * y >= planes[k, 2] - SLACK:
            continue
        found, x, y = _on_line(planes, k, wish_x, wish_y, fastest)
        if not found:
            return False, 0.0, 0.0
    return True, x, y


@kernel
def nearest_velocity(planes, hard, count, wish_x, wish_y, fastest, eased):  # type: ignore[no-untyped-def]
    """The nearest velocity in all half-planes, else one that violates the worst of them least.

    The first `hard` half-planes are never violated; standing still must meet them.
    `eased` is room for as many half-planes.
    """
    found, x, y = nearest_in_all(planes, count, wish_x, wish_y, fastest)
    if found:
        return x, y
    most = 0.0
    for k in range(hard, count):
        most = max(most, planes[k, 2])  # what standing still violates
    least = 0.0
    x, y = 0.0, 0.0
    eased[:count] = planes[:count]
    for _ in range(HALVINGS):
        middle = 0.5 * (least + most)
        for k in range(hard, count):
            eased[k, 2] = planes[k, 2] - middle
        found, to_x, to_y = nearest_in_all(eased, count, wish_x, wish_y, fastest)
        if found:
            most, x, y = middle, to_x, to_y
        else:
            least = middle
    return x, y
