"""movenv render: snapshots of a live run to 3D engines."""

from typing import Annotated

import typer

from movenv.cli.attached import (
    DEFAULT_CORE,
    CoreOption,
    KeysOption,
    credentials,
    leave,
    on_end,
)

HELP = """Send every snapshot of a live run to 3D engines, as UDP datagrams.

\b
Example:
  movenv render 127.0.0.1:9000
"""


def register(app: typer.Typer) -> None:
    app.command("render", help=HELP)(render)


def render(
    addresses: Annotated[
        list[str], typer.Argument(metavar="HOST:PORT...", help="Where renderers listen.")
    ],
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
) -> None:
    from movenv.runtime.live.bus import Bus
    from movenv.runtime.live.render_process import RenderProcess
    from movenv.runtime.render import BadAddress, RenderSender

    try:
        sender = RenderSender(addresses)
    except BadAddress as error:
        raise typer.BadParameter(str(error), param_hint="HOST:PORT") from None
    on_end(leave)
    with Bus.connect(core, credentials(keys), patience=30) as bus:
        RenderProcess(bus, sender).run()
