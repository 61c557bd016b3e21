"""The interface keeps what its OpenAPI description says, whatever schemathesis thinks of."""

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from tests.web.serving import serving
from tests.web.synthetic import SyntheticFeed
from tests.web.test_console_app import ACCESS, OBSERVER, OPERATOR, console

FEED = SyntheticFeed(12)
CONSOLE = console(FEED)
SCHEMA = schemathesis.openapi.from_dict(CONSOLE.app.openapi())
OPERATIONS = {found.ok().label: found.ok() for found in SCHEMA.get_all_operations()}
thorough = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(CONSOLE) as url:
        yield url


def test_all_of_it_is_described() -> None:
    assert set(OPERATIONS) == {
        "GET /api/run", "GET /api/status", "GET /api/distances", "GET /api/layers/{name}",
        "POST /api/state", "POST /api/marks", "GET /api/links", "POST /api/links/{vehicle}",
        "POST /api/tickets", "GET /api/orders", "POST /api/orders",
        "POST /api/wheels/{vehicle}", "DELETE /api/wheels/{vehicle}",
    }  # fmt: skip


@pytest.mark.parametrize("label", OPERATIONS)
def test_every_answer_is_as_described(label: str, url: str) -> None:
    @thorough
    @given(case=OPERATIONS[label].as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(base_url=url, headers=OPERATOR)

    ask()


@pytest.mark.parametrize("label", OPERATIONS)
def test_without_the_operators_token_nothing_changes(label: str, url: str) -> None:
    @thorough
    @given(case=OPERATIONS[label].as_strategy())
    def ask(case: Any) -> None:
        before = FEED.machine.state, len(FEED.events), len(FEED.changed_links)
        entering = case.path == "/api/tickets"
        deed = case.method != "GET" or case.path == "/api/links"
        observed = case.call(base_url=url, headers=OBSERVER).status_code
        refusals = (401, 422) if entering else (403, 404, 405, 422)
        assert observed in (refusals if deed else (200, 404, 422))
        nearly = {"Authorization": f"Bearer {ACCESS.operator[:-1]}"}
        for headers in ({"Authorization": ""}, nearly):
            refusals = (401, 422) if entering else (401, 404, 405)
            assert case.call(base_url=url, headers=headers).status_code in refusals
        assert (FEED.machine.state, len(FEED.events), len(FEED.changed_links)) == before

    ask()
