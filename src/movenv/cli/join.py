"""movenv join: the links by which phones become vehicles of a live run."""

from typing import Annotated, Any

import typer

from movenv.cli.attached import DEFAULT_CORE, CoreOption, KeysOption, credentials

HELP = """Show the join links of a live run as QR codes, or take one back.

Each link is good for one vehicle and for the first phone that opens it.

\b
Examples:
  movenv join
  movenv join medic
  movenv join medic --renew        a new link; the old one is worthless
  movenv join medic --revoke
"""


def register(app: typer.Typer) -> None:
    app.command("join", help=HELP)(join)


def join(
    vehicle: Annotated[
        str | None, typer.Argument(metavar="[VEHICLE]", help="Only its link.")
    ] = None,
    revoke: Annotated[bool, typer.Option("--revoke", help="Make its link worthless.")] = False,
    renew: Annotated[bool, typer.Option("--renew", help="Give it a new link.")] = False,
    core: CoreOption = DEFAULT_CORE,
    keys: KeysOption = None,
    gateway: Annotated[str, typer.Option(help="Name of the gateway host.")] = "gateway",
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    from movenv.cli.summary import json_text
    from movenv.runtime.live import join_links
    from movenv.runtime.live.bus import Bus

    if revoke and renew:
        raise typer.BadParameter("--revoke and --renew exclude each other", param_hint="--renew")
    if (revoke or renew) and vehicle is None:
        raise typer.BadParameter("whose link? Name a vehicle", param_hint="VEHICLE")
    with Bus.connect(core, credentials(keys), patience=3) as bus:
        if revoke or renew:
            assert vehicle is not None
            join_links.change_link(bus, gateway, "revoke" if revoke else "renew", vehicle)
        if revoke:
            print(f"the link of {vehicle} is worthless now")
            return
        links = join_links.links(bus, gateway)
    if vehicle is not None:
        links = [link for link in links if link["vehicle"] == vehicle]
    if not links:
        raise typer.BadParameter(f"nobody called '{vehicle}' joins by a link", param_hint="VEHICLE")
    if json:
        print(json_text({"links": links}))
        return
    for link in links:
        _show(link)


def _show(link: dict[str, Any]) -> None:
    from movenv.gateways.join.qr import qr_terminal

    if not link["url"]:
        print(f"{link['vehicle']}: revoked; movenv join {link['vehicle']} --renew makes a new one")
        return
    state = "connected" if link["connected"] else "in use" if link["used"] else "not used yet"
    print(qr_terminal(link["url"]))
    print(f"{link['vehicle']} ({state}): {link['url']}\n")
