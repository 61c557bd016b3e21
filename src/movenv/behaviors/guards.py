"""Lines that a reserve is kept behind."""

from movenv.behaviors.reserves import ARC, farthest, reserve
from movenv.world.kernel import kernel

MOST_GUARDS = 512
"""Lines one reserve is kept behind; with more of them a vehicle only brakes."""
# Columns of a guard: the direction across its line, how far the reserve may reach in it, what of
# the reserve counts, and how much room there is, m; negative where it reaches too far already.
COS, SIN, LIMIT, TURN, ROOM = range(5)
GUARD = 5
HAIR = 1e-3
"""How far a reserve may be foreseen to come over its line, m."""


@kernel
def guard(guards, count, shape, cos, sin, room, turn, margin):  # type: ignore[no-untyped-def]
    """Add a line: the reserve may reach `room` farther in a direction than it does.

    And by a hair more, while that costs less than half of the margin: whoever circles where there
    is no room at all is foreseen to stay on its circle only as precisely as numbers are.
    """
    if count < len(guards):
        reach, _, _ = farthest(shape, cos, sin, turn)
        guards[count, COS], guards[count, SIN] = cos, sin
        hair = min(HAIR, max(0.0, 0.5 * margin + min(room, 0.0)))
        guards[count, LIMIT], guards[count, TURN] = reach + max(room, 0.0) + hair, turn
        guards[count, ROOM] = room
    return count + 1


@kernel
def cannot_stop(guards, count, margin):  # type: ignore[no-untyped-def]
    """Whether the arc of a vehicle has too little room: it needs more braking than is sure."""
    for g in range(min(count, len(guards))):
        if guards[g, TURN] == ARC and guards[g, ROOM] < -margin:
            return True
    return False


@kernel
def stays_behind(then, half_x, half_y, guards, eased, count, shape):  # type: ignore[no-untyped-def]
    """Whether the reserve of a vehicle that is so a tick later is behind all its lines.

    Of the first `eased` of them only its arc needs to be, not the circle.
    """
    if count > len(guards):
        return False
    if count == 0:
        return True
    reserve(then, shape)
    for g in range(count):
        cos, sin, limit = guards[g, COS], guards[g, SIN], guards[g, LIMIT]
        turn = ARC if g < eased else int(guards[g, TURN])
        reach, _, _ = farthest(shape, cos, sin, turn)
        if reach > limit or half_x * cos + half_y * sin > limit:
            return False
    return True
