"""A network that loses and delays: a UDP proxy, and machines as network namespaces."""

import asyncio
import random
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .processes import free_port


class LossyProxy:
    """Passes datagrams between a client and a server, some of them late, some never."""

    def __init__(self, target: int, seed: int = 1) -> None:
        self.port = free_port()
        self.mend()
        self.passed = self.dropped = 0
        self._target = target
        self._random = random.Random(seed)
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait(5)

    def worsen(self, loss: float, delay: float, jitter: float) -> None:
        self.loss, self.delay, self.jitter = loss, delay, jitter

    def mend(self) -> None:
        self.worsen(0.0, 0.0, 0.0)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._open())
        self._ready.set()
        self._loop.run_forever()

    async def _open(self) -> None:
        self._clients: dict[tuple[str, int], asyncio.DatagramTransport] = {}
        self._front, _ = await self._loop.create_datagram_endpoint(
            lambda: _Hears(self._from_client), local_addr=("127.0.0.1", self.port)
        )

    def _from_client(self, data: bytes, client: tuple[str, int]) -> None:
        if client in self._clients:
            self._later(self._clients[client].sendto, data)
        else:
            self._loop.create_task(self._new_client(data, client))

    async def _new_client(self, data: bytes, client: tuple[str, int]) -> None:
        back, _ = await self._loop.create_datagram_endpoint(
            lambda: _Hears(lambda answer, _: self._later(self._front.sendto, answer, client)),
            remote_addr=("127.0.0.1", self._target),
        )
        self._clients[client] = back
        self._later(back.sendto, data)

    def _later(self, send: Callable[..., None], *arguments: object) -> None:
        self.passed += 1
        if self._random.random() < self.loss:
            self.dropped += 1
            return
        late = max(0.0, self.delay + self._random.uniform(-self.jitter, self.jitter))
        self._loop.call_later(late, send, *arguments)

    def close(self) -> None:
        def end() -> None:
            self._front.close()
            for back in self._clients.values():
                back.close()
            self._loop.call_soon(self._loop.stop)

        self._loop.call_soon_threadsafe(end)
        self._thread.join(5)
        self._loop.close()


class _Hears(asyncio.DatagramProtocol):
    def __init__(self, hear: Callable[[bytes, tuple[str, int]], None]) -> None:
        self._hear = hear

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        self._hear(data, addr)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Machines:
    """Network namespaces around one in the middle, each on a cable of its own."""

    def __init__(self, tag: str, count: int) -> None:
        self.core = f"{tag}-core"
        self.others = [f"{tag}-{i}" for i in range(count)]
        self._tag = tag
        _ip("netns", "add", self.core)
        _ip("-n", self.core, "link", "set", "lo", "up")
        for i, name in enumerate(self.others):
            near, far = f"{tag}n{i}", f"{tag}f{i}"
            _ip("netns", "add", name)
            _ip("link", "add", near, "type", "veth", "peer", "name", far)
            _ip("link", "set", near, "netns", self.core)
            _ip("link", "set", far, "netns", name)
            for space, device, end in ((self.core, near, 1), (name, far, 2)):
                _ip("-n", space, "addr", "add", f"10.77.{i}.{end}/24", "dev", device)
                _ip("-n", space, "link", "set", device, "up")
            _ip("-n", name, "link", "set", "lo", "up")

    def address(self, i: int) -> str:
        """Where machine `i` finds the one in the middle."""
        return f"10.77.{i}.1"

    def cable(self, i: int, plugged: bool) -> None:
        _ip("-n", self.core, "link", "set", f"{self._tag}n{i}", "up" if plugged else "down")

    def inside(self, name: str, command: list[str]) -> list[str]:
        return ["ip", "netns", "exec", name, *command]

    def remove(self) -> None:
        for name in (self.core, *self.others):
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


@contextmanager
def machines(tag: str, count: int) -> Iterator[Machines]:
    made = Machines(tag, count)
    try:
        yield made
    finally:
        made.remove()
