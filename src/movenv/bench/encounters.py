"""Pairwise encounters: how near one comes to another that holds its velocity.

Thousands of pairs at once, each far from all others, with the kinematic model and the behavior
itself; only the host around them is left out.
"""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from movenv.behaviors.avoid import Avoid, AvoidConfig
from movenv.bench.measure import Row
from movenv.parts import ConfigColumns, Moment, Notices, Own, Roster, Setup, VehicleStates, Wish
from movenv.parts import steer_toward
from movenv.vehicles.kinematic import PARAMETERS, Kinematic, KinematicConfig
from movenv.world.columns import F8, Mask, read_only
from movenv.world.kinds import Kind, parse_kind
from movenv.world.messages import Health
from movenv.world.model import ABILITIES, MOTION
