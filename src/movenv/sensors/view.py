"""Pictures by casting a ray through each pixel; for cameras."""

import math
from typing import NamedTuple

import numpy as np

from movenv.sensors.crowd import solid_met
from movenv.terrain.seen import Seen
from movenv.world.columns import F8
from movenv.world.kernel import inline, kernel

SUN = (0.35, -0.55, 0.76)
"""Where it stands: in the south-east, half way up; of length 1."""
SHADE = 0.55
"""How bright it is where the sun does not shine."""
HORIZON, ZENITH = (206.0, 218.0, 230.0), (104.0, 150.0, 208.0)
"""Colours of the sky."""
HAZE = 900.0
"""At such a distance, m, two thirds of a colour are lost to the horizon's."""
MOTTLED, MOTTLED_UNTIL = 0.1, 60.0
"""How much ground differs in brightness from metre to metre, so that one sees it pass; and to what
distance, m: farther off it would flicker."""
GROUND, SKY, KERB, WATER, VEHICLE = (
    int(seen) for seen in (Seen.GROUND, Seen.SKY, Seen.KERB, Seen.WATER, Seen.VEHICLE)
)


class View(NamedTuple):
    """A camera at the instant of a picture."""

    place: F8
    axes: F8
    """(3, 3): its forward, left and up are the columns."""
    width: int
    height: int
    focal: float


@kernel
def aim(view, first, last, rays):  # type: ignore[no-untyped-def]
    """The rays of rows `first` to `last` - 1, of length 1: (pixels, 6)."""
    axes = view.axes
    for row in range(first, last):
        up = (0.5 * view.height - row - 0.5) / view.focal
        for column in range(view.width):
            left = (0.5 * view.width - column - 0.5) / view.focal
            per = 1.0 / math.sqrt(1.0 + left * left + up * up)
            k = (row - first) * view.width + column
            for axis in range(3):
                rays[k, axis] = view.place[axis]
                toward = axes[axis, 0] + left * axes[axis, 1] + up * axes[axis, 2]
                rays[k, 3 + axis] = toward * per


@inline
def _bounds(middle, ahead, radius, focal, size):  # type: ignore[no-untyped-def]
    """The first and last pixel along an axis that something within a radius can be in."""
    if ahead <= 1.01 * radius:
        return 0, size - 1
    least, most = middle - radius, middle + radius
    near, far = ahead - radius, ahead + radius
    low = 0.5 * size - focal * max(most / near, most / far) - 1.0
    high = 0.5 * size - focal * min(least / near, least / far) + 1.0
    return int(min(max(low, 0.0), size)), int(max(min(high, size - 1.0), -1.0))


@kernel
def meet_solids(view, solids, gone, vid, first, last, rays, far, met, who):  # type: ignore[no-untyped-def]
    """Shorten rays to the others' boxes where they were at an instant; `who` are their rows."""
    axes = view.axes
    for c in range(len(solids.west)):
        if solids.vid[c] == vid:
            continue
        x = solids.middle[c, 0] + gone * solids.velocity[c, 0] - view.place[0]
        y = solids.middle[c, 1] + gone * solids.velocity[c, 1] - view.place[1]
        z = solids.middle[c, 2] + gone * solids.velocity[c, 2] - view.place[2]
        ahead = axes[0, 0] * x + axes[1, 0] * y + axes[2, 0] * z
        left = axes[0, 1] * x + axes[1, 1] * y + axes[2, 1] * z
        up = axes[0, 2] * x + axes[1, 2] * y + axes[2, 2] * z
        if not ahead > -solids.radius[c]:
            continue
        left_most, right_most = _bounds(left, ahead, solids.radius[c], view.focal, view.width)
        top, bottom = _bounds(up, ahead, solids.radius[c], view.focal, view.height)
        for row in range(max(top, first), min(bottom, last - 1) + 1):
            for column in range(left_most, right_most + 1):
                k = (row - first) * view.width + column
                on = solid_met(
                    solids, c, gone, rays[k, 0], rays[k, 1], rays[k, 2],
                    rays[k, 3], rays[k, 4], rays[k, 5],
                )  # fmt: skip
                if on < far[k]:
                    far[k], met[k], who[k] = on, solids.seen[c], c


@kernel
def places_met(rays, far, x, y):  # type: ignore[no-untyped-def]
    """Where rays end on the map; nan for those that do not."""
    for k in range(len(far)):
        on = far[k] if far[k] < math.inf else math.nan
        x[k], y[k] = rays[k, 0] + on * rays[k, 3], rays[k, 1] + on * rays[k, 4]


@kernel
def name_ground(ground, paint, x, y, layer, met):  # type: ignore[no-untyped-def]
    """What lies where ground was met: by its layer, or what the map of heights has there."""
    rows, columns = paint.cells.shape
    for k in range(len(met)):
        if met[k] == GROUND:
            i = math.floor((x[k] - ground.west) / ground.cell)
            j = math.floor((y[k] - ground.south) / ground.cell)
            met[k] = paint.seen[layer[k]]
            if 0 <= i < columns and 0 <= j < rows and paint.cells[j, i] != GROUND:
                met[k] = paint.cells[j, i]


@inline
def _step(far, rays, k, step, back, fore):  # type: ignore[no-untyped-def]
    """From where ray k ends to where its neighbour does, the one at about the same distance."""
    toward, away = math.inf, math.inf
    if fore:
        toward = abs(far[k + step] - far[k])
    if back:
        away = abs(far[k - step] - far[k])
    other, sign = (k + step, 1.0) if toward <= away else (k - step, -1.0)
    if not min(toward, away) < math.inf:
        return 0.0, 0.0, 0.0
    return (
        sign * (far[other] * rays[other, 3] - far[k] * rays[k, 3]),
        sign * (far[other] * rays[other, 4] - far[k] * rays[k, 4]),
        sign * (far[other] * rays[other, 5] - far[k] * rays[k, 5]),
    )


@inline
def _sunlight(far, rays, k, width, height):  # type: ignore[no-untyped-def]
    """How bright the surface is that ray k meets: from its neighbours comes how it lies."""
    row, column = k // width, k % width
    ax, ay, az = _step(far, rays, k, 1, column > 0, column < width - 1)
    bx, by, bz = _step(far, rays, k, width, row > 0, row < height - 1)
    nx, ny, nz = by * az - bz * ay, bz * ax - bx * az, bx * ay - by * ax
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if not length > 0.0:
        return SHADE
    # Toward the camera, whichever way the neighbours went.
    sign = -1.0 if nx * rays[k, 3] + ny * rays[k, 4] + nz * rays[k, 5] > 0.0 else 1.0
    lit = sign * (nx * SUN[0] + ny * SUN[1] + nz * SUN[2]) / length
    return SHADE + (1.0 - SHADE) * max(lit, 0.0)


@inline
def _mottle(x, y, far):  # type: ignore[no-untyped-def]
    """A brightness of each square metre of ground."""
    if far > MOTTLED_UNTIL:
        return 1.0
    i, j = np.int64(math.floor(x)), np.int64(math.floor(y))
    mixed = (i * 73_856_093 ^ j * 19_349_663) * 2_654_435_761
    share = ((mixed >> 16) & 255) / 255.0
    return 1.0 + MOTTLED * (share - 0.5) * (1.0 - far / MOTTLED_UNTIL)


@kernel
def shade(view, paint, first, last, rays, far, met, layer, x, y, tints, who, pixels):  # type: ignore[no-untyped-def]
    """Make pixels of rows `first` to `last` - 1 from what was met in all of them."""
    width, height, axes = view.width, view.height, view.axes
    for k in range(first * width, last * width):
        dx, dy, dz = rays[k, 3], rays[k, 4], rays[k, 5]
        pixel = pixels[k // width, k % width]
        pixel.seen = met[k]
        ahead = dx * axes[0, 0] + dy * axes[1, 0] + dz * axes[2, 0]
        pixel.depth = far[k] * ahead
        high = math.sqrt(min(max(dz, 0.0), 1.0))
        if met[k] == SKY:
            for c in range(3):
                pixel.colour[c] = np.uint8(HORIZON[c] + high * (ZENITH[c] - HORIZON[c]))
            continue
        light = _sunlight(far, rays, k, width, height)
        clear = math.exp(-far[k] / HAZE)
        if met[k] <= WATER and met[k] != GROUND:
            colour = paint.by_class[met[k]]
        else:
            colour = paint.colours[layer[k]]
        if met[k] < KERB:
            light *= _mottle(x[k], y[k], far[k])
        if met[k] >= VEHICLE:
            colour = tints[who[k]]
        for c in range(3):
            near = min(colour[c] * light * 1.08, 255.0)
            pixel.colour[c] = np.uint8(clear * near + (1.0 - clear) * HORIZON[c])
