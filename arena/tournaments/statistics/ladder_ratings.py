"""The ratings of a ladder: counted edges in, Elo with errors out, up to date after every unit.

What is kept are the counted edges, never the units. A unit moves the ratings at once (`count`); a
full fit follows at counted results, so it can be repeated from the edges alone, in whatever order
they came. Elo is that above the mean of the anchors, which is fixed.
"""

import math
from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import UNSET

from arena.one_thread import np
from arena.tournaments.ladder_players import LEAST_ANCHORS, Edge, Player
from arena.tournaments.statistics.ladder_fit import Rows, covariance_of, fit_ladder
from arena.tournaments.statistics.ratings import ELO, Floats, expected_score

UNITS_PER_FIT: Final = 50
"""Units of the whole ladder between two full fits: an online rating alone has four times their
error. A fit of 1,000 players takes some 10 ms."""
FIRST_FIT: Final = 6
"""A newcomer's sixth unit asks for a full fit: it has a number from then on."""
UNITS_PER_FIRST_FIT: Final = 10
"""Units between full fits that newcomers ask for: in a field of newcomers each unit would fit."""

PRIOR_ELO: Final = 300.0
"""The standard deviation of the weak prior of a player without parent around the anchors' mean: the
spread of a field."""
PARENT_ELO: Final = 120.0
"""The standard deviation of a new version around its parent."""
MOST_FORFEITS: Final = 0.05
"""Forfeits count as results up to this share of the units of the bot that forfeits."""
BISECTIONS: Final = 40
"""Halvings of the interval of a local update: it is right to a part in 10^12."""
MEAN: Final = -1
"""The place of the anchors' mean: the last of the arrays."""


class LadderRatings:
    """The ratings of a ladder while it is played.

    `numbers` has the number of each player. The arrays `strengths` and `variances` (logistic scale,
    against the anchors' mean) have a place for each, and one more for that mean. `units` and `met`
    count all units of a player, and those against each other one. All are only to be read.
    """

    def __init__(
        self,
        players: Iterable[Player],
        edges: Iterable[Edge] = (),
        *,
        anchors_mean_elo: float = 0.0,
    ) -> None:
        """Fit the ratings of counted edges; a parent comes before its children.

        `anchors_mean_elo` is another number than 0 after the anchors have changed: the mean that
        the new ones had then.
        """
        self.kappa = 1.0
        self.numbers: dict[str, int] = {}
        self.anchors: list[int] = []
        self.strengths = np.array([anchors_mean_elo / ELO])
        self.variances = np.zeros(1)
        self.units = np.zeros(0, dtype=int)
        self.met: list[Counter[int]] = []
        self._movers = np.zeros(0, dtype=int)
        """The players whose ratings are not constant."""
        self._lines: dict[tuple[int, int], int] = {}
        self._since_fit = self._since_inverse = 0
        self._table = np.zeros((64, 8))
        """The edges, with the virtual draws of the priors as the last column."""
        for player in players:
            self._enter(player)
        assert len(self.anchors) >= LEAST_ANCHORS, f"a ladder has at least {LEAST_ANCHORS} anchors"
        for edge in edges:
            self._add_edge(edge)
        self._updates = np.zeros((0, len(self.strengths)))
        rows = self._rows()
        self._covariance = covariance_of(rows, rows.units + rows.draws)
        self.fit(is_exact=True)

    # What is known

    def elo(self, entrant: str) -> float:
        """Return the rating of a player, in Elo above the anchors' mean (or as that was set)."""
        return ELO * float(self.strengths[self.numbers[entrant]])

    def error(self, entrant: str) -> float:
        """Return the standard error of a rating against the anchors' mean, in Elo."""
        return _deviation_elo(self.variances[self.numbers[entrant]])

    def error_of_difference(self, entrant: str, rival: str) -> float:
        """Return the standard error of the difference of two ratings, in Elo."""
        number, rival_number = self.numbers[entrant], self.numbers[rival]
        common = self.covariances(number)[rival_number]
        both = self.variances[number] + self.variances[rival_number]
        return _deviation_elo(both - 2 * common)

    def covariances(self, number: int) -> Floats:
        """Return the covariance of a player's strength with that of every player."""
        row = np.zeros(len(self.strengths))
        place = int(np.searchsorted(self._movers, number))
        if number in self._movers[place : place + 1]:
            row[self._movers] = self._covariance[place]
            row -= self._updates[:, number] @ self._updates
        return row

    def edges(self) -> list[Edge]:
        """Return the counted edges: with the players all that the next day needs."""
        edges = []
        for line in self._table[: len(self._lines)].tolist():
            first, second, units, score, squares, *forfeits, _ = line
            if units or any(forfeits):
                counts = [round(units), score, squares, *map(round, forfeits)]
                edges.append(Edge(round(first), round(second), *counts))
        return edges

    # What comes

    def add(self, player: Player) -> None:
        """Add a version that joins: it starts from its parent, or at the anchors' mean."""
        tie, deviation_elo = self._prior(player)
        common = self.covariances(tie)[self._movers]
        variance = self.variances[tie] + (deviation_elo / ELO) ** 2
        self._settle_updates()
        number = self._enter(player)
        self.variances[number] = variance
        self._covariance = np.pad(self._covariance, (0, 1))
        self._covariance[-1] = self._covariance[:, -1] = np.append(common, variance)
        self._updates = np.zeros((0, len(self.strengths)))

    def count(self, edge: Edge) -> None:
        """Count a unit, and move the ratings; a full fit follows if one is due."""
        ends = [edge.first, edge.second]
        had_number = self.units[ends] >= FIRST_FIT
        self._add_edge(edge)
        if edge.units:
            self._move(edge)
        self._since_fit += 1
        self._since_inverse += 1
        has_new_number = (self.units[ends] >= FIRST_FIT) > had_number
        if has_new_number.any():
            self._most_until_fit = UNITS_PER_FIRST_FIT
        if self._since_fit >= self._most_until_fit:
            # Inverting takes 0.1 s for 1,000 players; until then the updates of `_move` are near.
            # The counts alone say when, so that every machine has the same errors.
            self.fit(is_exact=self._since_inverse >= len(self._movers) // 2)

    def fit(self, *, is_exact: bool) -> None:
        """Fit all ratings; if `is_exact`, the errors too.

        The ratings follow from the edges alone, to less than 0.01 Elo. Errors do at exact fits;
        between these they follow from the edges and from the units since, in their order.
        """
        self._settle_updates()
        rows = self._rows()
        fit = fit_ladder(rows, self.strengths, self._covariance, self.kappa)
        self.strengths = fit.strengths
        self.kappa = fit.kappa
        self._since_fit = 0
        self._most_until_fit = UNITS_PER_FIT
        if is_exact:
            self._covariance = covariance_of(rows, fit.information)
            self.variances[self._movers] = self._covariance.diagonal()
            self._since_inverse = 0

    def _move(self, edge: Edge) -> None:
        """Move the ratings by one unit, and add its information to the covariance.

        The most likely ratings along the direction of the unit solve
        move = variance * kappa * (score - chance(lead + move)). The information is that after the
        move: before it, that of a newcomer that keeps losing would be too large, and the next fit
        long. The covariance is brought up to date (Sherman and Morrison 1950) by a line beside the
        matrix: the matrix itself costs 2 ms for 1,000 players.
        """
        line = self.covariances(edge.first) - self.covariances(edge.second)
        variance = float(line[edge.first] - line[edge.second])
        lead = float(self.strengths[edge.first] - self.strengths[edge.second])
        reach = variance * self.kappa
        low, high = -reach, reach
        for _ in range(BISECTIONS):
            move = (low + high) / 2
            chance = expected_score(ELO * (lead + move))
            if move < reach * (edge.score - chance):
                low = move
            else:
                high = move
        self.strengths += line * (move / variance)
        weight = self.kappa * chance * (1 - chance)
        update = line * math.sqrt(weight / (1 + weight * variance))
        self.variances -= update**2
        self._updates = np.vstack((self._updates, update))

    def _settle_updates(self) -> None:
        """Subtract the updates that were kept beside the matrix; none takes no time."""
        if len(self._updates):
            updates = self._updates[:, self._movers]
            self._covariance -= updates.T @ updates
            self._updates = self._updates[:0]

    def _enter(self, player: Player) -> int:
        """Give a player its number and its prior: virtual draws that have its standard error."""
        number = len(self.numbers)
        tie, deviation_elo = self._prior(player)
        strength = self.strengths[tie]
        if player.constant_elo is not UNSET:
            strength = player.constant_elo / ELO
        else:
            self._movers = np.append(self._movers, number)
            draws = 4 * (ELO / deviation_elo) ** 2
            self._add_line(number, tie, [0, 0, 0, 0, 0, draws])
            if player.is_anchor:
                self.anchors.append(number)
        self.numbers[player.entrant] = number
        self.strengths = np.insert(self.strengths, number, strength)
        self.variances = np.insert(self.variances, number, 0)
        self.units = np.append(self.units, 0)
        self.met.append(Counter())
        return number

    def _prior(self, player: Player) -> tuple[int, float]:
        """Return the number that a player starts from, and how far from it, in Elo."""
        if player.parent:
            return self.numbers[player.parent], PARENT_ELO
        return MEAN, PRIOR_ELO

    def _add_edge(self, edge: Edge) -> None:
        """Add the counts of an edge to those that are there."""
        first, second, *counts = edge
        self._add_line(first, second, [*counts, 0])
        units = edge.units + edge.first_forfeits + edge.second_forfeits
        self.units[[first, second]] += units
        self.met[first][second] += units
        self.met[second][first] += units

    def _add_line(self, first: int, second: int, counts: list[float]) -> None:
        """Add to the line of two players in the table, which may be a new one."""
        line = self._lines.setdefault((first, second), len(self._lines))
        if line == len(self._table):
            self._table = np.pad(self._table, ((0, line), (0, 0)))
        self._table[line, :2] = first, second
        self._table[line, 2:] += counts

    def _rows(self) -> Rows:
        """Return the edges and the virtual draws of the priors as rows.

        A forfeit is a loss that counts less if its bot has forfeited more than its share.
        """
        table = self._table[: len(self._lines)]
        size = len(self.strengths)
        first, second = table[:, :2].T.astype(int) % size
        units, score, squares, first_forfeits, second_forfeits, draws = table[:, 2:].T
        forfeits = np.bincount(first, first_forfeits, size)
        forfeits += np.bincount(second, second_forfeits, size)
        most = MOST_FORFEITS * np.append(self.units, 0)
        weight = np.minimum(1, most / np.maximum(forfeits, 1))
        lost = first_forfeits * weight[first]
        won = second_forfeits * weight[second]
        return Rows(
            first=first,
            second=second,
            units=units + lost + won,
            score=score + won,
            squares=squares + won,
            draws=draws,
            movers=self._movers,
            anchors=self.anchors,
            places=size,
        )


def _deviation_elo(variance: float) -> float:
    """Return the root of a variance (logistic scale) in Elo; rounding may have made it negative."""
    return ELO * math.sqrt(max(0.0, variance))
