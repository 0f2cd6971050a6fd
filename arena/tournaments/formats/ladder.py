"""The pairing of a ladder: no rounds, two bots are paired whenever a seat is free.

The bot whose rating is most urgent is taken first. Its opponent is drawn: those whose result would
tell the ladder most are likely, and a number from 0 to 1 decides. Everything follows from the lines
of a record, so anyone can repeat each pairing. Clock time comes in as `at_ms`, chance as `number`.
"""

import math
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Final, NamedTuple

from arena.one_thread import np
from arena.tournaments.ladder_players import SETTLED_ELO, Edge, Player
from arena.tournaments.statistics.ladder_ratings import FIRST_FIT, MEAN, LadderRatings
from arena.tournaments.statistics.ratings import ELO, Floats

WAIT_MS: Final = 600_000
"""A wait of ten minutes is as urgent as an error of 35 Elo."""
TOP: Final = 10
TOP_URGENCY: Final = 0.5
"""Added for bots that are, or may be, among the first ten: five minutes of waiting."""

COLDNESS: Final = 0.05
"""The softmax over gains, in parts of the largest gain: at 0.25 a rating takes 10 % more units at
the mean and 75 % more at +750 Elo."""
UNIFORM: Final = 0.1
"""The part of draws that takes any opponent within `NEAR_ELO`: it connects the field."""
NEAR_ELO: Final = 400.0
REPEATS: Final = 16
"""Units against the same opponent that halve its gain."""
WINDOW: Final = 100
MOST_OF_WINDOW: Final = 10
"""An opponent of more than this number of a bot's last `WINDOW` units is left out."""
WORTH: Final = 0.6
"""An opponent that tells a smaller part of what the best one tells is as good as none."""
PER_ANCHOR: Final = 2
"""A newcomer begins with two units against each of three anchors."""
UNITS_A_DAY: Final = 50
"""Units of a settled bot in a day: urgency grows with waiting, two of them would never stop."""
MOST_OF_SEATS: Final = 10
"""A bot has at most a tenth of the seats, and at least one, while others wait."""
APART: Final = 1e6
"""Urgency that sets those who may play apart from those who have their share, and from anchors."""
AGREEMENT: Final = 1e-6
"""Probabilities of two machines agree to this: they round differently."""

_NODES, _WEIGHTS = np.polynomial.hermite.hermgauss(5)
NODES: Final = math.sqrt(2) * _NODES[:, None]
WEIGHTS: Final = _WEIGHTS / math.sqrt(math.pi)
"""The mean over a normal distribution by five points (Gauss and Hermite)."""


class Chances(NamedTuple):
    """The bot that is next, and the probability of each opponent, by their numbers in order."""

    bot: int
    opponents: Floats
    probabilities: Floats

    def opponent(self, number: float) -> int:
        """Return the opponent whose interval has the number: from 0 to 1, without 1.

        The intervals stand in order from 0 on. An opponent with the probability 0 is never chosen.
        """
        place = int(np.searchsorted(np.cumsum(self.probabilities), number, side="right"))
        last = int(np.flatnonzero(self.probabilities)[-1])
        return int(self.opponents[min(place, last)])  # the sum may be a little less than 1

    def probability(self, opponent: int) -> float:
        """Return the probability of an opponent; 0 if it is none."""
        return float(self.probabilities[self.opponents == opponent].sum())

    def agree(self, opponent: int, number: float, probability: float) -> bool:
        """Return whether a recorded draw is right, however the machine that drew it rounded."""
        width = self.probability(opponent)
        high = self.probabilities[self.opponents <= opponent].sum()
        is_inside = high - width - AGREEMENT <= number <= high + AGREEMENT
        return bool(is_inside and width > 0 and abs(width - probability) <= AGREEMENT)


def urgency(errors_elo: Floats, waits_ms: Floats, is_top: Floats) -> Floats:
    """Return how urgently each bot is to play."""
    doubt = np.maximum(0, (errors_elo / SETTLED_ELO) ** 2 - 1)
    urgencies: Floats = doubt + waits_ms / WAIT_MS + TOP_URGENCY * is_top
    return urgencies


def is_near_top(elo: Floats, errors_elo: Floats, is_ranked: Floats) -> Floats:
    """Return which bots are in the top ten of the ranked ones, or within two errors of it."""
    ranked = np.append(elo[is_ranked], np.full(TOP, -math.inf))
    tenth = np.sort(ranked)[-TOP]
    near: Floats = elo + 2 * errors_elo >= tenth
    return near


def mean_information(strength: float, error: float, opponents: Floats) -> Floats:
    """Return the mean of p (1 - p) against each opponent; all on the logistic scale."""
    differences = strength + error * NODES - opponents
    with np.errstate(over="ignore"):
        chances = 1 / (1 + np.exp(-differences))
    information: Floats = WEIGHTS @ (chances * (1 - chances))
    return information


def gain(kappa: float, information: Floats, variances: Floats) -> Floats:
    """Return the rise of log det H by a unit; `variances` are those of the differences."""
    gains: Floats = np.log1p(kappa * information * variances)
    return gains


def relax(
    gains: Floats,
    information: Floats,
    repeats: Floats,
    is_fresh: Floats,
) -> Floats:
    """Return the gains with as much variety as the field allows.

    Gains are multiplied by `repeats`, and those that are not fresh are 0. If no fresh opponent is
    left that tells `WORTH` of what the best one of all tells, repeats do not count, and if there is
    still none, freshness does not either. Else the best of a field, with few opponents near, would
    need half as many units again.
    """
    enough = WORTH * information.max()
    fresh_information = information * is_fresh
    if (fresh_information * repeats).max() >= enough:
        return gains * repeats * is_fresh
    if fresh_information.max() >= enough:
        return gains * is_fresh
    return gains


def opponent_probabilities(gains: Floats, distances_elo: Floats) -> Floats:
    """Return the probability of each opponent: a cold softmax, and some drawn at large.

    An opponent without a gain is not drawn; one at least has a gain.
    """
    largest = gains.max()
    weights = np.exp((gains - largest) / (COLDNESS * largest)) * (gains > 0)
    probabilities: Floats = weights / weights.sum()
    is_near = (abs(distances_elo) <= NEAR_ELO) & (gains > 0)
    if is_near.any():
        at_large = is_near / is_near.sum()
        probabilities = (1 - UNIFORM) * probabilities + UNIFORM * at_large
    return probabilities


class LadderDay:
    """The pairing of a day: since when its players wait, what is played, what was counted.

    Players go by their numbers. `chances` says who is next and changes nothing; `begin` notes that
    a match is played, `count` takes each of its units, `end` the end of the match.
    """

    def __init__(self, ratings: LadderRatings, players: Iterable[Player], *, seats: int) -> None:
        """Open a day. `seats` are the matches that can be played at once."""
        self.ratings = ratings
        self.in_play: dict[str, tuple[int, int]] = {}
        """The two players of each match in play, by its fixture."""
        self._seats = seats
        self._number_of_bot: dict[str, int] = {}
        self._bots: Floats = np.zeros(0, dtype=int)
        """The number of the bot of each player: two versions have the same."""
        self._is_founder: Floats = np.zeros(0, dtype=bool)
        self._recent: list[deque[int]] = []
        """The opponents of each player in its last units."""
        self._since_ms: list[int] = []
        """When each came, or when its last match began or ended."""
        self._units_today: list[int] = []
        for player in players:
            self._enter(player)

    def _enter(self, player: Player) -> None:
        bot = self._number_of_bot.setdefault(player.bot, len(self._number_of_bot))
        self._bots = np.append(self._bots, bot)
        self._is_founder = np.append(self._is_founder, player.is_founder)
        self._recent.append(deque(maxlen=WINDOW))
        self._since_ms.append(0)
        self._units_today.append(0)

    # What happens

    def add(self, player: Player) -> None:
        """Let a new version join."""
        self.ratings.add(player)
        self._enter(player)

    def arrive(self, number: int, at_ms: int) -> None:
        """Note that a player has come: its wait begins."""
        self._since_ms[number] = at_ms

    def begin(self, fixture: str, first: int, second: int, at_ms: int) -> None:
        """Note that the two play a match from now on."""
        self.in_play[fixture] = (min(first, second), max(first, second))
        self._since_ms[first] = self._since_ms[second] = at_ms

    def end(self, fixture: str, at_ms: int) -> None:
        """Note that a match is over."""
        first, second = self.in_play.pop(fixture)
        self._since_ms[first] = self._since_ms[second] = at_ms

    def count(self, unit: Edge) -> None:
        """Count a unit of two players."""
        for number, opponent in ((unit.first, unit.second), (unit.second, unit.first)):
            self._units_today[number] += 1
            self._recent[number].append(opponent)
        self.ratings.count(unit)

    # Who plays next

    @property
    def playing(self) -> Floats:
        """Counts the matches that each player plays now."""
        numbers = list(chain(*self.in_play.values()))
        return np.bincount(numbers, minlength=len(self._bots))

    def chances(
        self,
        free: Sequence[int],
        at_ms: int,
        *,
        recorded: int | None = None,
    ) -> Chances | None:
        """Return who is to play now; None if no two of those that are free can.

        Left out are bots that may not play any more today, and those that have their share of the
        seats while others wait. Anchors are next only if no bot can play. If the urgency of a
        `recorded` bot is the same but for rounding, it is the next.
        """
        ratings = self.ratings
        playing = self.playing
        is_anchor = self._is_one_of(ratings.anchors)
        is_free = self._is_one_of(free)
        errors = ELO * np.sqrt(np.maximum(0, ratings.variances[:MEAN]))
        is_settled = errors < SETTLED_ELO
        is_used_up = is_settled & (self._units_today + playing >= UNITS_A_DAY)
        is_ready = is_free & (is_anchor | ~is_used_up)
        has_share = self._has_its_share(playing, ~is_settled & ~is_anchor)
        is_open = is_ready & (is_anchor | ~has_share)
        if not (is_open & ~is_anchor).any():
            is_open = is_ready  # no others wait
        is_ranked = is_settled & ~is_anchor & (is_free | (playing > 0))
        is_top = is_near_top(ELO * ratings.strengths[:MEAN], errors, is_ranked)
        ranks = urgency(errors, at_ms - np.array(self._since_ms), is_top)
        ranks += APART * is_open - 2 * APART * is_anchor
        ranks[~is_free | is_used_up] = -math.inf
        if recorded is not None:
            ranks[recorded] += AGREEMENT
        is_beginning = self._is_founder & (ratings.units + playing < FIRST_FIT)
        first_anchors = self._first_anchors(is_ready)
        open_ones = np.flatnonzero(is_open & ~is_beginning)
        ready_ones = np.flatnonzero(is_ready & ~is_beginning)
        if not first_anchors and not len(ready_ones):
            return None  # at once: a thousand newcomers may wait for anchors
        while ranks.max() > -math.inf:
            bot = int(ranks.argmax())
            ranks[bot] = -math.inf
            if is_beginning[bot]:
                anchors = self._still_to_meet(bot, first_anchors)
                if len(anchors):
                    return Chances(bot, anchors, np.full(len(anchors), 1 / len(anchors)))
            opponents = self._others(bot, open_ones, ready_ones)
            if len(opponents):
                return Chances(bot, opponents, self._probabilities(bot, opponents))
        return None

    def _by_number(self, counts: Mapping[int, int]) -> Floats:
        """Return a count for each player."""
        by_number = np.zeros(len(self._bots))
        by_number[list(counts)] = list(counts.values())
        return by_number

    def _is_one_of(self, numbers: Sequence[int]) -> Floats:
        """Return for each player whether it is one of these."""
        is_one: Floats = np.zeros(len(self._bots), dtype=bool)
        is_one[numbers] = True
        return is_one

    def _has_its_share(self, playing: Floats, is_newcomer: Floats) -> Floats:
        """Return which bots have a tenth of the seats, or as newcomers share half of them."""
        has_share: Floats = playing >= max(1, self._seats // MOST_OF_SEATS)
        seats = sum(
            is_newcomer[first] or is_newcomer[second] for first, second in self.in_play.values()
        )
        if seats >= max(1, self._seats // 2):
            has_share |= is_newcomer
        return has_share

    def _others(self, bot: int, open_ones: Floats, ready_ones: Floats) -> Floats:
        """Return the open players, or else the ready ones, that are no versions of the same bot."""
        others: Floats = open_ones[self._bots[open_ones] != self._bots[bot]]
        if not len(others):
            others = ready_ones[self._bots[ready_ones] != self._bots[bot]]
        return others

    def _first_anchors(self, is_ready: Floats) -> list[int]:
        """Return those ready of the three anchors, spread over the scale, that newcomers meet."""
        ratings = self.ratings
        by_strength = sorted(ratings.anchors, key=lambda anchor: float(ratings.strengths[anchor]))
        spread = {by_strength[0], by_strength[len(by_strength) // 2], by_strength[-1]}
        return [anchor for anchor in sorted(spread) if is_ready[anchor]]

    def _still_to_meet(self, bot: int, anchors: Iterable[int]) -> Floats:
        """Return which of some anchors a newcomer has still to meet."""
        to_meet = []
        for anchor in anchors:
            matches = list(self.in_play.values()).count((min(bot, anchor), max(bot, anchor)))
            if self.ratings.met[bot][anchor] + matches < PER_ANCHOR:
                to_meet.append(anchor)
        return np.array(to_meet)

    def _probabilities(self, bot: int, opponents: Floats) -> Floats:
        """Return the probability of each opponent by what a result would tell."""
        ratings = self.ratings
        strength = float(ratings.strengths[bot])
        strengths = ratings.strengths[opponents]
        error = math.sqrt(max(0.0, ratings.variances[bot]))
        information = mean_information(strength, error, strengths)
        common = ratings.covariances(bot)[opponents]
        variances = ratings.variances[bot] + ratings.variances[opponents] - 2 * common
        gains = gain(ratings.kappa, information, variances)
        met = self._by_number(ratings.met[bot])[opponents]
        recent = self._by_number(Counter(self._recent[bot]))[opponents]
        gains = relax(gains, information, 1 / (1 + met / REPEATS), recent <= MOST_OF_WINDOW)
        return opponent_probabilities(gains, ELO * (strengths - strength))
