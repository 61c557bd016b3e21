"""Places on the command line of orders."""

import pytest
from typer.testing import CliRunner

from movenv.cli.main import app


@pytest.mark.parametrize("place", ["nan,0", "0,inf", "1,2,nan", "1", "a,b", "1,2,3,4"])
def test_what_is_no_place_is_refused_before_anybody_is_asked(place: str) -> None:
    told = CliRunner().invoke(app, ["order", "go", "tank-1", "--to", place])
    assert told.exit_code == 2
    assert f"'{place}' is no place; one is x,y or x,y,z" in told.output
