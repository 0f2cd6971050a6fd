"""Luck taken out: the mean stays, the scatter goes, and what is fitted is fitted on other matches."""

import math
from random import Random
from statistics import fmean, variance

import pytest

from arena.games.result import Result
from arena.tournaments.results import FixtureResult
from arena.tournaments.statistics.intervals import points_per_game
from arena.tournaments.statistics.luck import (
    PLAIN,
    PRIOR_GAMES,
    Luck,
    LuckyMatch,
    adjusted_units,
    coefficients,
)
from arena.tournaments.statistics.ratings import ELO, expected_score, rate
from arena.tournaments.statistics.sequential import (
    LEAST_SHARES,
    Decision,
    Hypotheses,
    judge,
    judge_shares,
)
from arena.tournaments.statistics.units import Unit, halves_of


def game(points: int, cause: str | None = None) -> Result:
    """Points of seat 1, negative if it lost."""
    winner = None if not points else 1 if points > 0 else 2
    ending = "forfeit" if cause else "bearing_off"
    return Result(winner=winner, ending=ending, clause="", points=abs(points), cause=cause)  # type: ignore[arg-type]


def lucky(
    points: list[int], luck: list[Luck | None], first: str = "anna", second: str = "bo"
) -> LuckyMatch:
    result = FixtureResult(
        fixture=f"r1-{first}-v-{second}",
        round=1,
        first=first,
        second=second,
        games=tuple(map(game, points)),
    )
    return LuckyMatch(result=result, luck=tuple(luck))


def test_luck_is_subtracted_from_points_and_score() -> None:
    match = lucky([4, -1, -4, 0], [Luck(3.0, 0.25), Luck(-0.5, -0.125), None, Luck(1.0, 0.5)])
    first, second = adjusted_units(match, 2)
    assert (first.points, first.score, first.games) == (0.5, 0.875, 2)
    assert (second.points, second.score) == (-5.0, 0.0)
    half = adjusted_units(match, 4, Luck(0.5, 0.0))
    assert [(one.points, one.score) for one in half] == [(-2.75, 1.5)]
    assert first.seen_by("bo") == Unit(first="bo", second="anna", games=2, score=1.125, points=-0.5)


def test_a_coefficient_does_not_know_its_own_match() -> None:
    random = Random(3)
    others = [
        lucky(
            [random.choice([-4, -1, 1, 4]) for _ in range(6)], [Luck(random.gauss(0, 2), 0.1)] * 6
        )
    ] * 5
    found = [
        coefficients([*others, own])[-1]
        for own in (lucky([4], [Luck(9, 0.9)]), lucky([-4], [Luck(30, 0.9)]))
    ]
    assert tuple(found[0]) == pytest.approx(tuple(found[1]))
    assert coefficients([lucky([4], [Luck(3, 0.4)])]) == [PLAIN]
    assert coefficients([lucky([4], [None]), lucky([1], [None])]) == [PLAIN, PLAIN]


def test_a_coefficient_is_the_slope_of_its_pairing() -> None:
    random, matches = Random(4), []
    for number in range(60):
        share, lead, names = (0.5, 3, ("anna", "bo")) if number % 2 else (1.0, 0, ("bo", "cia"))
        values = [random.choice([-4, -2, 2, 4]) for _ in range(20)]
        names = names if number % 4 < 2 else names[::-1]
        sign = 1 if number % 4 < 2 else -1
        matches.append(
            lucky(
                [round(share * value) + sign * lead for value in values],
                [Luck(value, 0) for value in values],
                *names,
            )
        )
    found = coefficients(matches)
    assert [one.points for one in found[1::2]] == pytest.approx([0.5] * 30, abs=0.03)
    assert [one.points for one in found[::2]] == pytest.approx([1.0] * 30, abs=0.03)
    assert PRIOR_GAMES == 20


def played(random: Random, chance: float, left: float, worth: float = 3.0) -> tuple[int, Luck]:
    """A game of a bot that wins so often; the luck explains the result but for a rest of this standard deviation."""
    won = random.random() < chance
    wins = won - chance - random.gauss(0, left)
    points = round(worth) if won else -round(worth)
    return points, Luck(points=2 * worth * wins, wins=wins)


def pair(random: Random, chance: float, left: float = 0.2) -> LuckyMatch:
    games = [played(random, chance, left) for _ in range(2)]
    return lucky([points for points, _ in games], [luck for _, luck in games])


def test_the_mean_stays_and_the_scatter_goes() -> None:
    """Of the variance of a game won, 0.24, luck leaves 0.04, and a little less with the best coefficient."""
    random = Random(5)
    matches = [pair(random, 0.6) for _ in range(4000)]
    shares = {}
    for name, fitted in (("raw", [Luck(0, 0)] * 4000), ("adjusted", coefficients(matches))):
        shares[name] = [
            unit.score / 2
            for match, one in zip(matches, fitted, strict=True)
            for unit in adjusted_units(match, 2, one)
        ]
    assert fmean(shares["adjusted"]) == pytest.approx(0.6, abs=4 * (0.04 / 2 / 4000) ** 0.5)
    assert 6.2 < variance(shares["raw"]) / variance(shares["adjusted"]) < 7.6


def test_a_bad_evaluator_widens_nothing_and_moves_nothing() -> None:
    random = Random(6)
    matches = [
        lucky([random.choice([-4, 4])], [Luck(random.gauss(0, 4), random.gauss(0, 0.5))])
        for _ in range(3000)
    ]
    fitted = coefficients(matches)
    assert abs(fmean(one.points for one in fitted)) < 0.05
    units = [
        unit
        for match, one in zip(matches, fitted, strict=True)
        for unit in adjusted_units(match, 1, one)
    ]
    raw = [unit for match in matches for unit in adjusted_units(match, 1, Luck(0, 0))]
    found, before = points_per_game(units, "anna"), points_per_game(raw, "anna")
    assert found is not None
    assert before is not None
    assert found.margin is not None
    assert before.margin is not None
    assert found.margin / before.margin == pytest.approx(1, abs=0.01)
    assert abs(found.mean - before.mean) < before.margin / 5


def test_ratings_of_adjusted_units_are_those_of_the_truth() -> None:
    random = Random(7)
    matches = [pair(random, expected_score(100)) for _ in range(400)]
    raw = rate([unit for match in matches for unit in adjusted_units(match, 2, Luck(0, 0))])
    found = rate(
        [
            unit
            for match, one in zip(matches, coefficients(matches), strict=True)
            for unit in adjusted_units(match, 2, one)
        ]
    )
    lead, error = found.lead("anna", "bo")
    assert abs(lead - 100) < 3 * error
    assert error < raw.lead("anna", "bo")[1] / 2
    assert error < ELO


def test_a_sequential_test_of_shares_by_hand() -> None:
    """Ten units of mean 0.6 and variance 0.01 against 1/2 and the score of 100 Elo."""
    shares = [0.5, 0.7] * 5
    hypotheses = Hypotheses(elo0=0, elo1=100)
    found = judge_shares(shares, hypotheses)
    null, one = 0.01 + 0.1**2, 0.01 + (0.6 - expected_score(100)) ** 2
    assert found.ratio == pytest.approx(5 * math.log(null / one))
    assert (found.units, found.decision) == (10, Decision.GOES_ON)
    assert judge_shares(shares * 2, hypotheses).decision is Decision.H1
    assert judge_shares([1 - share for share in shares * 2], hypotheses).decision is Decision.H0
    assert judge_shares([], hypotheses).elo is None


@pytest.mark.parametrize(
    ("won", "decision"), [([0.6, 0.601], Decision.H1), ([0.4, 0.401], Decision.H0)]
)
def test_a_sequential_test_of_shares_decides_from_the_least_number_of_units_on(
    won: list[float], decision: Decision
) -> None:
    hypotheses = Hypotheses(elo0=0, elo1=100)
    shares = won * (LEAST_SHARES // 2)
    assert judge_shares(shares[1:], hypotheses).decision is Decision.GOES_ON
    assert judge_shares(shares, hypotheses).decision is decision


def compared(
    random: Random, chance: float, hypotheses: Hypotheses, *, adjusted: bool
) -> tuple[Decision, int]:
    """A comparison in batches of 10 pairs, each a match; gives the decision and how many pairs it took."""
    matches: list[LuckyMatch] = []
    while True:
        matches += [pair(random, chance) for _ in range(10)]
        size = 2
        if adjusted:
            fitted = coefficients(matches)
            trial = judge_shares(
                [
                    unit.score / size
                    for match, one in zip(matches, fitted, strict=True)
                    for unit in adjusted_units(match, size, one)
                ],
                hypotheses,
            )
        else:
            raw = [
                Unit(
                    first="anna",
                    second="bo",
                    games=2,
                    score=sum(one.winner == 1 for one in match.result.games),
                    points=0,
                )
                for match in matches
            ]
            trial = judge(halves_of(raw, "anna", 2), hypotheses)
        if trial.decision is not Decision.GOES_ON:
            return trial.decision, len(matches)


@pytest.mark.slow
def test_errors_of_comparisons_are_nominal_in_a_quarter_of_the_games() -> None:
    """1,000 simulated comparisons without luck, and 100 with it, of bots whose difference is known."""
    random, hypotheses = Random(8), Hypotheses(elo0=0, elo1=50)
    wrong, taken = [], {True: 0.0, False: 0.0}
    for elo, right in ((0, Decision.H0), (50, Decision.H1)):
        found = [
            compared(random, expected_score(elo), hypotheses, adjusted=True) for _ in range(500)
        ]
        wrong.append(sum(decision is not right for decision, _ in found) / 500)
        taken[True] += fmean(pairs for _, pairs in found)
        raw = [compared(random, expected_score(elo), hypotheses, adjusted=False) for _ in range(50)]
        taken[False] += fmean(pairs for _, pairs in raw)
    assert max(wrong) <= 0.05 + 2 * (0.05 * 0.95 / 500) ** 0.5
    assert taken[True] <= taken[False] / 4


@pytest.mark.slow
def test_the_95_percent_interval_without_luck_holds_the_truth() -> None:
    """1,000 simulated tournaments of three bots, eight matches of two pairs for each two of them."""
    random, held, asked = Random(9), 0, 0
    chances = {("anna", "bo"): 0.6, ("anna", "cia"): 0.75, ("bo", "cia"): 0.65}
    truth = 3 * ((2 * 0.6 - 1) + (2 * 0.75 - 1)) / 2
    for _ in range(1000):
        matches = []
        for names, chance in chances.items():
            for _ in range(8):
                games = [played(random, chance, 0.2) for _ in range(4)]
                matches.append(
                    lucky([points for points, _ in games], [luck for _, luck in games], *names)
                )
        units = [
            unit
            for match, one in zip(matches, coefficients(matches), strict=True)
            for unit in adjusted_units(match, 2, one)
        ]
        found = points_per_game(units, "anna")
        assert found.margin is not None
        held += abs(found.mean - truth) <= found.margin
        asked += 1
    assert 0.94 <= held / asked <= 0.96
