"""Whether a fix is believed, and how well its sender is heard. Compiled, for batches of fixes."""

import math
from enum import IntEnum

from movenv.gateways.track_filter import RECENT, climb, follow, long_gap, sigma_of, start, turn
from movenv.world.kernel import inline, kernel


class Outcome(IntEnum):
    """What became of a fix."""

    ACCEPTED = 0
    REPEATED = 1
    OUT_OF_ORDER = 2
    FUTURE = 3
    TOO_OLD = 4
    TOO_FAST = 5
    """It states, or amounts to, a speed that its kind does not reach."""
    TOO_FAR = 6
    """Its kind cannot have got there from the place before."""
    TOO_COARSE = 7
    """A better one is still fresh."""
    OFF_THE_MAP = 8

    @property
    def words(self) -> str:
        return _WORDS.get(self, self.name.replace("_", " ").lower())


_WORDS = {Outcome.FUTURE: "from the future"}

AHEAD = 2.0  # s; by so much a sender's clock may be ahead
OLDEST = 3600.0  # s; older ones come from a clock in another time zone, not out of a dead zone
SAME_FIX = 0.97  # s; the very same place again before that is the same fix sent again
COARSE = 200.0  # m; a fix from cell towers, not satellites
CIRCLES = 2.0  # so many accuracies may the places of two fixes be off
ROUNDING = 0.5  # s; by so much the time between two fixes may be off
JITTER = 2.0  # s; the same where arrival tells the time
AGREEING = 3  # rejected fixes in a row that agree become the truth
FORGOTTEN = 600.0  # s; after such a silence it may be anywhere
MAP = 1e6  # m from the origin

KEEP = 63.0 / 64.0  # loss is that of the last 64 packets or so
FIRST_INTERVALS = 8  # the least of them is the usual one, until more are known
BELOW = 0.4  # the usual interval is the one that so many are below
STEP = 0.05
SAME_INSTANT = 1e-3  # s
NEW_COUNT = 1000  # a sequence number that is so much lower begins anew
DELAY_SHARE = 0.1
RATE_TIME = 10.0  # s; the rate is that of the last ten seconds or so


@inline
def _expect(track, packets):  # type: ignore[no-untyped-def]
    """One packet came where so many should have."""
    kept = KEEP**packets
    track.expected = track.expected * kept + (1.0 - kept) / (1.0 - KEEP)
    track.received = track.received * kept + 1.0


@inline
def _count_by_number(track, number, later):  # type: ignore[no-untyped-def]
    ahead = number - track.sequence
    if track.sequence < 0 or ahead < -NEW_COUNT or (ahead < 0 and later):
        track.sequence = number
    elif ahead > 0:
        _expect(track, ahead)
        track.sequence = number
    elif ahead < 0:
        track.received += 1.0


@inline
def _count_by_gaps(track, t, seconds):  # type: ignore[no-untyped-def]
    """Learn the usual interval from the nearest in time among the last ones, whatever their order.

    A gap as long as several of them means that some are missing.
    """
    nearest = math.inf
    for k in range(RECENT):
        nearest = min(nearest, abs(t - track.recent[k]))
    if nearest < SAME_INSTANT:
        return
    track.recent[track.intervals % RECENT] = t
    track.intervals += 1
    if track.intervals <= FIRST_INTERVALS:
        track.interval = min(nearest, track.interval)
        return
    track.interval *= math.exp(STEP * (BELOW - (1.0 if nearest < track.interval else 0.0)))
    if seconds > 0.0:
        _expect(track, max(round(seconds / track.interval), 1.0))
    else:
        track.received += 1.0


@inline
def _count_packet(track, fix, t):  # type: ignore[no-untyped-def]
    """Estimate the loss: from the sender's count, or else from gaps in what it sends."""
    later = math.isnan(track.newest) or t > track.newest
    if fix.sequence >= 0:
        _count_by_number(track, fix.sequence, later)
    else:
        _count_by_gaps(track, t, t - track.newest)
    if later:
        track.newest = t


@inline
def _count_accepted(track, fix, sent):  # type: ignore[no-untyped-def]
    """Keep delay and rate up to date."""
    if track.accepted == 0:
        track.first_at, track.at = fix.at, fix.at
    track.accepted += 1
    track.weight = track.weight * math.exp(-max(fix.at - track.at, 0.0) / RATE_TIME) + 1.0
    track.at = max(fix.at, track.at)
    if not math.isnan(sent):
        delay = max(fix.at - sent, 0.0)
        share = 1.0 if math.isnan(track.delay) else max(DELAY_SHARE, 1.0 / track.accepted)
        track.delay = delay if share == 1.0 else track.delay + share * (delay - track.delay)


@inline
def _wins(track, fix, t, accuracy, slack):  # type: ignore[no-untyped-def]
    """Remember a rejected fix; True when enough agree to be believed after all.

    The very same place over and over is a leftover rather than a fix. It cannot win against a
    place that several different fixes have vouched for.
    """
    if track.rivals > 0:
        if fix.x == track.last_x and fix.y == track.last_y and track.firm >= AGREEING:
            return False
        circles = CIRCLES * math.hypot(accuracy, track.rival_accuracy)
        reach = track.max_speed * (t - track.rival_t + slack) + circles
        if t >= track.rival_t and math.hypot(fix.x - track.rival_x, fix.y - track.rival_y) <= reach:
            track.rivals += 1
        else:
            track.rivals = 0
    if track.rivals == 0:
        track.rivals, track.rival_t, track.rival_accuracy = 1, t, accuracy
        track.rival_x, track.rival_y = fix.x, fix.y
    track.last_x, track.last_y = fix.x, fix.y
    return track.rivals >= AGREEING


@inline
def _enter(track, fix, t, accuracy, slack):  # type: ignore[no-untyped-def]
    """Judge a fix in good time and order by what the vehicle can do, and let the filter have it."""
    sigma = sigma_of(accuracy)
    if track.accepted == 0:
        track.firm = 1
        start(track, fix, t, sigma)
        return Outcome.ACCEPTED
    seconds = t - track.t
    way = math.hypot(fix.x - track.fix_x, fix.y - track.fix_y)
    circles = CIRCLES * math.hypot(accuracy, track.accuracy)
    outcome = Outcome.ACCEPTED
    if way > track.max_speed * (seconds + slack) + circles:
        outcome = Outcome.TOO_FAR
    elif track.by_arrival == 0 and fix.time == track.sent:
        return Outcome.REPEATED
    elif accuracy > COARSE >= track.accuracy and not long_gap(track, seconds):
        return Outcome.TOO_COARSE
    elif not follow(track, fix, t, sigma):
        outcome = Outcome.TOO_FAST
    if outcome == Outcome.ACCEPTED:
        if way > 0.0:
            track.firm, track.rivals = min(track.firm + 1, AGREEING), 0
        return outcome
    known = track.rivals > 0 and fix.x == track.last_x and fix.y == track.last_y
    lost = seconds > FORGOTTEN and not known
    if _wins(track, fix, t, accuracy, slack) or lost:
        track.firm, track.rivals = 1 if lost else AGREEING, 0
        start(track, fix, t, sigma)
        return Outcome.ACCEPTED
    return outcome


@inline
def _set_back(track, t):  # type: ignore[no-untyped-def]
    """This machine's clock was set back: nothing was heard later than now."""
    track.t, track.at, track.first_at, track.sent = t, t, min(track.first_at, t), math.nan
    track.newest = t
    if not math.isnan(track.z_t):
        track.z_t = t


@inline
def _judge(track, fix):  # type: ignore[no-untyped-def]
    if not (abs(fix.x) <= MAP and abs(fix.y) <= MAP):
        return Outcome.OFF_THE_MAP
    told = not math.isnan(fix.time) and track.by_arrival == 0
    if told and fix.time > fix.at + AHEAD:
        return Outcome.FUTURE
    t = min(fix.time, fix.at) if told else fix.at
    if fix.at - t > OLDEST:
        return Outcome.TOO_OLD
    if track.accepted > 0 and track.t > fix.at + AHEAD:
        _set_back(track, t)
    _count_packet(track, fix, t)
    if track.accepted > 0:
        if t < track.t:
            return Outcome.OUT_OF_ORDER
        again = t - track.t < SAME_FIX or fix.time == track.sent
        if again and fix.x == track.fix_x and fix.y == track.fix_y:
            return Outcome.REPEATED
    if fix.speed > track.max_speed:
        return Outcome.TOO_FAST
    accuracy = track.default_accuracy if math.isnan(fix.accuracy) else fix.accuracy
    outcome = _enter(track, fix, t, accuracy, ROUNDING if told else JITTER)
    if outcome == Outcome.ACCEPTED:
        turn(track, fix)
        climb(track, fix, t, sigma_of(accuracy))
        _count_accepted(track, fix, fix.time if told else math.nan)
        track.sent, track.fix_x, track.fix_y = fix.time, fix.x, fix.y
        track.accuracy, track.told_accuracy = accuracy, fix.accuracy
    return outcome


@kernel
def judge(tracks, fixes, outcomes):  # type: ignore[no-untyped-def]
    """Enter fixes in this order; fills in the outcome of each."""
    for k in range(len(fixes)):
        fix = fixes[k]
        track = tracks[fix.row]
        outcome = _judge(track, fix)
        outcomes[k] = outcome
        if outcome != Outcome.ACCEPTED:
            track.rejected += 1
        if not math.isnan(fix.battery):
            track.battery = fix.battery
