"""Where the console listens."""

import socket

from movenv.web.place import Place, listening


def test_small_messages_do_not_wait_for_large_ones_to_be_acknowledged() -> None:
    with listening(Place(port=0)) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
