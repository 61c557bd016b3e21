"""What must not run side by side does not."""

import os

import pytest


@pytest.mark.skipif("PYTEST_XDIST_WORKER" not in os.environ, reason="there is one worker")
@pytest.mark.parametrize("name", ["here"])
@pytest.mark.xdist_group("live")
def test_real_time_runs_are_one_group(request: pytest.FixtureRequest, name: str) -> None:
    """pytest-xdist says so in the name of a test; without, it would spread them over workers."""
    assert request.node.nodeid.endswith(f"[{name}]@live")
