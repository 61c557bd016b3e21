"""Lines that a reserve is kept behind."""

from movenv.behaviors.reserves import END, farthest, reserve
from movenv.world.kernel import kernel

MOST_GUARDS = 512
"""Lines one reserve is kept behind; with more of them a vehicle only brakes."""
# Columns of a guard: the direction across its line, how far the reserve may reach in it, and
# what of the reserve counts.
COS, SIN, LIMIT, TURN = range(4)


@kernel
def guard(guards, count, shape, cos, sin, room, turn):  # type: ignore[no-untyped-def]
    """Add a line: the reserve may reach `room` farther in a direction than it does."""
    if count < len(guards):
        reach, _, _ = farthest(shape, cos, sin, turn)
        guards[count, COS], guards[count, SIN] = cos, sin
        guards[count, LIMIT], guards[count, TURN] = reach + max(room, 0.0), turn
    return count + 1


@kernel
def stays_behind(then, half_x, half_y, guards, count, shape):  # type: ignore[no-untyped-def]
    """Whether the reserve of a vehicle that is so a tick later is behind all its lines."""
    if count > len(guards):
        return False
    if count == 0:
        return True
    reserve(then, shape)
    for g in range(count):
        cos, sin, limit = guards[g, COS], guards[g, SIN], guards[g, LIMIT]
        turn = int(guards[g, TURN])
        reach, _, _ = farthest(shape, cos, sin, turn)
        if reach > limit or (turn != END and half_x * cos + half_y * sin > limit):
            return False
    return True
