"""The ratings of a ladder: counted edges in, Elo with errors out, up to date after every unit.

A player is a version of a bot. What is kept are the counted edges, never the units. A unit moves
the ratings at once (`count`); a full fit follows at counted results, so it can be repeated from the
edges alone, in whatever order they came. Elo is that above the mean of the anchors, which is fixed.
"""

import math
from collections.abc import Collection, Iterable
from typing import Final

import msgspec

from arena.one_thread import np
from arena.tournaments.statistics.ladder_fit import Rows, covariance_of, fit_ladder
from arena.tournaments.statistics.ratings import ELO, Floats, expected_score

UNITS_PER_FIT: Final = 50
"""Units of the whole ladder between two full fits: an online rating alone has four times their
error. A fit of 1,000 players takes some 10 ms."""
FIRST_FIT: Final = 6
"""A newcomer's sixth unit asks for a full fit: it has a number from then on."""
LEAST_ANCHORS: Final = 3
"""The mean of fewer programs would move with each of them."""

PRIOR_ELO: Final = 300.0
"""The standard deviation of the weak prior of a player without parent around the anchors' mean: the
spread of a field."""
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
        self.movers: list[Player] = []
        self._level = anchors_mean_elo / ELO
        self._constants = [self._level]
        self._fixed_kappa = kappa
        self.kappa = kappa or 1.0
        for player in self.players:
            assert player.name not in self.places, f"{player.name} is there twice"
            if player.constant_elo is None:
                self.places[player.name] = len(self.movers)
                self.movers.append(player)
            else:
                self._constants.append(player.constant_elo / ELO)
                self.places[player.name] = -len(self._constants)
        size = len(self.movers)
        self.anchors = np.flatnonzero([player.is_anchor for player in self.movers])
        assert len(self.anchors) >= LEAST_ANCHORS, f"a ladder has at least {LEAST_ANCHORS} anchors"
        self.strengths = np.full(size, self._level)
        self.variances = np.zeros(size)
        self.units = np.zeros(size, dtype=int)
        self.met = np.zeros((size, size), dtype=np.int32)
        self._forfeits = np.zeros(size)
        self._lines: dict[tuple[int, int], int] = {}
        self._ends = np.zeros((64, 2), dtype=int)
        self._sums = np.zeros((64, 6))
        """Units, score, squares, forfeits of the first, those of the second, virtual draws."""
        for player in self.movers:
            self._add_prior(player)
        for edge in edges:
            self._add_edge(edge)
        self._since_fit = 0
        self._since_inverse = 0
        self._updates = np.zeros((0, size))
        rows = self._rows()
        self._covariance = covariance_of(rows, rows.units + rows.draws, self.anchors, size)
        self.fit(is_exact=True)

    # What is known

    def elo(self, name: str) -> float:
        """Return the rating of a player, in Elo above the anchors' mean (or as that was set)."""
        return ELO * self._strength(self.places[name])

    def _strength(self, place: int) -> float:
        if place < 0:
            return self._constants[-1 - place]
        return float(self.strengths[place])

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
        row: Floats = self._covariance[place] - self._updates[:, place] @ self._updates
        return row

    def edges(self) -> list[Edge]:
        """Return the counted edges: with the players all that the next day needs."""
        names = {place: name for name, place in self.places.items()}
        edges = []
        for (first, second), line in self._lines.items():
            units, score, squares, first_forfeits, second_forfeits, _ = self._sums[line].tolist()
            if units + first_forfeits + second_forfeits == 0:
                continue
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
        is_newcomer = not player.is_anchor and player.constant_elo is None
        assert is_newcomer, "anchors and constants are there from the start"
        assert player.name not in self.places, f"{player.name} is there already"
        self._settle_updates()
        place = len(self.movers)
        tie, error_elo = self._prior(player)
        line = np.zeros(place + 1)
        if tie >= 0:
            line = np.append(self._covariance[tie], self.variances[tie])
        line[place] += (error_elo / ELO) ** 2
        self.players += (player,)
        self.movers.append(player)
        self.places[player.name] = place
        self._add_prior(player)
        self.strengths = np.append(self.strengths, self._strength(tie))
        self.variances = np.append(self.variances, line[place])
        self.units = np.append(self.units, 0)
        self._forfeits = np.append(self._forfeits, 0)
        self.met = np.pad(self.met, (0, 1))
        self._covariance = np.pad(self._covariance, (0, 1))
        self._covariance[place] = self._covariance[:, place] = line
        self._updates = np.zeros((0, place + 1))

    def count(
        self,
        first: str,
        second: str,
        score: float,
        *,
        forfeits_by: Collection[str] = (),
    ) -> bool:
        """Count a unit, and move the ratings; return whether this was a full fit.

        `score` is that of `first`, from 0 to 1. Those in `forfeits_by` have forfeited the unit:
        each has lost, whatever `score` says, and the next fit counts that. A unit that both have
        forfeited counts as two: each has lost one.
        """
        assert 0 <= score <= 1, f"a score of {score}"
        is_played = not forfeits_by
        edge = Edge(
            first=first,
            second=second,
            units=int(is_played),
            score=is_played * score,
            squares=is_played * score**2,
            first_forfeits=int(first in forfeits_by),
            second_forfeits=int(second in forfeits_by),
        )
        place, opponent = self.places[first], self.places[second]
        ends = [place, opponent]
        had_number = self.units[ends] >= FIRST_FIT
        self._add_edge(edge)
        if is_played:
            self._move(place, opponent, score)
        self._since_fit += 1
        self._since_inverse += 1
        is_first_number = (self.units[ends] >= FIRST_FIT) > had_number
        if not is_first_number.any() and self._since_fit < UNITS_PER_FIT:
            return False
        # Inverting takes 0.1 s for 1,000 players; until then the updates of `_move` are near. The
        # counts alone say when, so that every machine has the same errors.
        self.fit(is_exact=self._since_inverse >= len(self.movers) // 2)
        return True

    def fit(self, *, is_exact: bool) -> None:
        """Fit all ratings; if `is_exact`, the errors too.

        The ratings follow from the edges alone, to less than 0.01 Elo. Errors do at exact fits;
        between these they follow from the edges and from the units since, in their order.
        """
        self._settle_updates()
        rows = self._rows()
        self.strengths, information, self.kappa = fit_ladder(
            rows,
            self.anchors,
            self.strengths,
            self._covariance,
            kappa=self._fixed_kappa,
            start_kappa=self.kappa,
        )
        self._since_fit = 0
        if is_exact:
            size = len(self.movers)
            self._covariance = covariance_of(rows, information, self.anchors, size)
            self.variances = self._covariance.diagonal().copy()
            self._since_inverse = 0

    def _move(self, place: int, opponent: int, score: float) -> None:
        """Move the ratings by one unit, and add its information to the covariance.

        The most likely ratings along the direction of the unit solve
        move = variance * kappa * (score - chance(lead + move)). The information is that after the
        move: before it, that of a newcomer that keeps losing would be too large, and the next fit
        long. The covariance is brought up to date (Sherman and Morrison 1950) by a line beside the
        matrix: the matrix itself costs 2 ms for 1,000 players.
        """
        line = self.covariances(place) - self.covariances(opponent)
        variance = float(line[place] - line[opponent])
        lead = float(self.strengths[place] - self.strengths[opponent])
        reach = variance * self.kappa
        low, high = -reach, reach
        for _ in range(BISECTIONS):
            move = (low + high) / 2
            chance = expected_score(ELO * (lead + move))
            if move < reach * (score - chance):
                low = move
            else:
                high = move
        self.strengths += line * (move / variance)
        weight = self.kappa * chance * (1 - chance)
        update = line * math.sqrt(weight / (1 + weight * variance))
        self.variances -= update**2
        self._updates = np.vstack((self._updates, update))

    def _settle_updates(self) -> None:
        """Subtract the updates that were kept beside the matrix."""
        self._covariance -= self._updates.T @ self._updates
        self._updates = self._updates[:0]

    def _line(self, first: int, second: int) -> int:
        """Return the line of the sums of two players, which may be a new one."""
        line = self._lines.setdefault((first, second), len(self._lines))
        if line == len(self._ends):
            self._ends = np.pad(self._ends, ((0, line), (0, 0)))
            self._sums = np.pad(self._sums, ((0, line), (0, 0)))
        self._ends[line] = first, second
        return line

    def _prior(self, player: Player) -> tuple[int, float]:
        """Return the place that a player starts from, and how far from it, in Elo.

        It is the parent, or the anchors' mean, which is the first constant.
        """
        if player.parent is None:
            return -1, PRIOR_ELO
        return self.places[player.parent], PARENT_ELO

    def _add_prior(self, player: Player) -> None:
        """Add the virtual draws whose difference has the standard error of the prior."""
        tie, error_elo = self._prior(player)
        line = self._line(self.places[player.name], tie)
        self._sums[line, 5] = 4 * (ELO / error_elo) ** 2

    def _add_edge(self, edge: Edge) -> None:
        """Add the counts of an edge to those that are there, whichever player is the first."""
        first, second = self.places[edge.first], self.places[edge.second]
        forfeits = edge.first_forfeits, edge.second_forfeits
        units = edge.units + sum(forfeits)
        for place, lost in zip((first, second), forfeits, strict=True):
            if place >= 0:
                self.units[place] += units
                self._forfeits[place] += lost
        if first >= 0 and second >= 0:
            self.met[first, second] += units
            self.met[second, first] += units
        score, squares = edge.score, edge.squares
        if (second, first) in self._lines:
            first, second = second, first
            forfeits = forfeits[::-1]
            squares += edge.units - 2 * score
            score = edge.units - score
        line = self._line(first, second)
        self._sums[line, :5] += edge.units, score, squares, *forfeits

    def _forfeit_weight(self) -> Floats:
        """Return how much each forfeit of each player counts; constants stand at the end."""
        most = MOST_FORFEITS * self.units
        weights: Floats = np.minimum(1, most / np.maximum(self._forfeits, 1))
        return np.append(weights, np.zeros(len(self._constants)))

    def _rows(self) -> Rows:
        """Return the edges and the virtual draws of the priors as rows."""
        number = len(self._lines)
        ends = self._ends[:number]
        units, score, squares, first_forfeits, second_forfeits, draws = self._sums[:number].T
        weight = self._forfeit_weight()
        lost = first_forfeits * weight[ends[:, 0]]
        won = second_forfeits * weight[ends[:, 1]]
        first, second = ends.T % len(weight)
        return Rows(
            first=first,
            second=second,
            units=units + lost + won,
            score=score + won,
            draws=draws,
            played=units,
            played_score=score,
            squares=squares,
            constants=np.array(self._constants[::-1]),
        )
