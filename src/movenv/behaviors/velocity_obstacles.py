"""Half-planes of velocities that keep clear of a disc or of a wall for some time.

Of two discs that see each other, with place p of the other, velocity v of this one relative to it
and sum of radii R, the velocity obstacle is the set of v that bring them together within tau
seconds: a cone toward the disc of radius R at p, cut off by the disc of radius R / tau at p / tau.
The least change of v that leaves it is shared by the two (optimal reciprocal collision avoidance,
van den Berg, Guy, Lin and Manocha 2011).
"""

import math

from movenv.world.kernel import kernel

TO_THE_RIGHT = 0.1
"""Passing with the other on the left is taken to be easier by this share of the closing speed, so
that both choose it where neither side is much better."""
TOUCHING = 0.5
"""Discs that overlap are to part within this time, s."""


@kernel
def disc_half_plane(px, py, vx, vy, rvx, rvy, apart, tau, share):  # type: ignore[no-untyped-def]
    """The half-plane (a, b, c) of own velocities toward a disc at p.

    `v` is the own velocity, `rv` the one relative to the other, `apart` the sum of radii, and
    `share` the part of the change that is one's own.
    """
    far = math.sqrt(px * px + py * py)
    if far <= apart:
        # They overlap, or nearly: part.
        a, b = (-px / far, -py / far) if far > 1e-9 else (1.0, 0.0)
        return a, b, a * vx + b * vy + share * ((apart - far) / TOUCHING - a * rvx - b * rvy)
    wx, wy = rvx - px / tau, rvy - py / tau
    w = math.sqrt(wx * wx + wy * wy)
    along = wx * px + wy * py
    if along < 0.0 and along * along > apart * apart * w * w:
        a, b = wx / w, wy / w
        return a, b, a * vx + b * vy + share * (apart / tau - w)
    sine = apart / far
    cosine = math.sqrt(1.0 - sine * sine)
    ux, uy = px / far, py / far
    # Outward normals of the cone's sides: the direction of p, turned by a right angle and more.
    left_x, left_y = -ux * sine - uy * cosine, -uy * sine + ux * cosine
    right_x, right_y = -ux * sine + uy * cosine, -uy * sine - ux * cosine
    left = left_x * rvx + left_y * rvy
    right = right_x * rvx + right_y * rvy
    if left > right + TO_THE_RIGHT * math.sqrt(rvx * rvx + rvy * rvy):
        return left_x, left_y, left_x * vx + left_y * vy - share * left
    return right_x, right_y, right_x * vx + right_y * vy - share * right


@kernel
def nearest_on_edge(x, y, ax, ay, bx, by):  # type: ignore[no-untyped-def]
    """The place on an edge that is nearest to (x, y)."""
    ex, ey = bx - ax, by - ay
    square = ex * ex + ey * ey
    share = ((x - ax) * ex + (y - ay) * ey) / square if square > 0.0 else 0.0
    share = min(max(share, 0.0), 1.0)
    return ax + share * ex, ay + share * ey


@kernel
def wall_half_plane(x, y, radius, ax, ay, bx, by, tau):  # type: ignore[no-untyped-def]
    """The half-plane of velocities that keep a disc at (x, y) off an edge for tau seconds.

    Standing still is always among them.
    """
    near_x, near_y = nearest_on_edge(x, y, ax, ay, bx, by)
    gap_x, gap_y = x - near_x, y - near_y
    far = math.sqrt(gap_x * gap_x + gap_y * gap_y)
    if far < 1e-9:
        return 1.0, 0.0, 0.0
    return gap_x / far, gap_y / far, min(-(far - radius) / tau, 0.0)
