"""The pairing and the ratings of a ladder, simulated with the functions that the arena plays by.

    python benchmarks/pairing.py            100 and 1,000 bots: some minutes of one core
    python benchmarks/pairing.py --quick    a first look

Bots have true strengths (standard deviation 300 Elo) and play single games, so kappa is 1; the
ratings do not know that, and estimate it. Every figure stands beside its limit, with its standard
error where chance decides. One is missed if it lies more than two standard errors beyond the limit, and
unsure between; the benchmark ends with 1 if one is missed:

- units until the 95 % interval of a newcomer is within 50 Elo, at the mean, at +450 and at +750
  Elo, among 100 and 1,000 bots that have an error of 10 Elo. The bound is that of equal opponents
  that are known exactly;
- the error of a newcomer at the mean after 100 units, by the same bound, and how many of all these
  intervals hold;
- the error in a field where all are new, after 100 units a bot on average. Here the bound is out of
  reach: there are no known opponents. For comparison, without a limit: the error against the mean
  of the field, which leaves out how well the field is tied to the anchors;
- the share of a core that a field of newcomers takes at 20 matches a second;
- the longest wait of a bot that may play: in the field of newcomers, and where a tenth of the bots
  are newcomers and the others are settled.
"""

from __future__ import annotations

import argparse
import copy
import heapq
import math
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.one_thread import np
from arena.tournaments.formats import ladder
from arena.tournaments.formats.ladder import UNITS_A_DAY, LadderDay
from arena.tournaments.ladder_players import SETTLED_ELO, Edge, Player, unit_edge
from arena.tournaments.statistics.ladder_ratings import LadderRatings
from arena.tournaments.statistics.ratings import ELO, expected_score

SPREAD_ELO = 300.0
ANCHORS_ELO = (-300.0, -100.0, 100.0, 300.0)
ANCHOR_UNITS = 1000
"""Units of any two anchors before the simulation begins: house bots have played before."""
WITHIN_ELO = 50.0
NORMAL = 1.96
BOUND_UNITS = 4 * (NORMAL * ELO / WITHIN_ELO) ** 2
"""Units of equal opponents that are known exactly, until the interval is within 50 Elo: 185."""
UNITS_A_BOT = 100
BOUND_ELO = ELO / math.sqrt(UNITS_A_BOT / 4)
"""The error after 100 such units: 34.7 Elo."""
KNOWN_ELO = 10.0
DAY_MS = 86_400_000
MATCHES_A_SECOND = 20
SEATS = 64
MATCH_MS = (1600, 4800)
"""The length of a match: 64 seats finish 20 a second."""
NEWCOMERS = 10
"""One of so many bots is a newcomer beside settled ones."""
PLAY_MS = 1_200_000
"""How long they play: twice the longest wait that is allowed."""
FIRST_SEED = 1000
"""Nothing was tuned on the seeds from here on."""


@dataclass
class Report:
    """The figures, and whether all are within their limits."""

    is_good: bool = True

    def say(
        self,
        figure: str,
        value: float,
        unit: str,
        least: float,
        most: float,
        deviation: float | None = None,
    ) -> None:
        verdict = "ok"
        beyond = max(least - value, value - most)
        if beyond > 2 * (deviation or 0):
            verdict = "MISSED"
            self.is_good = False
        elif beyond > 0:
            verdict = "unsure"
        limit = f"{least:.4g} to {most:.4g}"
        if least == -math.inf:
            limit = f"at most {most:.4g}"
        if most == math.inf:
            limit, verdict = "no limit", ""
        error = ""
        if deviation is not None:
            error = f"+-{deviation:.2f}"
        print(f"{figure:58} {value:7.2f}{error:7} {unit:10} {limit:13} {verdict}", flush=True)

    def say_units(self, figure: str, units: list[int], most: float) -> None:
        mean, deviation = np.mean(units), np.std(units) / math.sqrt(len(units))
        self.say(
            figure,
            mean / BOUND_UNITS,
            "bounds",
            -math.inf,
            most,
            deviation / BOUND_UNITS,
        )

    def say_error(self, figure: str, errors_elo: list[float], most: float) -> None:
        rmse = math.sqrt(np.mean(np.square(errors_elo))) / BOUND_ELO
        self.say(figure, rmse, "bounds", -math.inf, most, rmse / math.sqrt(2 * len(errors_elo)))

    def say_inside(self, figure: str, is_inside: list[bool]) -> None:
        share = np.mean(is_inside)
        deviation = math.sqrt(share * (1 - share) / len(is_inside))
        self.say(figure, 100 * share, "%", 94, 96, 100 * deviation)

    def say_most(self, figure: str, value: float, unit: str, most: float) -> None:
        self.say(figure, value, unit, -math.inf, most)


def player(name: str, *, is_anchor: bool = False) -> Player:
    return Player(entrant=name, bot=name, version=1, is_anchor=is_anchor)


def anchors() -> list[Player]:
    return [player(f"house-{number}", is_anchor=True) for number in range(len(ANCHORS_ELO))]


def bots(number: int, name: str = "bot") -> list[Player]:
    return [player(f"{name}-{place}") for place in range(number)]


def played_edge(
    first: int,
    second: int,
    lead_elo: float,
    units: int,
    random: np.random.Generator,
) -> Edge:
    won = int(random.binomial(units, expected_score(lead_elo)))
    return Edge(first, second, units, won, won)


def edges_of_anchors(random: np.random.Generator) -> list[Edge]:
    edges = []
    for number, elo in enumerate(ANCHORS_ELO):
        for below in range(number):
            lead = ANCHORS_ELO[below] - elo
            edges.append(played_edge(below, number, lead, ANCHOR_UNITS, random))
    return edges


def edges_of_known(truth: dict[str, float], random: np.random.Generator) -> list[Edge]:
    """Let every bot have played each anchor, until its error is `KNOWN_ELO`.

    The anchors are the first players, and then come those of `truth` in its order.
    """
    edges = edges_of_anchors(random)
    information = (ELO / KNOWN_ELO) ** 2 / len(ANCHORS_ELO)
    for number, (name, strength) in enumerate(truth.items()):
        if name.startswith("house"):
            continue
        for anchor, elo in enumerate(ANCHORS_ELO):
            lead = elo - strength
            chance = expected_score(lead)
            units = round(information / (chance * (1 - chance)))
            edges.append(played_edge(anchor, number, lead, units, random))
    return edges


@dataclass
class Simulation:
    """A day that is played in simulated time."""

    day: LadderDay
    truth: list[float]
    """The strength of each player, by its number."""
    random: np.random.Generator
    seats: int
    at_ms: int = 0
    seconds: float = 0.0
    """Processor time of pairing and ratings."""
    units: int = 0
    units_of: Counter[int] = field(default_factory=Counter)
    longest_wait_ms: int = 0
    free: set[int] = field(default_factory=set)
    since_ms: dict[int, int] = field(default_factory=dict)
    playing: list[tuple[int, str, int, int]] = field(default_factory=list)
    matches: int = 0

    def open(self) -> None:
        for number in range(len(self.truth)):
            self.day.arrive(number, self.at_ms)
            self.free.add(number)
            self.since_ms[number] = self.at_ms

    @property
    def house(self) -> set[int]:
        return set(self.day.ratings.anchors)

    def pair(self) -> bool:
        """Give a free seat to two bots; return whether two could play."""
        number = float(self.random.random())
        begun = process_time()
        chances = self.day.chances(list(self.free), self.at_ms)
        if chances is None:
            self.seconds += process_time() - begun
            return False
        bot, opponent = chances.bot, chances.opponent(number)
        self.matches += 1
        fixture = f"r{self.matches}"
        self.day.begin(fixture, bot, opponent, self.at_ms)
        self.seconds += process_time() - begun
        for player in {bot, opponent} - self.house:
            self.longest_wait_ms = max(self.longest_wait_ms, self.at_ms - self.since_ms[player])
            self.free.remove(player)
        end = self.at_ms + int(self.random.integers(*MATCH_MS))
        heapq.heappush(self.playing, (end, fixture, bot, opponent))
        return True

    def finish(self) -> None:
        """Play until the next match ends."""
        self.at_ms, fixture, bot, opponent = heapq.heappop(self.playing)
        chance = expected_score(self.truth[bot] - self.truth[opponent])
        score = float(self.random.random() < chance)
        begun = process_time()
        self.day.count(unit_edge(bot, opponent, score))
        self.day.end(fixture, self.at_ms)
        self.seconds += process_time() - begun
        self.units += 1
        for number in (bot, opponent):
            self.units_of[number] += 1
            self.free.add(number)
            self.since_ms[number] = self.at_ms

    def step(self) -> bool:
        """Fill the seats, and play until a match ends; return False if no two may play."""
        while len(self.playing) < self.seats and self.pair():
            pass
        if not self.playing:
            return False
        self.finish()
        return True

    def longest_unfinished_wait_ms(self) -> int:
        """Return the longest wait of a bot that has not ended; a bot that may not play has none."""
        longest_ms = 0
        for number in self.free - self.house:
            is_settled = ELO * math.sqrt(self.day.ratings.variances[number]) < SETTLED_ELO
            if not is_settled or self.units_of[number] < UNITS_A_DAY:
                longest_ms = max(longest_ms, self.at_ms - self.since_ms[number])
        return longest_ms


def normal_truth(names: list[str], random: np.random.Generator) -> dict[str, float]:
    """Give the bots the quantiles of the normal distribution, in any order."""
    truth = {f"house-{number}": elo for number, elo in enumerate(ANCHORS_ELO)}
    distribution = NormalDist(0, SPREAD_ELO)
    for name, rank in zip(names, random.permutation(len(names)).tolist(), strict=True):
        truth[name] = distribution.inv_cdf((rank + 0.5) / len(names))
    return truth


def names_of(players: list[Player]) -> list[str]:
    return [player.entrant for player in players]


@dataclass
class Newcomers:
    """What newcomers of one strength came to."""

    units: list[int] = field(default_factory=list)
    """Until the interval was within 50 Elo."""
    is_inside: list[bool] = field(default_factory=list)
    """Whether the interval held then."""
    errors_elo: list[float] = field(default_factory=list)
    """The rating less the strength after 100 units."""

    def play(
        self,
        ratings: LadderRatings,
        players: list[Player],
        truth: dict[str, float],
        elo: float,
        random: np.random.Generator,
    ) -> None:
        """Let a newcomer play until it is known to 50 Elo, and at least 100 units."""
        ratings = copy.deepcopy(ratings)
        day = LadderDay(ratings, players, seats=4)
        day.add(player("new"))
        new = len(players)
        everyone = range(new + 1)
        for number in everyone:
            day.arrive(number, DAY_MS)
        day.arrive(new, 0)  # it has waited so long that it is always the next
        strengths = list(truth.values())
        units = 0
        while NORMAL * ratings.error("new") > WITHIN_ELO or units < UNITS_A_BOT:
            chances = day.chances(everyone, DAY_MS)
            assert chances is not None
            assert chances.bot == new, chances
            opponent = chances.opponent(float(random.random()))
            chance = expected_score(elo - strengths[opponent])
            day.count(unit_edge(new, opponent, float(random.random() < chance)))
            units += 1
            if units == UNITS_A_BOT:
                self.errors_elo.append(ratings.elo("new") - elo)
        error_elo = abs(ratings.elo("new") - elo)
        self.units.append(units)
        self.is_inside.append(error_elo <= NORMAL * ratings.error("new"))


def play_newcomers(
    known: int,
    strengths_elo: list[float],
    seeds: range,
    times: int = 1,
) -> dict[float, Newcomers]:
    """Let newcomers of these strengths join fields of known bots, each alone, some times each."""
    ladder.UNITS_A_DAY = 10**9  # those who are known play as often as a newcomer asks for
    newcomers = {elo: Newcomers() for elo in strengths_elo}
    for seed in seeds:
        random = np.random.default_rng(seed)
        pool = bots(known)
        truth = normal_truth(names_of(pool), random)
        players = [*anchors(), *pool]
        ratings = LadderRatings(players, edges_of_known(truth, random))
        for elo in strengths_elo * times:
            newcomers[elo].play(ratings, players, truth, elo, random)
    ladder.UNITS_A_DAY = UNITS_A_DAY
    return newcomers


def rate_newcomers(report: Report, known: int, fields: int, times: int = 1) -> None:
    limits = {0.0: 1.10, 450.0: 1.2, 750.0: 1.35}
    newcomers = play_newcomers(known, list(limits), range(FIRST_SEED, FIRST_SEED + fields), times)
    is_inside = []
    for elo, most in limits.items():
        figure = f"units of a newcomer at {elo:+.0f} among {known:,}"
        report.say_units(figure, newcomers[elo].units, most)
        is_inside += newcomers[elo].is_inside
    errors = newcomers[0.0].errors_elo
    report.say_error(f"error of that at +0 after 100 units among {known:,}", errors, 1.1)
    report.say_inside(f"intervals of newcomers among {known:,} that hold", is_inside)


def new_field(number: int, seed: int) -> Simulation:
    """Open a day at which all bots are new."""
    random = np.random.default_rng(seed)
    pool = bots(number)
    players = [*anchors(), *pool]
    ratings = LadderRatings(players, edges_of_anchors(random))
    truth = list(normal_truth(names_of(pool), random).values())
    day = LadderDay(ratings, players, seats=SEATS)
    simulation = Simulation(day, truth, random, SEATS)
    simulation.open()
    return simulation


def rate_fields(report: Report, number: int, times: int) -> None:
    """Play fields of newcomers until each bot has 100 units on average."""
    errors_elo, central_errors_elo, is_inside = [], [], []
    seconds, units, wait_ms = 0.0, 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + times):
        simulation = new_field(number, seed)
        ratings = simulation.day.ratings
        new = slice(len(ANCHORS_ELO), None)
        while ratings.units[new].mean() < UNITS_A_BOT:
            simulation.step()
        names = list(ratings.numbers)[new]
        errors = []
        for name, strength in zip(names, simulation.truth[new], strict=True):
            errors.append(ratings.elo(name) - strength)
            is_inside.append(abs(errors[-1]) <= NORMAL * ratings.error(name))
        errors_elo += errors
        central_errors_elo += [error - np.mean(errors) for error in errors]
        seconds += simulation.seconds
        units += simulation.units
        wait_ms = max(wait_ms, simulation.longest_wait_ms)
    report.say_error(f"error of {number:,} newcomers after 100 units", errors_elo, math.inf)
    figure = f"the same against the mean of the {number:,}"
    report.say_error(figure, central_errors_elo, math.inf)
    report.say_inside(f"intervals of {number:,} newcomers that hold", is_inside)
    share = 100 * seconds / units * MATCHES_A_SECOND
    report.say_most(f"pairing and fits of {number:,} newcomers", share, "% of core", 3)
    report.say_most(f"longest wait of {number:,} newcomers", wait_ms / 60_000, "min", 10)


def wait_beside_newcomers(report: Report, number: int) -> None:
    """Play a ladder where a tenth of the bots is new; those that may not play do not wait."""
    random = np.random.default_rng(FIRST_SEED)
    new = bots(number // NEWCOMERS, "new")
    settled = bots(number - len(new))
    truth = normal_truth(names_of(settled), random)
    edges = edges_of_known(truth, random)
    players = [*anchors(), *settled, *new]
    ratings = LadderRatings(players, edges)
    truth |= normal_truth(names_of(new), random)
    day = LadderDay(ratings, players, seats=SEATS)
    simulation = Simulation(day, list(truth.values()), random, SEATS)
    simulation.open()
    while simulation.at_ms < PLAY_MS and simulation.step():
        pass
    wait_ms = max(simulation.longest_wait_ms, simulation.longest_unfinished_wait_ms())
    report.say_most(f"longest wait of {number:,}, a tenth new", wait_ms / 60_000, "min", 10)
    share = 100 * simulation.seconds / simulation.units * MATCHES_A_SECOND
    report.say_most(f"pairing and fits of {number:,}, a tenth new", share, "% of core", 3)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    is_quick = parser.parse_args().quick
    report = Report()
    if is_quick:
        rate_newcomers(report, 100, 6)
        wait_beside_newcomers(report, 100)
    else:
        rate_newcomers(report, 100, 400)
        rate_fields(report, 100, 8)
        wait_beside_newcomers(report, 100)
        rate_newcomers(report, 1000, 10, 10)
        rate_fields(report, 1000, 1)
        wait_beside_newcomers(report, 1000)
    sys.exit(not report.is_good)


if __name__ == "__main__":
    main()
