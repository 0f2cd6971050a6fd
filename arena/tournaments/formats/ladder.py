"""The pairing of a ladder: no rounds, two bots are paired whenever a seat is free.

The bot whose rating is most urgent is taken first. Its opponent is drawn: those whose result would
tell the ladder most are likely, and a number from 0 to 1 decides. Everything follows from the lines
of a record, so anyone can repeat each pairing. Clock time comes in as `at_ms`, chance as `number`.
"""

import math
from collections import Counter, deque
from collections.abc import Collection
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec

from arena.one_thread import np
from arena.tournaments.statistics.ladder_ratings import FIRST_FIT, LadderRatings, Player
from arena.tournaments.statistics.ratings import ELO, Floats

SETTLED_ELO: Final = 25.0
"""The standard error from which on a rating is settled: the 95 % interval is within 50 Elo. A bot
with a larger one is a newcomer."""
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


class Draw(msgspec.Struct, frozen=True, kw_only=True):
    """A drawn pair, and the probability of each opponent, in the order in which they joined."""

    bot: str
    opponent: str
    probabilities: dict[str, float]

    @property
    def probability(self) -> float:
        """That of the opponent."""
        return self.probabilities[self.opponent]


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


def choose(probabilities: Floats, number: float) -> int:
    """Return the place whose interval has the number: from 0 to 1, without 1.

    The intervals stand in order from 0 on. A place with the probability 0 is never chosen.
    """
    place = int(np.searchsorted(np.cumsum(probabilities), number, side="right"))
    last = int(np.flatnonzero(probabilities)[-1])
    return min(place, last)  # the sum may be a little less than 1


class LadderDay:
    """The pairing of a day: who is there and since when, what is played, what was counted.

    Bots come (`arrive`) and go (`leave`). Whenever a seat is free, `draw` names a pair, and changes
    nothing; `begin` says that a pair plays, `count` takes each of its units, `end` the end of the
    match. The next day goes on with `ratings.players` and `ratings.edges()`.
    """

    def __init__(
        self,
        ratings: LadderRatings,
        *,
        seats: int,
        units_a_day: int = UNITS_A_DAY,
    ) -> None:
        """Open a day: no bot is there. `seats` are the matches that can be played at once."""
        self.ratings = ratings
        self._seats = seats
        self._units_a_day = units_a_day
        self._in_play: list[tuple[int, int]] = []
        self._recent: list[deque[int]] = []
        self._owners: list[str] = []
        self._is_anchor: Floats = np.zeros(0, dtype=bool)
        self._has_parent: Floats = np.zeros(0, dtype=bool)
        self._is_present: Floats = np.zeros(0, dtype=bool)
        self._since_ms: Floats = np.zeros(0)
        self._units_today: Floats = np.zeros(0, dtype=int)
        self._playing: Floats = np.zeros(0, dtype=int)
        for player in ratings.movers:
            self._note(player)

    def _note(self, player: Player) -> None:
        """Keep what pairing asks of a player."""
        self._recent.append(deque(maxlen=WINDOW))
        self._owners.append(player.owner)
        self._is_anchor = np.append(self._is_anchor, player.is_anchor)
        self._has_parent = np.append(self._has_parent, player.parent is not None)
        self._is_present = np.append(self._is_present, False)
        self._since_ms = np.append(self._since_ms, 0.0)
        self._units_today = np.append(self._units_today, 0)
        self._playing = np.append(self._playing, 0)

    # What happens

    def add(self, player: Player) -> None:
        """Let a new version join; it is not there before it arrives."""
        self.ratings.add(player)
        self._note(player)

    def arrive(self, name: str, at_ms: int) -> None:
        """Note that a bot is there: its wait begins."""
        place = self.ratings.places[name]
        self._is_present[place] = True
        self._since_ms[place] = at_ms

    def leave(self, name: str) -> None:
        """Note that a bot is gone, or rests."""
        self._is_present[self.ratings.places[name]] = False

    def begin(self, bot: str, opponent: str, at_ms: int) -> None:
        """Note that the two play a match from now on."""
        pair = self._pair(bot, opponent)
        self._in_play.append(pair)
        for place in pair:
            self._playing[place] += 1
            self._since_ms[place] = at_ms

    def end(self, bot: str, opponent: str, at_ms: int) -> None:
        """Note that a match of the two is over."""
        pair = self._pair(bot, opponent)
        self._in_play.remove(pair)
        for place in pair:
            self._playing[place] -= 1
            self._since_ms[place] = at_ms

    def count(
        self,
        bot: str,
        opponent: str,
        score: float,
        *,
        forfeits_by: Collection[str] = (),
    ) -> bool:
        """Count a unit; return whether a full fit followed (see `LadderRatings.count`)."""
        first, second = self._pair(bot, opponent)
        self._units_today[[first, second]] += 1
        self._recent[first].append(second)
        self._recent[second].append(first)
        return self.ratings.count(bot, opponent, score, forfeits_by=forfeits_by)

    # Who plays next

    def draw(self, free: AbstractSet[str], at_ms: int, number: float) -> Draw | None:
        """Draw a pair of those who are free for a match; None if no two can play now.

        `free` has all bots that are there and have room for another match, anchors too. Bots that
        may not play any more today are left out here, and so are those that have their share of the
        seats while others wait.
        """
        chances = self._chances_of_next(free, at_ms)
        if chances is None:
            return None
        bot, opponents, probabilities = chances
        movers = self.ratings.movers
        names = [movers[opponent].name for opponent in opponents]
        return Draw(
            bot=movers[bot].name,
            opponent=names[choose(probabilities, number)],
            probabilities=dict(zip(names, probabilities.tolist(), strict=True)),
        )

    def agrees(
        self,
        bot: str,
        opponent: str,
        probability: float,
        *,
        free: AbstractSet[str],
        at_ms: int,
        number: float,
    ) -> bool:
        """Return whether a recorded draw is right, however the machine that drew it rounded.

        Its bot is as urgent as any that can play, the probability is that of the opponent, and the
        number lies in its interval, each to `AGREEMENT`.
        """
        if not {bot, opponent} <= free:
            return False
        first = self.ratings.places[bot]
        chances = self._chances_of_next(free, at_ms, recorded=first)
        if chances is None:
            return False
        next_bot, opponents, probabilities = chances
        second = self.ratings.places[opponent]
        if next_bot != first or second not in opponents:
            return False
        place = opponents.index(second)
        low, high = np.cumsum(np.append(0, probabilities))[[place, place + 1]]
        is_the_probability = abs(high - low - probability) <= AGREEMENT
        return bool(is_the_probability and low - AGREEMENT <= number <= high + AGREEMENT)

    def urgencies(self, at_ms: int) -> Floats:
        """Return how urgently each player is to play, by place."""
        errors = self._errors()
        elo = ELO * self.ratings.strengths
        is_ranked = (errors < SETTLED_ELO) & self._is_present & ~self._is_anchor
        is_top = is_near_top(elo, errors, is_ranked)
        return urgency(errors, at_ms - self._since_ms, is_top)

    def _chances_of_next(
        self,
        free: AbstractSet[str],
        at_ms: int,
        *,
        recorded: int | None = None,
    ) -> tuple[int, list[int], Floats] | None:
        """Return the bot that is next, its opponents by place, and their probabilities.

        Those with their share of the seats are next only if no others can play, anchors only if no
        bots can. If the urgency of a `recorded` bot is the same but for rounding, it is the next.
        """
        places = [self.ratings.places[name] for name in free]
        is_free = np.zeros(len(self._owners), dtype=bool)
        is_free[places] = True
        errors = self._errors()
        is_settled = errors < SETTLED_ELO
        is_used_up = is_settled & (self._units_today + self._playing >= self._units_a_day)
        is_ready = is_free & (self._is_anchor | ~is_used_up)
        is_open = is_ready & ~self._has_its_share(~is_settled & ~self._is_anchor)
        if not (is_open & ~self._is_anchor).any():
            is_open = is_ready  # no others wait
        ranks = self.urgencies(at_ms) + APART * is_open - 2 * APART * self._is_anchor
        ranks[~is_free | is_used_up] = -math.inf
        while True:
            bot = int(ranks.argmax())
            if ranks[bot] == -math.inf:
                return None
            if recorded is not None and ranks[recorded] >= ranks[bot] - AGREEMENT:
                bot = recorded
            opponents, probabilities = self._opponents(bot, is_ready, is_open)
            if opponents:
                return bot, opponents, probabilities
            ranks[bot] = -math.inf

    def _opponents(
        self,
        bot: int,
        is_ready: Floats,
        is_open: Floats,
    ) -> tuple[list[int], Floats]:
        """Return the opponents of a bot in the order of places, and their probabilities."""
        anchors = self._first_anchors(bot, is_ready)
        if anchors:
            return anchors, np.full(len(anchors), 1 / len(anchors))
        is_other = np.array([owner != self._owners[bot] for owner in self._owners])
        is_other |= self._is_anchor & self._is_anchor[bot]
        is_other &= ~self._is_beginning()
        is_other[bot] = False
        is_fresh = np.ones(len(is_other), dtype=bool)
        for opponent, units in Counter(self._recent[bot]).items():
            is_fresh[opponent] = units <= MOST_OF_WINDOW
        ratings = self.ratings
        if not (is_other & is_open).any():
            is_open = is_ready
        candidates = np.flatnonzero(is_other & is_open)
        if not len(candidates):
            return [], np.zeros(0)
        strength = float(ratings.strengths[bot])
        strengths = ratings.strengths[candidates]
        error = math.sqrt(max(0.0, ratings.variances[bot]))
        information = mean_information(strength, error, strengths)
        common = ratings.covariances(bot)[candidates]
        variances = ratings.variances[bot] + ratings.variances[candidates] - 2 * common
        gains = gain(ratings.kappa, information, variances)
        repeats = 1 / (1 + ratings.met[bot][candidates] / REPEATS)
        gains = relax(gains, information, repeats, is_fresh[candidates])
        distances = ELO * (strengths - strength)
        return candidates.tolist(), opponent_probabilities(gains, distances)

    def _first_anchors(self, bot: int, is_ready: Floats) -> list[int]:
        """Return the anchors that a newcomer has still to meet in its first units."""
        if not self._is_beginning()[bot]:
            return []
        anchors = self.ratings.anchors
        by_strength = anchors[np.argsort(self.ratings.strengths[anchors], kind="stable")]
        spread = by_strength[[0, len(anchors) // 2, -1]].tolist()
        to_meet = []
        for anchor in sorted(spread):
            matches = self._in_play.count((min(bot, anchor), max(bot, anchor)))
            if is_ready[anchor] and self.ratings.met[bot, anchor] + matches < PER_ANCHOR:
                to_meet.append(anchor)
        return to_meet

    def _is_beginning(self) -> Floats:
        """Return which players have no parent and fewer units than they meet anchors at first."""
        has_begun = self.ratings.units + self._playing >= FIRST_FIT
        is_beginning: Floats = ~(has_begun | self._has_parent | self._is_anchor)
        return is_beginning

    def _has_its_share(self, is_newcomer: Floats) -> Floats:
        """Return which bots have a tenth of the seats, or as newcomers share half of them."""
        has_share: Floats = ~self._is_anchor & (
            self._playing >= max(1, self._seats // MOST_OF_SEATS)
        )
        seats = sum(is_newcomer[first] or is_newcomer[second] for first, second in self._in_play)
        if seats >= max(1, self._seats // 2):
            has_share |= is_newcomer
        return has_share

    def _errors(self) -> Floats:
        """Return the standard errors in Elo, by place."""
        errors: Floats = ELO * np.sqrt(np.maximum(0, self.ratings.variances))
        return errors

    def _pair(self, bot: str, opponent: str) -> tuple[int, int]:
        """Return the places of two bots in order."""
        first, second = sorted((self.ratings.places[bot], self.ratings.places[opponent]))
        return first, second
