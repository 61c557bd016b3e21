"""Serving a console: sockets, certificates, links, and the end."""

import asyncio
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path

import uvicorn

from movenv.gateways.certificate import make_certificate
from movenv.gateways.http import PromptProtocol
from movenv.runtime.surroundings import state_folder
from movenv.scenario.recorded import scenario_of
from movenv.web.access import Access, Role
from movenv.web.app import Console
from movenv.web.feed import Feed, Operations
from movenv.web.hello import hello
from movenv.web.layers import Layers
from movenv.web.page import page_files
from movenv.web.place import Place, listening

LARGEST_WISH = 64 * 1024
SIGN_EVERY, GONE_AFTER = 20.0, 60.0
"""A browser that gives no sign of life for so long, s, has left; a thin link takes its time."""
FAREWELL = 1
"""For requests under way when the server ends, s."""
CONNECTIONS = 500


def serve_console(
    feed: Feed,
    operations: Operations | None,
    place: Place,
    folder: Path | None,
    recording: Path | None = None,
    *,
    browser: bool,
    say: Callable[[str], None],
    on_end: Callable[[Callable[[str], None]], None],
) -> None:
    """Serve until `on_end` tells to end. `recording` is where a live run goes, for people.

    Raises WrongInput, NoPage or ScenarioError."""
    scenario = scenario_of(feed.record, feed.source)
    layers = Layers(scenario.map.layers if scenario else [], folder)
    greeting = hello(feed, scenario, layers.described(), recording)
    access = Access.kept_in(place.state)
    page = page_files()
    listener = listening(place)
    scheme = "https" if place.open else "http"
    base = f"{scheme}://{place.shown}:{listener.getsockname()[1]}"
    console = Console(feed, operations, access, layers, greeting, page, base, place.state)
    server = server_of(console, place)
    on_end(lambda _why: setattr(server, "should_exit", True))
    say(f"console: {access.link(base, Role.OPERATOR)}")
    if operations is not None:
        say(f"  to look only: {access.link(base, Role.OBSERVER)}")
    if browser:
        webbrowser.open(f"{base}/#ticket={console.ticket}")  # other users here see what is opened
    asyncio.run(server.serve(sockets=[listener]))


def server_of(console: Console, place: Place) -> uvicorn.Server:
    """A server for sockets that listen already."""
    cert = key = None
    if place.open:
        names = [place.shown, socket.gethostname()]
        cert, key = make_certificate(state_folder(), names)
    return uvicorn.Server(
        uvicorn.Config(
            console.app,
            ssl_certfile=cert,
            ssl_keyfile=key,
            http=PromptProtocol,
            ws="websockets-sansio",
            ws_max_size=LARGEST_WISH,
            ws_per_message_deflate=False,  # it saves a quarter and takes all others' time
            ws_ping_interval=SIGN_EVERY,
            ws_ping_timeout=GONE_AFTER,
            lifespan="off",
            log_config=None,
            access_log=False,
            log_level="error",
            server_header=False,
            proxy_headers=False,
            limit_concurrency=CONNECTIONS,
            timeout_graceful_shutdown=FAREWELL,
        )
    )
