"""A console's server on a real socket, in a thread."""

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from movenv.web.app import Console
from movenv.web.serve import Place, listening, server_of


@contextmanager
def serving(console: Console) -> Iterator[str]:
    """The address of its page."""
    place = Place(port=0)
    listener = listening(place)
    server = server_of(console, place)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(timeout=10)
        assert not thread.is_alive()
