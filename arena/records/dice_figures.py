"""Figures on the dice of a run: counts, and how often fair dice would look at least as odd.

Figures prove nothing. The dice can be trusted because they follow from seeds committed to
beforehand, which verification checks. These figures answer the question that people ask after every
lost game.

The tests are the usual ones (D. E. Knuth, The Art of Computer Programming, volume 2, 3.3.1 and
3.3.2; the runs test is that of Wald and Wolfowitz, 1940). Tails of the distributions: M. Abramowitz
and I. A. Stegun, Handbook of Mathematical Functions, 26.2.29, 26.4.4 and 26.4.5.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from statistics import correlation
from typing import Final, Literal

from arena.words import Said

ENOUGH_DICE: Final = 360
"""180 rolls, so that each of the 36 is expected five times; for fewer the formulas are not good
enough."""
UNUSUAL: Final = 0.05
"""Below this p-value, for the smallest of all tests and corrected for their number, the run is
called unusual."""
SUSPICIOUS: Final = 0.001
"""Below this p-value the run is called suspicious."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceTest:
    """One question to the dice."""

    name: Literal["faces", "rolls", "doubles", "runs", "neighbours"]
    statistic: float
    """Chi-square for faces and rolls, else the number of standard deviations from the expected
    value."""
    freedom: int | None
    """Degrees of freedom of a chi-square; None for a number of standard deviations."""
    p: float
    """The chance that fair dice give at least this statistic, in both directions for deviations."""

    @property
    def extremity(self) -> float:
        """Chance of a statistic at least as far from fair as this one, in either direction.

        It is `p`, or for a chi-square twice the smaller of `p` and 1 - `p`: counts can be too even.
        """
        if self.freedom is None:
            return self.p
        return min(1.0, 2 * min(self.p, 1 - self.p))


@dataclass(frozen=True, slots=True, kw_only=True)
class DiceFigures:
    """The dice of a run in figures."""

    dice: int
    faces: tuple[int, ...]
    """Six counts, of face 1 first."""
    rolls: int
    """Pairs of dice in the order of the stream, opening throws included; with `one_die` a pair may
    be of two rolls."""
    doubles: int
    tests: tuple[DiceTest, ...]
    """Empty for fewer than `ENOUGH_DICE` dice."""

    @property
    def chance_of_odder(self) -> float | None:
        """Chance that fair dice have an odder figure than the oddest here (Bonferroni's bound)."""
        if not self.tests:
            return None
        return min(1.0, len(self.tests) * min(test.extremity for test in self.tests))

    @property
    def sentence(self) -> Said:
        """Meaning of the figures, for people."""
        chance = self.chance_of_odder
        if chance is None:
            return Said("dice_figures.too_few", {"dice": self.dice, "needed": ENOUGH_DICE})
        if chance >= UNUSUAL:
            return Said("dice_figures.usual")
        oddest = min(self.tests, key=lambda test: test.extremity)
        one_run_in = round(1 / max(chance, 1e-12))
        code = "dice_figures.unusual" if chance >= SUSPICIOUS else "dice_figures.suspicious"
        return Said(
            code,
            {
                "number": one_run_in,
                "test": Said(f"dice_test.{oddest.name}"),
            },
        )


def figures_of(games: Iterable[bytes]) -> DiceFigures:
    """Count and test the dice of games.

    Each game is its dice in the order of its stream, one byte (1-6) a die.
    """
    dealt = bytearray()
    pairs = Counter(dict.fromkeys(product(range(1, 7), repeat=2), 0))
    for dice in games:
        dealt += dice
        pairs.update(zip(dice[::2], dice[1::2], strict=False))
    faces = tuple(map(dealt.count, range(1, 7)))
    rolls = pairs.total()
    doubles = sum(pairs[face, face] for face in range(1, 7))
    tests: tuple[DiceTest, ...] = ()
    if len(dealt) >= ENOUGH_DICE and rolls >= ENOUGH_DICE // 2:
        tests = (
            _even("faces", faces),
            _even("rolls", list(pairs.values())),
            _deviation(
                "doubles",
                doubles,
                rolls / 6,
                math.sqrt(rolls * 5 / 36),
            ),
            _runs(dealt),
            _neighbours(dealt),
        )
    return DiceFigures(
        dice=len(dealt),
        faces=faces,
        rolls=rolls,
        doubles=doubles,
        tests=tests,
    )


def chi_square_tail(statistic: float, freedom: int) -> float:
    """Return the chance that chi-square is at least this large.

    It is a finite sum: 26.4.4 for an odd number of degrees of freedom, 26.4.5 for an even one.
    """
    half = statistic / 2
    if freedom % 2 == 0:
        term = total = math.exp(-half)
        for step in range(1, freedom // 2):
            term *= half / step
            total += term
        return min(1.0, total)
    total = math.erfc(math.sqrt(half))
    term = math.sqrt(2 * statistic / math.pi) * math.exp(-half)
    for step in range(3, freedom + 1, 2):
        total += term
        term *= statistic / step
    return min(1.0, total)


def _even(name: Literal["faces", "rolls"], counts: Sequence[int]) -> DiceTest:
    """Return the chi-square of counts that should be equal (Knuth 3.3.1)."""
    expected = sum(counts) / len(counts)
    squares = sum((count - expected) ** 2 for count in counts)
    statistic = squares / expected
    freedom = len(counts) - 1
    p = chi_square_tail(statistic, freedom)
    return DiceTest(
        name=name,
        statistic=statistic,
        freedom=freedom,
        p=p,
    )


def _deviation(
    name: Literal["doubles", "runs", "neighbours"],
    observed: float,
    mean: float,
    spread: float,
) -> DiceTest:
    """Measure a figure in standard deviations (`spread`) from its mean."""
    deviations = (observed - mean) / spread
    p = math.erfc(abs(deviations) / math.sqrt(2))  # both tails of the normal distribution (26.2.29)
    return DiceTest(
        name=name,
        statistic=deviations,
        freedom=None,
        p=p,
    )


def _runs(dealt: Sequence[int]) -> DiceTest:
    """Count runs of high (4-6) and of low (1-3) dice, as Wald and Wolfowitz do.

    There are too few of them if luck comes in streaks.
    """
    number = len(dealt)
    is_high = [die > 3 for die in dealt]
    high = sum(is_high)
    low = number - high
    runs = 1
    for before, after in pairwise(is_high):
        runs += before != after
    mean = 1 + 2 * high * low / number
    variance = (mean - 1) * (mean - 2) / (number - 1)
    if variance <= 0:  # nearly all dice are high, or low: infinitely far from fair dice
        return DiceTest(
            name="runs",
            statistic=-math.inf,
            freedom=None,
            p=0.0,
        )
    return _deviation(
        "runs",
        runs,
        mean,
        math.sqrt(variance),
    )


def _neighbours(dealt: Sequence[int]) -> DiceTest:
    """Correlate each die with the next one, and the last with the first (Knuth 3.3.2 K)."""
    number = len(dealt)
    if len(set(dealt)) == 1:
        return DiceTest(
            name="neighbours",
            statistic=math.inf,
            freedom=None,
            p=0.0,
        )
    following = [*dealt[1:], dealt[0]]
    observed = correlation(dealt, following)
    mean = -1 / (number - 1)
    spread = number / (number - 1) / math.sqrt(number - 2)
    return _deviation(
        "neighbours",
        observed,
        mean,
        spread,
    )
