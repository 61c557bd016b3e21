"""movenv order: tell vehicles of a live run what to do."""

import math
from typing import Annotated, Any

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    ask_core,
    credentials,
    operator,
)

HELP = """Tell vehicles of a live run what to do: go somewhere, form up, hold, resume.

They take orders when they carry the behavior obey. Names, patterns such as
'tank-*' and units say who; what cannot be done is refused as a whole.

\b
Examples:
  movenv order go tank-1 tank-2 --to 120,40 --to 300,80
  movenv order go --unit alpha --to 29.1935,-81.0457 --lat-lon --formation wedge
  movenv order form --unit alpha --formation vee --spacing 20
  movenv order hold 'tank-*'
  movenv order resume --unit alpha
  movenv order list
"""
SHOWN = 3
"""Vehicles that a list tells by name."""

Who = Annotated[list[str] | None, typer.Argument(metavar="VEHICLE", help="Names, or patterns.")]
Unit = Annotated[str, typer.Option(metavar="NAME", help="All of a unit that take orders.")]
Shape = Annotated[
    str, typer.Option(metavar="SHAPE", help="column, line, wedge, vee, echelon or diamond.")
]
Spacing = Annotated[float | None, typer.Option(metavar="M", help="Between neighbours, m.")]
Leader = Annotated[str, typer.Option(metavar="VEHICLE", help="Who leads; default: the first.")]


def register(app: typer.Typer) -> None:
    orders = typer.Typer(help=HELP, no_args_is_help=True, rich_markup_mode=None)
    for command in (go, form, hold, resume):
        orders.command(command.__name__)(command)
    orders.command("list")(list_)
    app.add_typer(orders, name="order")


def go(
    vehicles: Who = None,
    to: Annotated[
        list[str] | None,
        typer.Option(metavar="X,Y[,Z]", help="Where to, m; several times for several places."),
    ] = None,
    lat_lon: Annotated[
        bool, typer.Option("--lat-lon", help="Places are LAT,LON[,ALT] in degrees.")
    ] = False,
    unit: Unit = "",
    formation: Shape = "",
    spacing: Spacing = None,
    leader: Leader = "",
    roads: Annotated[str, typer.Option(metavar="HOW", help="off, prefer or only.")] = "off",
    speed: Annotated[float | None, typer.Option(metavar="M/S", help="How fast, m/s.")] = None,
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    """Go to places, one after the other; in a formation the leader does."""
    wish = {
        "to": [_place(text, lat_lon) for text in to or []],
        "speed": speed,
        "roads": roads,
        "formation": formation,
        "spacing": spacing,
        "leader": leader,
    }
    _give("go", vehicles, unit, wish, core, keys)


def form(
    vehicles: Who = None,
    unit: Unit = "",
    formation: Shape = "",
    spacing: Spacing = None,
    leader: Leader = "",
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    """Keep a formation with the leader, wherever it goes."""
    wish = {"formation": formation, "spacing": spacing, "leader": leader}
    _give("form", vehicles, unit, wish, core, keys)


def hold(
    vehicles: Who = None, unit: Unit = "", core: CoreOption = DEFAULT_CORE, keys: KeysOption = None
) -> None:
    """Stop, or circle where one cannot."""
    _give("hold", vehicles, unit, {}, core, keys)


def resume(
    vehicles: Who = None, unit: Unit = "", core: CoreOption = DEFAULT_CORE, keys: KeysOption = None
) -> None:
    """Do again what they did before orders."""
    _give("resume", vehicles, unit, {}, core, keys)


def list_(core: CoreOption = DEFAULT_CORE, keys: KeysOption = None) -> None:
    """Show the orders that hold."""
    import msgspec

    from movenv.runtime.live.bus import STATUS, Bus, BusError

    with Bus.connect(core, credentials(keys), patience=3) as bus:
        try:
            found: dict[str, Any] = msgspec.json.decode(bus.ask(STATUS, b"orders", timeout=3))
            lines = [_line(order) for order in found["orders"]]
        except (msgspec.MsgspecError, KeyError) as error:
            raise BusError(f"what answers is no Core of this version: {error}") from None
    print("\n".join(lines) if lines else "no order holds")


def _line(order: dict[str, Any]) -> str:
    names = order["names"]
    whom = f"{len(names):,} vehicles" if len(names) > SHOWN else ", ".join(names)
    who = f" by {order['who']}" if order["who"] else ""
    arrived = "; arrived" if order["arrived"] else ""
    unit = f"unit {order['unit']}, " if order["unit"] else ""
    count = len(order["places"])
    places = f" to {count:,} place{'s' if count > 1 else ''}" if count else ""
    shape = f" in {order['formation']}" if order["formation"] else ""
    deed = f"{order['what']}{places}{shape}"
    return f"{order['number']:>4}  t = {order['t']:.1f} s{who}  {unit}{whom}: {deed}{arrived}"


def _place(text: str, lat_lon: bool) -> list[float] | dict[str, float]:
    names = ("lat", "lon", "alt") if lat_lon else ("x", "y", "z")
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not 2 <= len(numbers) <= 3 or not all(map(math.isfinite, numbers)):
        said = f"'{text}' is no place; one is {','.join(names[:2])} or {','.join(names)}"
        raise typer.BadParameter(said, param_hint="--to")
    return dict(zip(names, numbers, strict=False)) if lat_lon else numbers


def _give(
    what: str, vehicles: Who, unit: str, wish: dict[str, Any], core: str, keys: KeysOption
) -> None:
    from movenv.runtime.live.bus import ORDER
    from movenv.runtime.live.wire import Ordered, OrderMessage

    message = OrderMessage(what, operator(), vehicles or [], unit, **wish)
    ordered = ask_core(core, keys, ORDER, message, Ordered)
    count = len(ordered.vehicles)
    whom = ordered.vehicles[0] if count == 1 else f"{count:,} vehicles"
    print(f"order {ordered.number} at t = {ordered.t:.1f} s: {whom}")
