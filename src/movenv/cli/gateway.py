"""movenv gateway: the host of a live run's real vehicles by itself."""

from pathlib import Path
from typing import Annotated

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    AddressOption,
    CoreOption,
    KeysOption,
    OpenOption,
    VehiclesOption,
    WithoutOption,
    credentials,
    leave,
    on_end,
)

HELP = """Start a host that listens to some of a live run's real vehicles.

It opens the doors that the scenario names under live: for phones, receivers
and the join page, and reports where their carriers are. Without --open only
this machine can reach them.

\b
Examples:
  movenv gateway
  movenv gateway --open --vehicles medic --core tls/192.168.1.5:7450 --keys field
"""


def register(app: typer.Typer) -> None:
    app.command("gateway", help=HELP)(gateway)


def gateway(
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    name: Annotated[str, typer.Option(help="Name of the host.")] = "gateway",
    vehicles: VehiclesOption = None,
    without: WithoutOption = None,
    open_: OpenOption = False,
    address: AddressOption = None,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where files that the scenario names are.")
    ] = Path(),
    state: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Where join links are kept over a restart."),
    ] = None,
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.gateway_process import GatewayProcess
    from movenv.runtime.live.host_process import Claim
    from movenv.runtime.surroundings import surroundings

    on_end(leave)
    claim = Claim(name, vehicles or ["*"], without or [], real=True)
    with Bus.connect(core, credentials(keys), patience=30) as bus:
        process = GatewayProcess(
            bus, claim, folder, lambda stage: surroundings(stage, folder, open_, address, state)
        )
        for one in process.gateways:
            for line in one.invitations():
                print(line, flush=True)
        process.run()
