"""Real vehicles that are played as cars: they drive by what their scanners see."""

import socket
from contextlib import ExitStack
from dataclasses import dataclass

from movenv.behaviors.navigate import Navigate
from movenv.gateways.config import Entry, PortConfig
from movenv.runtime.rehearsal.doors import why_not
from movenv.scenario.build import Stage
from movenv.scenario.load import Group

HERE = "127.0.0.1"
ALWAYS = 1e6
"""For how long a car drives, s: longer than any run, which ends it."""


@dataclass(frozen=True)
class PlayedCar:
    """A car and the layer that puts virtual vehicles into its scans, wired together."""

    name: str
    fixes: int
    """The port where the run hears it."""
    scans: int
    """The port where the layer reads its scans."""
    altered: int
    """The port where its software reads what the layer writes."""
    poses: int
    """The port where the layer hears where it thinks it is."""

    @property
    def layer_words(self) -> list[str]:
        """For `movenv`: the layer."""
        return [
            "inject", "--vehicle", self.name, "--from", f"udp:{HERE}:{self.scans}",
            "--to", f"udp:{HERE}:{self.altered}", "--pose", f"udp:{HERE}:{self.poses}",
        ]  # fmt: skip

    def car_words(self, scenario: str) -> list[str]:
        """For `movenv`: the car."""
        return [
            "car", scenario, "--vehicle", self.name, "--scans-to", f"udp:{HERE}:{self.scans}",
            "--read-from", f"udp:{HERE}:{self.altered}", "--pose-to", f"{HERE}:{self.poses}",
            "--fixes-to", f"{HERE}:{self.fixes}", "--duration", f"{ALWAYS:.0f}",
        ]  # fmt: skip


def played_cars(stage: Stage) -> list[PlayedCar]:
    """The cars of a scenario, on ports that are free now."""
    groups = {name: stage.groups[stage.group[row]] for row, name in enumerate(stage.roster.names)}
    found = [real.entry for real in stage.real if _is_car(real.entry, groups[real.entry.name])]
    ports = iter(_free_ports(3 * len(found)))
    return [
        PlayedCar(entry.name, _port(entry), next(ports), next(ports), next(ports))
        for entry in found
    ]


def _is_car(entry: Entry, group: Group) -> bool:
    """Whether it drives by its scans, and says where it is as `movenv car` does."""
    sees = any(sensor.config.type == "lidar" for sensor in group.sensors)
    navigates = any(issubclass(chosen.part, Navigate) for chosen in group.carried)
    return sees and navigates and entry.config.type == "datagram" and not why_not(entry)


def _port(entry: Entry) -> int:
    assert isinstance(entry.config, PortConfig)
    return entry.config.port_of(entry.vid)


def _free_ports(count: int) -> list[int]:
    """Ports where nobody hears datagrams, all different."""
    with ExitStack() as held:
        ports: list[int] = []
        for _ in range(count):
            probe = held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
            probe.bind((HERE, 0))
            ports.append(probe.getsockname()[1])
        return ports
