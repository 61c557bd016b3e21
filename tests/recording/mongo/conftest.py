"""A server for all tests here, and a database for each."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from .mongod import Mongod


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mongod]:
    running = Mongod(tmp_path_factory.mktemp("mongod"))
    yield running
    running.kill()


@pytest.fixture
def url(server: Mongod, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of its own."""
    name = "".join(c if c.isalnum() else "-" for c in request.node.name)[:50]
    with server.client() as client:
        client.drop_database(name)
        yield server.url(name)
        client.drop_database(name)


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Mongod]:
    """One to kill."""
    folder = tmp_path / "mongod"
    folder.mkdir()
    running = Mongod(folder)
    yield running
    running.kill()
