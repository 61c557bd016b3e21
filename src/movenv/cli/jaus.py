"""movenv jaus: vehicles of a live run as JAUS components."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials, on_end

if TYPE_CHECKING:
    from movenv.gateways.jaus.packet import Address
    from movenv.runtime.jaus import JausGateway

HELP = """Let software that speaks JAUS see vehicles of a live run, and drive them.

Each VEHICLE=SUBSYSTEM.NODE.COMPONENT becomes a component with Global Pose, Local
Pose and Velocity State Sensor; one that carries the behavior driven also has a
Primitive Driver. Both AS5669A with AS5710 and AS6009, and the Reference
Architecture 3.2 and 3.3, are spoken at one UDP port, to everyone as they speak.
To drive: Request Control, Resume, then Set Wrench Effort. A controller that
falls silent loses control, and the vehicle brakes.

\b
Examples:
  movenv jaus navigator=126.1.10
  movenv jaus navigator=126.1.10 taxi-1=127.1.10 --open --port 3794
"""


def register(app: typer.Typer) -> None:
    app.command("jaus", help=HELP)(jaus)


def jaus(
    vehicles: Annotated[
        list[str], typer.Argument(metavar="VEHICLE=S.N.C...", help="Who, at which JAUS address.")
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="UDP; 0 for any.")] = 3794,
    open_: Annotated[
        bool,
        typer.Option(
            "--open", help="Listen on every network: JAUS knows no passwords, so mind who is there."
        ),
    ] = False,
    timeout: Annotated[
        float,
        typer.Option(min=0.1, max=60, help="A controller that is silent for so long is lost, s."),
    ] = 2.0,  # so that one heartbeat a second is enough
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    from movenv.gateways.part import GatewayFailed
    from movenv.runtime.errors import WrongInput
    from movenv.runtime.jaus import JausGateway
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.run_info import run_info

    places = _places(vehicles)
    with Bus.connect(core, credentials(keys), patience=10) as bus:
        info, record = run_info(bus)
        bind = "0.0.0.0" if open_ else "127.0.0.1"
        try:
            gateway = JausGateway(bus, record, info.beacon.run, places, bind, port, timeout)
        except GatewayFailed as error:
            raise WrongInput(f"{error}; --port chooses another") from None
        on_end(gateway.stop)
        for name, component in gateway.components.items():
            print(
                f"{name} is JAUS {component.address} at UDP port {gateway.port} of {bind}",
                flush=True,
            )
        gateway.run()
    _tell(gateway)


def _places(vehicles: list[str]) -> dict[str, "Address"]:
    """Raises BadParameter."""
    from movenv.gateways.jaus.packet import Address, address_in

    found: dict[str, Address] = {}
    for text in vehicles:
        name, _, place = text.partition("=")
        if not name or not place:
            raise _wrong(f"'{text}' is not VEHICLE=SUBSYSTEM.NODE.COMPONENT; navigator=126.1.10 is")
        try:
            address = address_in(place)
        except ValueError as error:
            raise _wrong(str(error)) from None
        if name in found or address in found.values():
            raise _wrong(f"'{text}' is there twice")
        found[name] = address
    return found


def _wrong(why: str) -> typer.BadParameter:
    return typer.BadParameter(why, param_hint="VEHICLE=S.N.C")


def _tell(gateway: "JausGateway") -> None:
    """What was dropped, and why."""
    for name, counts in [("", gateway.refused)] + [
        (f"{name}: ", component.refused) for name, component in gateway.components.items()
    ]:
        for why, count in counts.most_common(20):
            print(f"{name}{count:,} refused: {why}", file=sys.stderr, flush=True)
