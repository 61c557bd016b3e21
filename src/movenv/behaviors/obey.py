"""Do what the operator says: go somewhere, form up, hold; until then and after, nothing."""

from math import isnan
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from movenv.behaviors.detour import detour
from movenv.behaviors.gathering import Gathering
from movenv.behaviors.guidance import can_stop, circle_steer, numbers, still, turn_radius
from movenv.behaviors.nearing import PATIENCE, Nearing
from movenv.behaviors.stations import Stations
from movenv.behaviors.travel import Travel, usual_clearance
from movenv.parts import (
    Behavior,
    BehaviorConfig,
    Field,
    Moment,
    Notices,
    Own,
    Proposal,
    Setup,
    VehicleStates,
    pitch_toward,
)
from movenv.world.columns import F8, Mask, Rows
from movenv.world.messages import Remark
from movenv.world.orders import ARRIVED, Order, place_words, places_ahead

NOTHING, GO, FOLLOW, HOLD = range(4)
ROUND = 2.0
"""Who cannot stop circles with so many times the turning radius, or `within` where that is more."""


class ObeyConfig(BehaviorConfig):
    """Take the operator's orders: go to places, keep a formation, hold, resume."""

    priority: int = Field(
        5, ge=1, le=10_000, description="above what one does by oneself, below avoiding others"
    )
    visibility: float = Field(
        200.0, gt=0, le=1e5, description="how far it sees what stands in its way, m"
    )
    clearance: float | None = Field(
        None,
        ge=0,
        le=1e4,
        description="how far to stay away from obstacles, m; default: as `move_to` does",
    )
    within: float = Field(5.0, gt=0, le=1e4, description="how near to a place is there, m")
    spacing: float = Field(
        20.0, gt=0, le=1e4, description="between neighbours in a formation, m, where nobody says"
    )


class Obey(Behavior):
    Config: ClassVar[type[BehaviorConfig]] = ObeyConfig

    def __init__(self, setup: Setup) -> None:
        count = len(setup.vids)
        clearance = numbers(setup, "clearance")
        clearance = np.where(np.isnan(clearance), usual_clearance(setup), clearance)
        self._travel = Travel(setup, setup.config.visibility, clearance)
        self._stations = Stations(setup, detour(setup, setup.config.visibility, clearance))
        self._gathering, self._vids = Gathering(setup.roster, setup.terrain), setup.vids
        self._nearing = Nearing(count)
        self._within, self._spacing = setup.config.within, setup.config.spacing
        self._does = np.zeros(count, np.uint8)
        self._order: NDArray[np.object_] = np.full(count, None, object)
        """What each obeys: it says more than `_does` to whoever must lead in another's place."""
        self._under_way: Mask = np.zeros(count, np.bool_)
        self._told: Mask = np.zeros(count, np.bool_)
        """Whose arrival the operator knows of."""
        self._place = np.zeros((3, count))
        """Round where those circle that hold and cannot stop."""

    def begin(self, own: Own, begins: Mask, moment: Moment) -> None:
        self._release(np.flatnonzero(begins))

    def obey(self, own: Own, orders: tuple[Order, ...], moment: Moment) -> None:
        for order in orders:
            rows = np.flatnonzero(np.isin(own.vid, order.vids))
            if len(rows):
                self._take(own, order, rows)

    def _take(self, own: Own, order: Order, rows: Rows) -> None:
        leads = own.vid[rows] == order.leader
        if order.what == "form":
            # Whoever leads goes on with what it does, unless it was to follow somebody itself.
            following = self._does[rows] == FOLLOW
            rows, leads = rows[~leads | following], leads[~leads | following]
        self._release(rows)
        self._order[rows] = order
        if order.what == "hold":
            self._hold(own, rows)
        elif order.what == "go":
            self._go(order, rows[leads] if order.formation else rows)
            self._does[rows[leads] if order.formation else rows] = GO
        if order.formation:
            self._follow(order, rows[~leads])

    def _release(self, rows: Rows) -> None:
        """Whatever these were told holds no longer."""
        self._travel.stop(rows)
        self._stations.leave(rows)
        self._does[rows] = NOTHING
        self._order[rows] = None
        self._under_way[rows] = False

    def _go(self, order: Order, rows: Rows) -> None:
        alone = bool(order.formation) or len(order.everybody) == 1
        for within in np.unique(self._within[rows]):
            some = rows[self._within[rows] == within]
            if alone:
                self._travel.go(some, order.points, order.speed, float(within), order.roads)
            else:
                self._go_together(order, some, float(within))
        self._under_way[rows] = True
        self._told[rows] = False

    def _go_together(self, order: Order, rows: Rows, within: float) -> None:
        """All along the same places, but each to its own at the end."""
        everybody = order.everybody
        ends, apart = self._gathering.places(order.points[-1], everybody)
        within = min(within, apart / 2)  # or one might be there at its neighbour's place
        rank = {vid: at for at, vid in enumerate(everybody.tolist())}
        mine = ends[:, [rank[vid] for vid in self._vids[rows].tolist()]]
        last = np.column_stack([*mine, np.full(len(rows), order.points[-1, 2])])
        if len(order.points) == 1:
            self._travel.go_each(rows, last, order.speed, within, order.roads, stop=True)
            return
        for row, end in zip(rows, last, strict=True):
            points = np.vstack([order.points[:-1], end])
            self._travel.go(np.array([row]), points, order.speed, within, order.roads)

    def _follow(self, order: Order, rows: Rows) -> None:
        members = order.vids
        if order.leader not in members:
            members = np.append(members, np.uint32(order.leader))
        for spacing in np.unique(self._spacing[rows]):
            some = rows[self._spacing[rows] == spacing]
            apart = float(spacing) if isnan(order.spacing) else order.spacing
            self._stations.form(some, order.leader, members, order.formation, apart)
        self._does[rows] = FOLLOW

    def _hold(self, own: Own, rows: Rows) -> None:
        self._place[:, rows] = [own.x[rows], own.y[rows], own.z[rows]]
        self._does[rows] = HOLD

    def propose(
        self, own: Own, others: VehicleStates, notices: Notices, moment: Moment
    ) -> Proposal | None:
        if not self._does.any():
            return None
        following = self._does == FOLLOW
        keeps = self._stations.keep(own, others, moment) if following.any() else None
        if keeps is not None:
            self._take_the_lead(own, following & ~keeps.active)
        merged = Merged(own)
        if self._under_way.any():
            merged.take(self._travel.steer(own), self._under_way)
        if keeps is not None:
            merged.take(keeps, following)
        holding = self._does == HOLD
        if holding.any():
            merged.take(self._stay(own), holding)
        return merged.proposal

    def _take_the_lead(self, own: Own, left: Mask) -> None:
        """Who has nobody to follow any more goes on to where the formation was going."""
        for row in np.flatnonzero(left & ~self._under_way):
            order: Order = self._order[row]
            if order.what == "go":
                here = (float(column[row]) for column in (own.x, own.y, own.yaw))
                rest = places_ahead(order.points, *here)
                some, within = np.array([row]), float(self._within[row])
                self._travel.go(some, rest, order.speed, within, order.roads)
                self._under_way[row], self._told[row] = True, False

    def _stay(self, own: Own) -> Proposal:
        """Brake straight on and stand where that ends, or circle where one cannot stop."""
        stop = can_stop(own)
        radius = np.maximum(ROUND * turn_radius(own), self._within)
        round_ = circle_steer(own, self._place[:2], still(len(own)), radius, np.ones(len(own)))
        flown: F8 = np.array([round_, own.cruise_speed, pitch_toward(own, self._place[2])])
        return Proposal(self._does == HOLD, *np.where(stop, 0.0, flown))

    def remarks(self, own: Own, moment: Moment) -> list[Remark]:
        news = self._under_way & ~self._told & self._travel.arrived
        self._told |= news
        found = [Remark(vid, ARRIVED) for vid in own.vid[news].tolist()]
        under_way, place, left = self._travel.left(own)
        under_way &= self._under_way
        stuck = self._nearing.look(own, under_way, place, left, moment.period)
        said = self._travel.remarks(own)
        for row in np.flatnonzero(stuck):
            text = f"has come no nearer to {place_words(*place[:, row])} for {PATIENCE:g} s"
            said.append(Remark(int(own.vid[row]), text))
        return found + [self._with_order(own, remark) for remark in said]

    def _with_order(self, own: Own, remark: Remark) -> Remark:
        """The same with where the vehicle was told to go, which need not be its own place."""
        order: Order | None = self._order[np.flatnonzero(own.vid == remark.vid)[0]]
        if order is None or not len(order.points):
            return remark
        where = place_words(*order.points[-1, :2])
        told = f"{remark.text}; told to go to {where}"
        return remark if where in remark.text else Remark(remark.vid, told)


class Merged:
    """Several proposals as one, each for its own vehicles."""

    def __init__(self, own: Own) -> None:
        count = len(own)
        self._active: Mask = np.zeros(count, np.bool_)
        self._command = np.zeros((3, count))
        self._to: F8 = np.full((2, count), np.nan)
        self._rejoins: Mask = np.zeros(count, np.bool_)
        self._guided: Mask = np.zeros(count, np.bool_)

    def take(self, proposal: Proposal, whose: Mask) -> None:
        """Of a command that is left open, nothing is asked; what was taken before gives way."""
        mine = whose & proposal.active
        self._active |= mine
        commands = proposal.steer, proposal.speed, proposal.pitch
        for row, command in zip(self._command, commands, strict=True):
            row[mine] = np.broadcast_to(0.0 if command is None else command, mine.shape)[mine]
        self._to[:, mine] = np.nan if proposal.to is None else proposal.to[:, mine]
        self._rejoins[mine] = False if proposal.rejoins is None else proposal.rejoins[mine]
        self._guided[mine] = False if proposal.guided is None else proposal.guided[mine]

    @property
    def proposal(self) -> Proposal:
        steer, speed, pitch = self._command
        return Proposal(
            self._active,
            steer,
            speed,
            pitch,
            to=self._to,
            rejoins=self._rejoins,
            guided=self._guided,
        )
