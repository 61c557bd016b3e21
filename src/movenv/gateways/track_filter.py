"""The compiled part of the tracker: a constant-velocity Kalman filter a vehicle.

Noise is alike on both axes of the ground, so x and y share one covariance: `pp` of the place, `vv`
of the velocity, `pv` between them. z has its own.
"""

import math

import numpy as np

from movenv.world.accuracy import SIGMAS_IN_ACCURACY
from movenv.world.kernel import inline

RECENT = 16
"""Times of the last fixes that are kept."""

TRACK = np.dtype(
    [(name, "f8") for name in (
        # What is expected of it: m/s, m²/s³, 1/s, s, m.
        "max_speed", "usual_speed", "noise", "fading", "stale_after", "default_accuracy",
        # The filter's word at the instant t.
        "t", "x", "y", "vx", "vy", "pp", "pv", "vv", "yaw",
        "z_t", "z", "vz", "z_pp", "z_pv", "z_vv", "z_odd",
        # The newest accepted fix, as it came.
        "sent", "fix_x", "fix_y", "accuracy", "told_accuracy", "battery",
        # Rejected ones that agree: the first and the last of them.
        "rival_t", "rival_x", "rival_y", "rival_accuracy", "last_x", "last_y",
        # Reception.
        "newest", "interval", "expected", "received", "delay", "at", "first_at", "weight",
    )]
    + [(name, "i8") for name in (
        "by_arrival", "by_fix", "firm", "rivals", "intervals", "sequence", "accepted", "rejected",
    )]
    + [("recent", "f8", RECENT)]
)  # fmt: skip
"""One row a vehicle."""

FIX = np.dtype(
    [("row", "i8"), ("sequence", "i8")]
    + [(name, "f8") for name in (
        "at", "time", "x", "y", "alt", "speed", "yaw", "accuracy", "vertical_accuracy", "battery",
    )]
)  # fmt: skip
"""One row a fix: in the local frame, except `alt`, which counts from its origin."""

LEAST_SIGMA = 0.1  # m; who claims less is not believed
SPEED_SIGMA = 0.5  # m/s; of a Doppler speed, on each axis
COURSE_SIGMA = 0.03  # rad; what a course adds, per m/s
ZERO_SIGMA = 1.5  # m/s; many senders say 0 for "not known"
COURSE_FROM = 0.5  # m/s; a slower one has no course
RESTART_AFTER = 10.0  # s
ODD_HEIGHTS = 3  # heights in a row that are far from what was expected become the height
FAR_HEIGHT = 5.0  # sigmas
CLIMB_SHARE = 0.5  # vertical accelerations are half of those on the ground
HEIGHT_SHARE = 1.5  # vertical errors of satellite fixes are larger than those on the ground


@inline
def faded(seconds, fading):  # type: ignore[no-untyped-def]
    """How far a velocity of 1 m/s leads in so many seconds, and what is left of it then."""
    if fading == 0.0:
        return seconds, 1.0
    left = math.exp(-seconds * fading)
    return (1.0 - left) / fading, left


@inline
def sigma_of(accuracy):  # type: ignore[no-untyped-def]
    return max(accuracy / SIGMAS_IN_ACCURACY, LEAST_SIGMA)


@inline
def long_gap(track, seconds):  # type: ignore[no-untyped-def]
    """Whether how it moved before says nothing about now."""
    return seconds > max(track.stale_after, RESTART_AFTER)


@inline
def predicted(track, t):  # type: ignore[no-untyped-def]
    """Place, velocity and covariance at a later instant."""
    seconds = t - track.t
    if long_gap(track, seconds):
        # It stayed where it was last shown, and may have gone anywhere since.
        way, _ = faded(min(seconds, track.stale_after), track.fading)
        pp = track.pp + (track.usual_speed * seconds) ** 2
        x, y = track.x + track.vx * way, track.y + track.vy * way
        return x, y, 0.0, 0.0, pp, 0.0, track.usual_speed**2
    way, left = faded(seconds, track.fading)
    q = track.noise
    pp = track.pp + way * (2.0 * track.pv + way * track.vv) + q * seconds**3 / 3.0
    pv = left * (track.pv + way * track.vv) + q * seconds**2 / 2.0
    vv = left * left * track.vv + q * seconds
    x, y = track.x + track.vx * way, track.y + track.vy * way
    return x, y, track.vx * left, track.vy * left, pp, pv, vv


@inline
def stated_velocity(fix, vx, vy):  # type: ignore[no-untyped-def]
    """The velocity that the sender states and its variance; nan where it states none."""
    speed = fix.speed
    if math.isnan(speed):
        return math.nan, math.nan, 1.0
    if speed == 0.0:
        return 0.0, 0.0, ZERO_SIGMA**2
    if speed < COURSE_FROM:
        return 0.0, 0.0, SPEED_SIGMA**2
    if not math.isnan(fix.yaw):
        variance = SPEED_SIGMA**2 + (COURSE_SIGMA * speed) ** 2
        return speed * math.cos(fix.yaw), speed * math.sin(fix.yaw), variance
    # Without a course it goes where it went, but that is not sure at all.
    went = math.hypot(vx, vy)
    if went == 0.0:
        return math.nan, math.nan, 1.0
    return speed * vx / went, speed * vy / went, SPEED_SIGMA**2 + (0.5 * speed) ** 2


@inline
def placed(x, y, vx, vy, pp, pv, vv, fix, sigma):  # type: ignore[no-untyped-def]
    """The same after the place that a fix states."""
    share, share_v = pp / (pp + sigma**2), pv / (pp + sigma**2)
    east, north = fix.x - x, fix.y - y
    x, y, vx, vy = x + share * east, y + share * north, vx + share_v * east, vy + share_v * north
    return x, y, vx, vy, (1.0 - share) * pp, (1.0 - share) * pv, vv - share_v * pv


@inline
def moved(x, y, vx, vy, pp, pv, vv, fix):  # type: ignore[no-untyped-def]
    """The same after the velocity that a fix states."""
    stated_x, stated_y, variance = stated_velocity(fix, vx, vy)
    if math.isnan(stated_x):
        return x, y, vx, vy, pp, pv, vv
    share, share_v = pv / (vv + variance), vv / (vv + variance)
    east, north = stated_x - vx, stated_y - vy
    x, y, vx, vy = x + share * east, y + share * north, vx + share_v * east, vy + share_v * north
    return x, y, vx, vy, pp - share * pv, (1.0 - share_v) * pv, (1.0 - share_v) * vv


@inline
def _keep(track, t, x, y, vx, vy, pp, pv, vv):  # type: ignore[no-untyped-def]
    track.t, track.x, track.y, track.vx, track.vy = t, x, y, vx, vy
    track.pp, track.pv, track.vv = pp, pv, vv


@inline
def start(track, fix, t, sigma):  # type: ignore[no-untyped-def]
    """Begin at a fix."""
    unknown = track.usual_speed**2
    x, y, vx, vy, pp, pv, vv = moved(fix.x, fix.y, 0.0, 0.0, sigma**2, 0.0, unknown, fix)
    _keep(track, t, x, y, vx, vy, pp, pv, vv)


@inline
def follow(track, fix, t, sigma):  # type: ignore[no-untyped-def]
    """Enter a fix; False, and nothing changed, where it would make the vehicle too fast."""
    x, y, vx, vy, pp, pv, vv = predicted(track, t)
    x, y, vx, vy, pp, pv, vv = placed(x, y, vx, vy, pp, pv, vv, fix, sigma)
    x, y, vx, vy, pp, pv, vv = moved(x, y, vx, vy, pp, pv, vv, fix)
    if math.hypot(vx, vy) > track.max_speed:
        return False
    _keep(track, t, x, y, vx, vy, pp, pv, vv)
    return True


@inline
def turn(track, fix):  # type: ignore[no-untyped-def]
    """Face where it goes, or as before while it stands."""
    if fix.speed >= COURSE_FROM and not math.isnan(fix.yaw):
        track.yaw = fix.yaw
    elif math.hypot(track.vx, track.vy) >= COURSE_FROM:
        track.yaw = math.atan2(track.vy, track.vx)


@inline
def climb(track, fix, t, sigma):  # type: ignore[no-untyped-def]
    """Enter the height of a fix."""
    if math.isnan(fix.alt) or track.by_fix == 0:
        return
    stated = fix.vertical_accuracy
    r = (sigma * HEIGHT_SHARE if math.isnan(stated) else max(stated, LEAST_SIGMA)) ** 2
    seconds = t - track.z_t
    anew = math.isnan(seconds) or long_gap(track, seconds)
    if not anew:
        q = track.noise * CLIMB_SHARE**2
        z = track.z + track.vz * seconds
        pp = track.z_pp + seconds * (2.0 * track.z_pv + seconds * track.z_vv) + q * seconds**3 / 3.0
        pv = track.z_pv + seconds * track.z_vv + q * seconds**2 / 2.0
        vv = track.z_vv + q * seconds
        off = fix.alt - z
        vz = track.vz + pv / (pp + r) * off
        if off * off > FAR_HEIGHT**2 * (pp + r) or abs(vz) > track.max_speed:
            track.z_odd += 1
            if track.z_odd < ODD_HEIGHTS:
                return
            anew = True
    track.z_t, track.z_odd = t, 0
    if anew:
        track.z, track.vz = fix.alt, 0.0
        track.z_pp, track.z_pv, track.z_vv = r, 0.0, (CLIMB_SHARE * track.usual_speed) ** 2
        return
    share = pp / (pp + r)
    track.z, track.vz, track.z_vv = z + share * off, vz, vv - pv * pv / (pp + r)
    track.z_pp, track.z_pv = (1.0 - share) * pp, (1.0 - share) * pv
