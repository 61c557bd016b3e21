"""movenv host: a simulation host of a live run by itself."""

import platform
import re
from pathlib import Path
from typing import Annotated

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    VehiclesOption,
    WithoutOption,
    credentials,
    leave,
    on_end,
)

HELP = """Start a host that moves some of a live run's vehicles.

It gets the scenario from the Core. Behaviors in files beside the scenario
(./my.py:MyBehavior) are looked for in --folder.

\b
Examples:
  movenv host
  movenv host --vehicles uav-3 --name pi --core tls/192.168.1.5:7450 --keys pi
"""


def register(app: typer.Typer) -> None:
    app.command("host", help=HELP)(host)


def host(
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the host; default: of this machine.")
    ] = None,
    vehicles: VehiclesOption = None,
    without: WithoutOption = None,
    share: Annotated[
        str, typer.Option(metavar="I/N", help="The I-th of N shares of those vehicles.")
    ] = "1/1",
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where files of behaviors are.")
    ] = Path(),
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.core import in_words
    from movenv.runtime.live.host_process import Claim, HostProcess

    part = re.fullmatch(r"(\d{1,4})/(\d{1,4})", share)
    if not part or not 1 <= int(part[1]) <= int(part[2]):
        raise typer.BadParameter(f"'{share}' is no share; one is 1/2", param_hint="--share")
    on_end(leave)
    called = name or re.sub(r"[^A-Za-z0-9._-]", "-", platform.node()) or "host"
    claim = Claim(called, vehicles or ["*"], without or [], (int(part[1]), int(part[2])))
    with Bus.connect(core, credentials(keys), patience=30) as bus:
        process = HostProcess(bus, claim, folder)
        print(f"host '{called}' has {in_words(len(process.live.vids))}", flush=True)
        process.run()
