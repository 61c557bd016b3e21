"""Columns of a block of vehicles as tuples of numbers, for `rk4`.

These write out one load, sum or store for each column. As loops over tuples they would be left
rolled for models with many columns, and the lanes around them no longer vectorised.
"""

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from numba.core import types as numba_types
from numba.extending import intrinsic as numba_intrinsic

types: Any = numba_types
intrinsic: Any = numba_intrinsic


def reader(first: int, count: int, lanes: int) -> Any:
    """Make `read(work, lane)`: the values of `count` columns, from column `first` on."""

    @intrinsic
    def read(_typing, work, lane):  # type: ignore[no-untyped-def]
        def emit(context, builder, signature, args):  # type: ignore[no-untyped-def]
            place = _places(context, builder, signature, args, first, lanes)
            values = [builder.load(place(j)) for j in range(count)]
            return context.make_tuple(builder, signature.return_type, values)

        return types.UniTuple(types.float64, count)(work, lane), emit

    return read


def writer(first: int, count: int, lanes: int) -> Any:
    """Make `write(work, lane, values)`, the opposite of `reader`."""

    @intrinsic
    def write(_typing, work, lane, values):  # type: ignore[no-untyped-def]  # noqa: ARG001
        def emit(context, builder, signature, args):  # type: ignore[no-untyped-def]
            place = _places(context, builder, signature, args, first, lanes)
            for j in range(count):
                builder.store(builder.extract_value(args[2], j), place(j))
            return context.get_dummy_value()

        return types.void(work, lane, types.UniTuple(types.float64, count)), emit

    return write


def _places(
    context: Any, builder: Any, signature: Any, args: Any, first: int, lanes: int
) -> Callable[[int], Any]:
    """Where in the memory of a block each column of a lane lies."""
    data = context.make_array(signature.args[0])(context, builder, args[0]).data
    lane = args[1]

    def place(j: int) -> Any:
        return builder.gep(data, [builder.add(lane, lane.type((first + j) * lanes))])

    return place


@intrinsic
def moved(_typing, state, amount, rates):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Each value plus an amount of its rate."""

    def emit(context, builder, signature, args):  # type: ignore[no-untyped-def]
        values = [
            builder.fadd(
                builder.extract_value(args[0], j),
                builder.fmul(args[1], builder.extract_value(args[2], j)),
            )
            for j in range(len(signature.return_type))
        ]
        return context.make_tuple(builder, signature.return_type, values)

    return state(state, types.float64, state), emit


def named(columns: tuple[str, ...]) -> Any:
    """Make a function that names the values of a plain tuple: `as_car(parameters).mass`."""
    kind = namedtuple("Named", columns)  # type: ignore[misc]

    @intrinsic
    def name(_typing, values):  # type: ignore[no-untyped-def]
        def emit(_context, _builder, _signature, args):  # type: ignore[no-untyped-def]
            return args[0]

        return types.NamedUniTuple(types.float64, len(values), kind)(values), emit

    return name
