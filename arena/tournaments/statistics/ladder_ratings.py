"""The ratings of a ladder: counted edges in, Elo with errors out, up to date after every unit.

A player is a version of a bot. What is kept are the counted edges, never the units. A unit moves
the ratings at once (`count`); a full fit follows at counted results, so it can be repeated from the
edges alone, in whatever order they came. Elo is that above the mean of the anchors, which is fixed.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from arena.one_thread import np
from arena.tournaments.statistics.ladder_fit import Rows, fit_ladder
from arena.tournaments.statistics.ratings import ELO, Floats

UNITS_PER_FIT: Final = 50
"""Units of the whole ladder between two full fits: an online rating alone has four times their
error."""
FIRST_FIT: Final = 6
"""A newcomer's sixth unit asks for a full fit: it has a number from then on."""
LEAST_ANCHORS: Final = 3
"""The mean of fewer programs would move with each of them."""

PRIOR_ELO: Final = 500.0
"""The standard deviation of the weak prior of every player around the anchors' mean."""
PARENT_ELO: Final = 120.0
"""The standard deviation of a new version around its parent."""
MOST_FORFEITS: Final = 0.05
"""Forfeits count as results up to this share of the units of the bot that forfeits."""
BISECTIONS: Final = 40
"""Halvings of the interval of a local update: it is right to a part in 10^12."""


class Player(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A version of a bot in a ladder.

    `owner` is never paired with itself. `constant_elo` is the rating of a version that was frozen
    90 days ago: it stays as it is, and the player is not paired.
    """

    name: str
    owner: str
    is_anchor: bool = False
    parent: str | None = None
    constant_elo: float | None = None


class Edge(msgspec.Struct, frozen=True, kw_only=True):
    """The counted units of two players.

    `score` and `squares` are the sums of the scores of `first`, from 0 to 1, and of their squares,
    over the `units` that were played to their end. Forfeited units stand beside them, by who
    forfeited.
    """

    first: str
    second: str
    units: int = 0
    score: float = 0.0
    squares: float = 0.0
    first_forfeits: int = 0
    second_forfeits: int = 0


class LadderRatings:
    """The ratings of a ladder while it is played.

    Players that are not constants have places from 0 on, in the order in which they came. The
    arrays `strengths` and `variances` (logistic scale, against the anchors' mean), `units`, `met`
    (all units, a row and a column for each player) are in this order, and are only to be read.
    """

    def __init__(
        self,
        players: Iterable[Player],
        edges: Iterable[Edge] = (),
        *,
        kappa: float | None = None,
        anchors_mean_elo: float = 0.0,
    ) -> None:
        """Fit the ratings of counted edges.

        `kappa` is 1 where units are single games, None estimates it. `anchors_mean_elo` is another
        number than 0 after the anchors have changed: the mean that the new ones had then.
        """
        self.players = tuple(players)
        self.places: dict[str, int] = {}
        self._level = anchors_mean_elo / ELO
        self._fixed_kappa = kappa
        self._constants = [self._level]
        self.movers: list[Player] = []
        for player in self.players:
            assert player.name not in self.places, f"{player.name} is there twice"
            if player.constant_elo is None:
                self.places[player.name] = len(self.movers)
                self.movers.append(player)
            else:
                self._constants.append(player.constant_elo / ELO)
                self.places[player.name] = -len(self._constants)
        self.anchors = _anchors_of(self.movers)
        size = len(self.movers)
        self.strengths = np.full(size, self._level)
        self.variances = np.zeros(size)
        self.units = np.zeros(size, dtype=int)
        self.met = np.zeros((size, size), dtype=np.int32)
        self.kappa = kappa or 1.0
        self._forfeits = np.zeros(size)
        self._lines: dict[tuple[int, int], int] = {}
        self._ends = np.zeros((64, 2), dtype=int)
        self._sums = np.zeros((64, 5))
        """Units, score, squares, forfeits of the first, forfeits of the second."""
        for edge in edges:
            self._add_edge(edge)
        self._since_fit = 0
        self._since_inverse = 0
        self._covariance = np.zeros((size, size))
        self._updates = np.zeros((UNITS_PER_FIT, size))
        self._pending = 0
        self.fit(is_exact=True)

    # What is known

    def elo(self, name: str) -> float:
        """Return the rating of a player, in Elo above the anchors' mean (or as that was set)."""
        place = self.places[name]
        if place < 0:
            return ELO * self._constants[-1 - place]
        return ELO * float(self.strengths[place])

    def error(self, name: str) -> float:
        """Return the standard error of a rating against the anchors' mean, in Elo."""
        place = self.places[name]
        if place < 0:
            return 0.0
        return ELO * math.sqrt(max(0.0, float(self.variances[place])))

    def error_of_difference(self, name: str, other: str) -> float:
        """Return the standard error of the difference of two ratings, in Elo."""
        place, other_place = self.places[name], self.places[other]
        if min(place, other_place) < 0:
            return max(self.error(name), self.error(other))  # that of a constant is 0
        variance = self.variances[place] + self.variances[other_place]
        variance -= 2 * self.covariances(place)[other_place]
        return ELO * math.sqrt(max(0.0, float(variance)))

    def covariances(self, place: int) -> Floats:
        """Return the covariance of a player's strength with that of every player."""
        updates = self._updates[: self._pending]
        row: Floats = self._covariance[place] - updates[:, place] @ updates
        return row

    def edges(self) -> list[Edge]:
        """Return the counted edges: with the players all that the next day needs."""
        names = {place: name for name, place in self.places.items()}
        edges = []
        for (first, second), line in self._lines.items():
            units, score, squares, first_forfeits, second_forfeits = self._sums[line].tolist()
            edge = Edge(
                first=names[first],
                second=names[second],
                units=round(units),
                score=score,
                squares=squares,
                first_forfeits=round(first_forfeits),
                second_forfeits=round(second_forfeits),
            )
            edges.append(edge)
        return edges

    # What comes

    def add(self, player: Player) -> None:
        """Add a version that joins: it starts from its parent, or at the anchors' mean.

        Anchors and constants are there from the start.
        """
        assert not player.is_anchor, "a change of anchors needs a new set of ratings"
        assert player.constant_elo is None, "a constant is no newcomer"
        assert player.name not in self.places, f"{player.name} is there already"
        place = len(self.movers)
        self.players += (player,)
        self.movers.append(player)
        self.places[player.name] = place
        self._settle_updates()
        self.strengths = np.append(self.strengths, self._level)
        self.variances = np.append(self.variances, (PRIOR_ELO / ELO) ** 2)
        self.units = np.append(self.units, 0)
        self._forfeits = np.append(self._forfeits, 0)
        self.met = np.pad(self.met, (0, 1))
        self._covariance = np.pad(self._covariance, (0, 1))
        self._covariance[place, place] = self.variances[place]
        self._updates = np.zeros((UNITS_PER_FIT, place + 1))
        if player.parent is None:
            return
        parent = self.places[player.parent]
        self.strengths[place] = self.elo(player.parent) / ELO
        line = self._covariance[place].copy()
        variance = float(line[place])
        if parent >= 0:
            line -= self._covariance[parent]
            variance = float(line[place] - line[parent])
        self._narrow(line, variance, _draws(PARENT_ELO) / 4)

    def count(
        self,
        first: str,
        second: str,
        score: float,
        *,
        forfeit_by: str | None = None,
    ) -> bool:
        """Count a unit, and move the ratings; return whether this was a full fit.

        `score` is that of `first`, from 0 to 1. `forfeit_by` names the one of the two that
        forfeited the unit; the score is then 0 for it whatever `score` says.
        """
        edge = _edge_of(first, second, score, forfeit_by)
        self._add_edge(edge)
        place, other = self.places[first], self.places[second]
        if forfeit_by is None:
            self._move(place, other, score)
        elif self._forfeit_weight()[self.places[forfeit_by]] == 1.0:
            self._move(place, other, float(forfeit_by == second))
        self._since_fit += 1
        self._since_inverse += 1
        is_first_number = FIRST_FIT in (self.units[place], self.units[other])
        if not is_first_number and self._since_fit < UNITS_PER_FIT:
            return False
        # Inverting takes 0.1 s for 1,000 players; until then the updates of `_narrow` are near.
        is_exact = self._since_inverse >= len(self.movers) // 2
        self.fit(is_exact=is_exact)
        return True

    def fit(self, *, is_exact: bool) -> None:
        """Fit all ratings; if `is_exact`, the errors too.

        The ratings follow from the edges alone, to less than 0.01 Elo.
        """
        near = None
        self._settle_updates()
        if not is_exact:
            near = self._covariance
        anchors_mean = self.strengths[self.anchors].mean()
        self.strengths[self.anchors] += self._level - anchors_mean
        self.strengths, self._covariance, self.kappa = fit_ladder(
            self._rows(),
            self.anchors,
            self.strengths,
            covariance=near,
            kappa=self._fixed_kappa,
        )
        self.variances = self._covariance.diagonal().copy()
        self._updates = np.zeros((UNITS_PER_FIT, len(self.movers)))
        self._pending = 0
        self._since_fit = 0
        if self._covariance is not near:
            self._since_inverse = 0

    def _move(self, place: int, other: int, score: float) -> None:
        """Move the ratings by one unit, as the most likely ones move along its direction.

        The answer solves move = variance * kappa * (score - chance(difference + move)).
        """
        line = self.covariances(place) - self.covariances(other)
        variance = float(line[place] - line[other])
        difference = float(self.strengths[place] - self.strengths[other])
        reach = variance * self.kappa
        low, high = -reach, reach
        for _ in range(BISECTIONS):
            move = (low + high) / 2
            chance = 1 / (1 + math.exp(-difference - move))
            if move < reach * (score - chance):
                low = move
            else:
                high = move
        self.strengths += line * (move / variance)
        self._narrow(line, variance, self.kappa * chance * (1 - chance))

    def _narrow(self, line: Floats, variance: float, weight: float) -> None:
        """Add information about one difference to the covariance (Sherman and Morrison 1950).

        `line` has the covariances of the difference, `variance` is its own. The update is kept
        beside the matrix: it costs a line there, and the matrix itself 2 ms for 1,000 players.
        """
        update = line * math.sqrt(weight / (1 + weight * variance))
        if self._pending == len(self._updates):
            self._settle_updates()
        self._updates[self._pending] = update
        self._pending += 1
        self.variances -= update**2

    def _settle_updates(self) -> None:
        """Subtract the updates that were kept beside the matrix."""
        if self._pending:
            updates = self._updates[: self._pending]
            self._covariance -= updates.T @ updates
        self._pending = 0

    def _add_edge(self, edge: Edge) -> None:
        """Add the counts of an edge to those that are there, whichever player is the first."""
        first, second = self.places[edge.first], self.places[edge.second]
        sums = [edge.units, edge.score, edge.squares, edge.first_forfeits, edge.second_forfeits]
        line = self._lines.get((first, second))
        if line is None and (second, first) in self._lines:
            line = self._lines[second, first]
            turned_squares = edge.units - 2 * edge.score + edge.squares
            sums[1:] = [edge.units - edge.score, turned_squares, *sums[:2:-1]]
        if line is None:
            line = len(self._lines)
            self._lines[first, second] = line
            if line == len(self._ends):
                self._ends = np.concatenate((self._ends, np.zeros_like(self._ends)))
                self._sums = np.concatenate((self._sums, np.zeros_like(self._sums)))
            self._ends[line] = first, second
        self._sums[line] += sums
        units = edge.units + edge.first_forfeits + edge.second_forfeits
        for place, forfeits in ((first, edge.first_forfeits), (second, edge.second_forfeits)):
            if place >= 0:
                self.units[place] += units
                self._forfeits[place] += forfeits
        if first >= 0 and second >= 0:
            self.met[first, second] += units
            self.met[second, first] += units

    def _forfeit_weight(self) -> Floats:
        """Return how much each forfeit of each player counts; constants stand at the end."""
        most = MOST_FORFEITS * self.units
        weights: Floats = np.minimum(1, most / np.maximum(self._forfeits, 1))
        return np.append(weights, np.zeros(len(self._constants)))

    def _rows(self) -> Rows:
        """Return the edges and the virtual draws of the priors as rows."""
        number = len(self._lines)
        ends = self._ends[:number]
        units, score, squares, first_forfeits, second_forfeits = self._sums[:number].T
        weight = self._forfeit_weight()
        lost = first_forfeits * weight[ends[:, 0]]
        won = second_forfeits * weight[ends[:, 1]]
        virtual_ends, draws = self._virtual_draws()
        none = np.zeros(len(draws))
        all_ends = np.concatenate((ends, virtual_ends))
        return Rows(
            first=all_ends[:, 0],
            second=all_ends[:, 1],
            units=np.concatenate((units + lost + won, draws)),
            score=np.concatenate((score + won, draws / 2)),
            played=np.concatenate((units, none)),
            played_score=np.concatenate((score, none)),
            squares=np.concatenate((squares, none)),
            is_virtual=np.arange(len(all_ends)) >= number,
            constants=np.array(self._constants[::-1]),
        )

    def _virtual_draws(self) -> tuple[Floats, Floats]:
        """Return the ends and the numbers of the virtual draws: with the anchors' mean, a parent.

        The anchors' mean is the first constant.
        """
        ends, draws = [], []
        for place, player in enumerate(self.movers):
            ends.append((place, -1))
            draws.append(_draws(PRIOR_ELO))
            if player.parent is not None:
                ends.append((place, self.places[player.parent]))
                draws.append(_draws(PARENT_ELO))
        return np.array(ends), np.array(draws)


def _draws(elo: float) -> float:
    """Return how many drawn games leave a difference with this standard error."""
    return 4 * (ELO / elo) ** 2


def _anchors_of(movers: Sequence[Player]) -> Floats:
    """Return the places of the anchors."""
    anchors = [place for place, player in enumerate(movers) if player.is_anchor]
    assert len(anchors) >= LEAST_ANCHORS, f"a ladder has at least {LEAST_ANCHORS} anchors"
    return np.array(anchors)


def _edge_of(
    first: str,
    second: str,
    score: float,
    forfeit_by: str | None,
) -> Edge:
    """Return a single unit as an edge."""
    if forfeit_by is None:
        assert 0 <= score <= 1, f"a score of {score}"
        return Edge(
            first=first,
            second=second,
            units=1,
            score=score,
            squares=score**2,
        )
    assert forfeit_by in (first, second), "only one of the two can forfeit"
    return Edge(
        first=first,
        second=second,
        first_forfeits=int(forfeit_by == first),
        second_forfeits=int(forfeit_by == second),
    )
