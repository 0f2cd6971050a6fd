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
from arena.tournaments.formats.ladder import SETTLED_ELO, UNITS_A_DAY, LadderDay
from arena.tournaments.statistics.ladder_ratings import Edge, LadderRatings, Player
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


def anchors() -> list[Player]:
    return [
        Player(name=f"house-{number}", owner="house", is_anchor=True)
        for number in range(len(ANCHORS_ELO))
    ]


def bots(number: int, name: str = "bot") -> list[Player]:
    return [Player(name=f"{name}-{place}", owner=f"{name}-{place}") for place in range(number)]


def played_edge(
    first: str,
    second: str,
    lead_elo: float,
    units: int,
    random: np.random.Generator,
) -> Edge:
    won = int(random.binomial(units, expected_score(lead_elo)))
    return Edge(first=first, second=second, units=units, score=won, squares=won)


def edges_of_anchors(random: np.random.Generator) -> list[Edge]:
    edges = []
    for number, elo in enumerate(ANCHORS_ELO):
        for below in range(number):
            lead = elo - ANCHORS_ELO[below]
            names = f"house-{number}", f"house-{below}"
            edges.append(played_edge(*names, lead, ANCHOR_UNITS, random))
    return edges


def edges_of_known(truth: dict[str, float], random: np.random.Generator) -> list[Edge]:
    """Let every bot have played each anchor, until its error is `KNOWN_ELO`."""
    edges = edges_of_anchors(random)
    information = (ELO / KNOWN_ELO) ** 2 / len(ANCHORS_ELO)
    for name, strength in truth.items():
        if name.startswith("house"):
            continue
        for number, elo in enumerate(ANCHORS_ELO):
            lead = strength - elo
            chance = expected_score(lead)
            units = round(information / (chance * (1 - chance)))
            edges.append(played_edge(name, f"house-{number}", lead, units, random))
    return edges


@dataclass
class Simulation:
    """A day that is played in simulated time."""

    day: LadderDay
    truth: dict[str, float]
    random: np.random.Generator
    seats: int
    at_ms: int = 0
    seconds: float = 0.0
    """Processor time of pairing and ratings."""
    units: int = 0
    units_of: Counter[str] = field(default_factory=Counter)
    longest_wait_ms: int = 0
    free: set[str] = field(default_factory=set)
    since_ms: dict[str, int] = field(default_factory=dict)
    playing: list[tuple[int, str, str]] = field(default_factory=list)
    house: frozenset[str] = frozenset()

    def open(self) -> None:
        for player in self.day.ratings.movers:
            self.day.arrive(player.name, self.at_ms)
            self.free.add(player.name)
            self.since_ms[player.name] = self.at_ms
        self.house = frozenset(name for name in self.free if name.startswith("house"))

    def pair(self) -> bool:
        """Give a free seat to two bots; return whether two could play."""
        number = float(self.random.random())
        begun = process_time()
        draw = self.day.draw(self.free, self.at_ms, number)
        if draw is not None:
            self.day.begin(draw.bot, draw.opponent, self.at_ms)
        self.seconds += process_time() - begun
        if draw is None:
            return False
        for name in (draw.bot, draw.opponent):
            if name not in self.house:
                self.longest_wait_ms = max(self.longest_wait_ms, self.at_ms - self.since_ms[name])
                self.free.remove(name)
        end = self.at_ms + int(self.random.integers(*MATCH_MS))
        heapq.heappush(self.playing, (end, draw.bot, draw.opponent))
        return True

    def finish(self) -> None:
        """Play until the next match ends."""
        self.at_ms, bot, opponent = heapq.heappop(self.playing)
        chance = expected_score(self.truth[bot] - self.truth[opponent])
        score = float(self.random.random() < chance)
        begun = process_time()
        self.day.count(bot, opponent, score)
        self.day.end(bot, opponent, self.at_ms)
        self.seconds += process_time() - begun
        self.units += 1
        for name in (bot, opponent):
            self.units_of[name] += 1
            self.free.add(name)
            self.since_ms[name] = self.at_ms

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
        for name in self.free - self.house:
            is_settled = self.day.ratings.error(name) < SETTLED_ELO
            if not is_settled or self.units_of[name] < UNITS_A_DAY:
                longest_ms = max(longest_ms, self.at_ms - self.since_ms[name])
        return longest_ms


def normal_truth(names: list[str], random: np.random.Generator) -> dict[str, float]:
    """Give the bots the quantiles of the normal distribution, in any order."""
    truth = {f"house-{number}": elo for number, elo in enumerate(ANCHORS_ELO)}
    distribution = NormalDist(0, SPREAD_ELO)
    for name, rank in zip(names, random.permutation(len(names)).tolist(), strict=True):
        truth[name] = distribution.inv_cdf((rank + 0.5) / len(names))
    return truth


def names_of(players: list[Player]) -> list[str]:
    return [player.name for player in players]


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
        truth: dict[str, float],
        elo: float,
        random: np.random.Generator,
    ) -> None:
        """Let a newcomer play until it is known to 50 Elo, and at least 100 units."""
        ratings = copy.deepcopy(ratings)
        ratings.add(Player(name="new", owner="new"))
        day = LadderDay(ratings, seats=4, units_a_day=10**9)
        for name in ratings.places:
            day.arrive(name, DAY_MS)
        day.arrive("new", 0)  # it has waited so long that it is always the next
        everyone = frozenset(ratings.places)
        units = 0
        while NORMAL * ratings.error("new") > WITHIN_ELO or units < UNITS_A_BOT:
            draw = day.draw(everyone, DAY_MS, float(random.random()))
            assert draw is not None
            assert draw.bot == "new", draw
            chance = expected_score(elo - truth[draw.opponent])
            day.count("new", draw.opponent, float(random.random() < chance))
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
    newcomers = {elo: Newcomers() for elo in strengths_elo}
    for seed in seeds:
        random = np.random.default_rng(seed)
        pool = bots(known)
        truth = normal_truth(names_of(pool), random)
        ratings = LadderRatings([*anchors(), *pool], edges_of_known(truth, random))
        for elo in strengths_elo * times:
            newcomers[elo].play(ratings, truth, elo, random)
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
    ratings = LadderRatings([*anchors(), *pool], edges_of_anchors(random))
    truth = normal_truth(names_of(pool), random)
    simulation = Simulation(LadderDay(ratings, seats=SEATS), truth, random, SEATS)
    simulation.open()
    return simulation


def rate_fields(report: Report, number: int, times: int) -> None:
    """Play fields of newcomers until each bot has 100 units on average."""
    errors_elo, central_errors_elo, is_inside = [], [], []
    seconds, units, wait_ms = 0.0, 0, 0
    for seed in range(FIRST_SEED, FIRST_SEED + times):
        simulation = new_field(number, seed)
        ratings = simulation.day.ratings
        names = [player.name for player in ratings.movers if not player.is_anchor]
        places = [ratings.places[name] for name in names]
        while ratings.units[places].mean() < UNITS_A_BOT:
            simulation.step()
        errors = [ratings.elo(name) - simulation.truth[name] for name in names]
        errors_elo += errors
        central_errors_elo += [error - np.mean(errors) for error in errors]
        for name, error in zip(names, errors, strict=True):
            is_inside.append(abs(error) <= NORMAL * ratings.error(name))
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
    ratings = LadderRatings([*anchors(), *settled, *new], edges)
    truth |= normal_truth(names_of(new), random)
    simulation = Simulation(LadderDay(ratings, seats=SEATS), truth, random, SEATS)
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
