"""The figures of the dice: correct tails, crooked dice are noticed, and fair ones cause no alarm."""

from itertools import cycle, islice

import pytest

from arena.matches.facts import EntropyRevealed, GameStarted
from arena.records.dice import game_label
from arena.records.dice_figures import DiceFigures, DiceTest, chi_square_tail, figures_of
from arena.records.lines import read_attempts
from arena.records.verify import verify_run
from arena.words import say
from tests.fixtures.dice_streams import dice_stream
from tests.fixtures.small_run import FIXTURE, RECORD, small_run

# Abramowitz and Stegun, table 26.8: the chi-square that is exceeded with probability p (and 35, by
# interpolation).
TABLE_26_8 = [
    (1, 0.05, 3.84146),
    (1, 0.01, 6.63490),
    (2, 0.05, 5.99147),
    (3, 0.005, 12.8381),
    (4, 0.05, 9.48773),
    (5, 0.995, 0.411740),
    (5, 0.5, 4.35146),
    (5, 0.05, 11.0705),
    (5, 0.01, 15.0863),
    (5, 0.001, 20.515),
    (10, 0.05, 18.3070),
    (29, 0.05, 42.5569),
    (30, 0.01, 50.8922),
    (35, 0.05, 49.8018),
    (35, 0.01, 57.3421),
]


@pytest.mark.parametrize(("freedom", "p", "statistic"), TABLE_26_8)
def test_the_tail_of_chi_square_is_that_of_the_tables(
    freedom: int, p: float, statistic: float
) -> None:
    assert chi_square_tail(statistic, freedom) == pytest.approx(p, rel=1e-4)


def dice_of(game: int, number: int) -> bytes:
    return bytes(
        islice(dice_stream(bytes(range(32)), game_label("r1-a-v-b", 1, game, "", "")), number)
    )


def by_name(games: list[bytes]) -> dict[str, DiceTest]:
    return {test.name: test for test in figures_of(games).tests}


def test_counts_are_those_of_the_dice() -> None:
    """Faces of all dice; rolls and doubles two by two in each game, a last odd die left out."""
    figures = figures_of([bytes([1, 1, 2, 3, 6]), bytes([6, 6])])
    assert (figures.dice, figures.faces) == (7, (2, 1, 1, 0, 0, 3))
    assert (figures.rolls, figures.doubles) == (3, 2)
    assert figures.tests == ()
    assert figures.chance_of_odder is None
    assert "too few dice" in say(figures.sentence)


def test_a_statistic_worked_out_by_hand() -> None:
    """600 dice with 110, 90 and four times 100: chi-square (10 * 10 + 10 * 10) / 100 = 2."""
    dice = bytes([1] * 110 + [2] * 90 + [3] * 100 + [4] * 100 + [5] * 100 + [6] * 100)
    faces = by_name([dice])["faces"]
    assert (faces.statistic, faces.freedom) == (2, 5)
    assert faces.p == pytest.approx(0.84915, abs=1e-5)


def test_the_dice_of_the_arena_look_fair() -> None:
    """Of 200 runs with 2,000 dice each about 1 in 20 has a p below 0.05 in each test (2 to 18 of them: four sigma)."""
    runs = [by_name([dice_of(game, 2000)]) for game in range(1, 201)]
    for name in ("faces", "rolls", "doubles", "runs", "neighbours"):
        assert 1 <= sum(run[name].p < 0.05 for run in runs) <= 22, name
        assert 78 <= sum(run[name].p < 0.5 for run in runs) <= 122, name


CROOKED = {
    "a face too often": (
        lambda dice: bytes(6 if number % 20 == 0 else die for number, die in enumerate(dice)),
        "faces",
    ),
    "only doubles": (lambda dice: bytes(die for die in dice[::2] for _ in range(2)), "doubles"),
    "no doubles": (
        lambda dice: bytes(
            x
            for a, b in zip(dice[::2], dice[1::2], strict=True)
            for x in (a, b if a != b else b % 6 + 1)
        ),
        "doubles",
    ),
    "streaks": (lambda dice: bytes(sorted(dice[:50])) * (len(dice) // 50), "runs"),
    "high and low in turn": (
        lambda dice: bytes((die - 1) % 3 + 1 + 3 * (n % 2) for n, die in enumerate(dice)),
        "runs",
    ),
    "each die like the last": (
        lambda dice: bytes(die for die in dice[::3] for _ in range(3)),
        "neighbours",
    ),
    "too even": (lambda dice: bytes(islice(cycle(range(1, 7)), len(dice))), "faces"),
    "one face": (lambda dice: bytes([3]) * len(dice), "faces"),
}


@pytest.mark.parametrize(("spoil", "name"), CROOKED.values(), ids=CROOKED)
def test_crooked_dice_are_noticed(spoil, name: str) -> None:
    figures = figures_of([spoil(dice_of(1, 6000))])
    assert next(test for test in figures.tests if test.name == name).extremity < 1e-4
    assert say(figures.sentence).startswith("suspicious")


@pytest.mark.parametrize(
    ("p", "sentence"),
    [
        (0.5, "nothing unusual: fair dice often look like this"),
        (0.0101, "nothing unusual"),
        (
            0.002,
            "unusual, but no proof of anything: with fair dice about one run in 100 has a result as unusual as",
        ),
        (
            0.0001,
            "suspicious: with fair dice about one run in 2,000 has a result as unusual as runs here",
        ),
        (0.0, "suspicious"),
    ],
)
def test_the_sentence_reckons_with_five_tests(p: float, sentence: str) -> None:
    """Among five p-values one below 0.01 is nothing unusual; one below 0.0002 is."""
    fair = [
        DiceTest(name=name, statistic=0.0, freedom=None, p=0.5)
        for name in ("faces", "rolls", "doubles")
    ]
    tests = (*fair, DiceTest(name="runs", statistic=0.0, freedom=None, p=p), fair[0])
    assert say(
        DiceFigures(dice=1000, faces=(0,) * 6, rolls=500, doubles=0, tests=tests).sentence
    ).startswith(sentence)


def test_verification_gives_the_dice_of_every_attempt() -> None:
    files = small_run()
    expected = []
    for attempt in read_attempts(RECORD, files[RECORD]):
        given = {
            fact.seat: fact.entropy
            for _, fact in attempt.facts
            if isinstance(fact, EntropyRevealed)
        }
        one, two = given.get(1, ""), given.get(2, "")
        games = {fact.game for _, fact in attempt.facts if isinstance(fact, GameStarted)}
        assert attempt.seed is not None
        labels = [
            game_label(FIXTURE, attempt.opened.attempt, game, one, two) for game in sorted(games)
        ]
        expected += [dice_stream(attempt.seed, label) for label in labels]
    dealt = verify_run(files).dealt
    assert len(dealt) == len(expected) == 1 + 3
    for dice, stream in zip(dealt, expected, strict=True):
        assert len(dice) >= 2
        assert dice == bytes(islice(stream, len(dice)))
