"""The pairing and the ratings of a ladder, simulated with the functions that the arena plays by.

    python benchmarks/pairing.py            100 and 1,000 bots; some minutes of one core
    python benchmarks/pairing.py --quick    a first look, as in the tests

Bots have true strengths (standard deviation 300 Elo) and play single games, so kappa is 1. It
prints each figure beside its limit, and ends with 1 if one is missed:

- units until the 95 % interval of a newcomer is within 50 Elo, at the mean, at +450 and at +750
  Elo, against 100 and 1,000 opponents that are known to 10 Elo; the bound is that of equal
  opponents that are known exactly;
- the error of all ratings after 100 units a bot, and how many intervals of 95 % hold;
- the longest wait of a bot that may play, while a tenth of the bots are newcomers;
- the share of a core that all this takes at 20 matches a second.
"""

from __future__ import annotations

import argparse
import heapq
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from time import process_time

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from arena.one_thread import np
from arena.tournaments.formats.ladder import LadderDay
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
MATCH_MS = (1600, 4800)
"""The length of a match: 64 seats finish 20 a second."""


@dataclass
class Report:
    """The figures, and whether all are within their limits."""

    is_good: bool = True

    def say(self, figure: str, value: float, least: float, most: float, unit: str) -> None:
        verdict = "ok" if least <= value <= most else "MISSED"
        self.is_good &= verdict == "ok"
        limit = f"at most {most:.4g}" if least <= 0 else f"{least:.4g} to {most:.4g}"
        print(f"{figure:58} {value:9.2f} {unit:9} {limit:16} {verdict}", flush=True)


def anchors() -> list[Player]:
    return [
        Player(name=f"house-{number}", owner="house", is_anchor=True)
        for number in range(len(ANCHORS_ELO))
    ]


def bots(number: int, name: str = "bot") -> list[Player]:
    return [Player(name=f"{name}-{place}", owner=f"{name}-{place}") for place in range(number)]


def known_edge(first: str, second: str, lead_elo: float, units: int) -> Edge:
    """Units whose score is the expected one to a whole game."""
    won = round(units * expected_score(lead_elo))
    return Edge(first=first, second=second, units=units, score=won, squares=won)


def edges_of_anchors() -> list[Edge]:
    edges = []
    for number, elo in enumerate(ANCHORS_ELO):
        for below in range(number):
            lead = elo - ANCHORS_ELO[below]
            edges.append(known_edge(f"house-{number}", f"house-{below}", lead, ANCHOR_UNITS))
    return edges


def edges_of_known(truth: dict[str, float]) -> list[Edge]:
    """Let every bot have played each anchor, until its error is `KNOWN_ELO`."""
    names = [name for name in truth if not name.startswith("house")]
    edges = edges_of_anchors()
    information = (ELO / KNOWN_ELO) ** 2 / len(ANCHORS_ELO)
    for name in names:
        for number, elo in enumerate(ANCHORS_ELO):
            chance = expected_score(truth[name] - elo)
            units = round(information / (chance * (1 - chance)))
            edges.append(known_edge(name, f"house-{number}", truth[name] - elo, units))
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
            self.free.add(name)
            self.since_ms[name] = self.at_ms

    def step(self) -> None:
        """Fill the seats, and play until a match ends."""
        while len(self.playing) < self.seats and self.pair():
            pass
        self.finish()


def normal_truth(players: Sequence[Player], random: np.random.Generator) -> dict[str, float]:
    """Give the players the quantiles of the normal distribution, in any order."""
    truth = {f"house-{number}": elo for number, elo in enumerate(ANCHORS_ELO)}
    distribution = NormalDist(0, SPREAD_ELO)
    for player, rank in zip(players, random.permutation(len(players)).tolist(), strict=True):
        truth[player.name] = distribution.inv_cdf((rank + 0.5) / len(players))
    return truth


@dataclass(frozen=True)
class Newcomer:
    """What a newcomer came to: its units until its interval was within 50 Elo, and its errors."""

    units: int
    is_inside: bool
    """Whether its interval held then."""
    error_elo: float
    """Its rating less its strength after 100 units."""


def play_newcomer(known: int, elo: float, seed: int) -> Newcomer:
    """Let a newcomer play until it is known to 50 Elo, and at least 100 units."""
    random = np.random.default_rng(seed)
    pool = bots(known)
    truth = normal_truth(pool, random)
    edges = edges_of_known(truth)
    ratings = LadderRatings([*anchors(), *pool, Player(name="new", owner="new")], edges)
    day = LadderDay(ratings, seats=4, units_a_day=10**9)
    for player in ratings.movers:
        day.arrive(player.name, DAY_MS)
    day.arrive("new", 0)  # it has waited so long that it is always the next
    everyone = set(ratings.places)
    units, error_elo = 0, 0.0
    while NORMAL * ratings.error("new") > WITHIN_ELO or units < UNITS_A_BOT:
        draw = day.draw(everyone, DAY_MS, float(random.random()))
        assert draw is not None
        assert draw.bot == "new", draw
        chance = expected_score(elo - truth[draw.opponent])
        day.count("new", draw.opponent, float(random.random() < chance))
        units += 1
        if units == UNITS_A_BOT:
            error_elo = ratings.elo("new") - elo
    is_inside = abs(ratings.elo("new") - elo) <= NORMAL * ratings.error("new")
    return Newcomer(units, is_inside, error_elo)


def time_newcomers(report: Report, known: int, times: int) -> None:
    inside = 0
    limits = ((0, 1.10), (450, 1.2), (750, 1.35))
    for elo, most in limits:
        newcomers = [play_newcomer(known, elo, seed) for seed in range(times)]
        units = float(np.mean([newcomer.units for newcomer in newcomers]))
        report.say(
            f"units of a newcomer at {elo:+} among {known:,}",
            units / BOUND_UNITS,
            0,
            most,
            "bounds",
        )
        inside += sum(newcomer.is_inside for newcomer in newcomers)
        if elo == 0:
            squares = float(np.mean([newcomer.error_elo**2 for newcomer in newcomers]))
            error = math.sqrt(squares) / BOUND_ELO
            report.say(f"its error after 100 units among {known:,}", error, 0, 1.1, "bounds")
    share = 100 * inside / (times * len(limits))
    report.say(f"intervals of newcomers among {known:,} that hold", share, 94, 96, "%")


def new_field(number: int, seed: int) -> Simulation:
    random = np.random.default_rng(seed)
    pool = bots(number)
    ratings = LadderRatings([*anchors(), *pool], edges_of_anchors())
    seats = min(64, number // 4)
    simulation = Simulation(
        LadderDay(ratings, seats=seats), normal_truth(pool, random), random, seats
    )
    simulation.open()
    return simulation


def rate_fields(report: Report, number: int, times: int) -> None:
    """Play fields of newcomers until each bot has 100 units on average."""
    squares, inside, seconds, units, wait = 0.0, 0, 0.0, 0, 0
    for seed in range(times):
        simulation = new_field(number, seed)
        ratings = simulation.day.ratings
        names = [player.name for player in ratings.movers if not player.is_anchor]
        places = [ratings.places[name] for name in names]
        while ratings.units[places].mean() < UNITS_A_BOT:
            simulation.step()
        for name in names:
            error = ratings.elo(name) - simulation.truth[name]
            squares += error**2
            inside += abs(error) <= NORMAL * ratings.error(name)
        seconds += simulation.seconds
        units += simulation.units
        wait = max(wait, simulation.longest_wait_ms)
    rated = number * times
    rmse = math.sqrt(squares / rated)
    report.say(
        f"error of {number:,} after 100 units each, by the bound", rmse / BOUND_ELO, 0, 1.1, ""
    )
    report.say(f"intervals of {number:,} that hold", 100 * inside / rated, 94, 96, "%")
    share = 100 * seconds / units * MATCHES_A_SECOND
    report.say(f"pairing and fits of {number:,} newcomers", share, 0, 3, "% of core")
    report.say(f"longest wait of {number:,} newcomers", wait / 60_000, 0, 10, "min")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    is_quick = parser.parse_args().quick
    report = Report()
    time_newcomers(report, 100, 10 if is_quick else 100)
    rate_fields(report, 100, 4 if is_quick else 50)
    if not is_quick:
        time_newcomers(report, 1000, 10)
        rate_fields(report, 1000, 4)
    sys.exit(not report.is_good)


if __name__ == "__main__":
    main()
