"""Nobody moves somebody else's vehicle."""

import pytest

from movenv.gateways.config import Entry, LiveConfig
from movenv.gateways.door import RELEASE, Doorkeeper, Stranger
from movenv.gateways.fix import Fix
from movenv.world.kinds import Kind

HOME, AWAY = "192.168.1.20", "10.9.9.9"


def door(**settings: dict[str, str]) -> Doorkeeper:
    """With vehicles 1, 2, … of these names."""
    return Doorkeeper(
        [
            Entry(vid, name, Kind("pedestrian"), LiveConfig(type="test", **config))
            for vid, (name, config) in enumerate(settings.items(), start=1)
        ]
    )


def fix(device: str = "", token: str = "") -> Fix:
    return Fix(29.0, -81.0, device=device, token=token)


def refusal(keeper: Doorkeeper, said: Fix, address: str, now: float = 0.0, vid: int = 0) -> str:
    with pytest.raises(Stranger) as reason:
        keeper.admit(said, address, now, vid)
    return str(reason.value)


def test_who_names_itself_is_known_in_capitals_too() -> None:
    keeper = door(medic={}, walker={"device": "a4:50:46:12:9F:01"})
    assert keeper.admit(fix("Medic"), HOME, 0.0) == 1
    assert keeper.admit(fix("A4:50:46:12:9f:01"), HOME, 0.0) == 2
    assert refusal(keeper, fix("walker"), HOME) == "unknown device"
    assert refusal(keeper, fix(), HOME) == "unknown device"


def test_without_a_token_the_first_address_counts_until_a_good_while_of_silence() -> None:
    keeper = door(medic={})
    keeper.admit(fix("medic"), HOME, 0.0)
    assert refusal(keeper, fix("medic"), AWAY, 1.0) == "other address"
    keeper.admit(fix("medic"), HOME, 50.0)
    assert refusal(keeper, fix("medic"), AWAY, RELEASE + 49.0) == "other address"
    assert keeper.admit(fix("medic"), AWAY, RELEASE + 50.0) == 1
    assert refusal(keeper, fix("medic"), HOME, RELEASE + 51.0) == "other address"


def test_a_stranger_who_tries_does_not_keep_the_owner_out() -> None:
    """What is refused must not count as being heard."""
    keeper = door(medic={})
    keeper.admit(fix("medic"), HOME, 0.0)
    for second in range(1, 59):
        refusal(keeper, fix("medic"), AWAY, float(second))
    assert keeper.admit(fix("medic"), AWAY, RELEASE) == 1


def test_the_port_says_who_it_is_and_not_that_it_may() -> None:
    keeper = door(medic={}, walker={})
    assert keeper.admit(fix("walker"), HOME, 0.0, vid=1) == 1
    assert refusal(keeper, fix(), AWAY, 1.0, vid=1) == "other address"


def test_an_address_that_is_pinned_is_the_only_one() -> None:
    keeper = door(medic={"address": HOME})
    assert refusal(keeper, fix("medic"), AWAY) == "other address"
    assert refusal(keeper, fix("medic"), AWAY, 1e6) == "other address"
    assert keeper.admit(fix("medic"), HOME, 1e6) == 1


def test_with_a_token_the_address_does_not_matter() -> None:
    keeper = door(medic={"token": "correct-horse"}, walker={})
    assert keeper.admit(fix("medic", "correct-horse"), HOME, 0.0) == 1
    assert keeper.admit(fix("medic", "correct-horse"), AWAY, 1.0) == 1
    assert keeper.admit(fix("", "correct-horse"), AWAY, 2.0) == 1
    assert refusal(keeper, fix("medic"), HOME) == "no token"
    assert refusal(keeper, fix("medic", "wrong-horse"), HOME) == "wrong token"
    assert refusal(keeper, fix("medic", "wrong-hörse"), HOME, vid=1) == "wrong token"
    assert refusal(keeper, fix("", "wrong-horse"), HOME) == "unknown device"


def test_a_token_opens_one_door() -> None:
    keeper = door(medic={"token": "correct-horse"}, walker={"token": "battery-staple"})
    assert refusal(keeper, fix("walker", "correct-horse"), HOME) == "wrong token"
