"""The packed engine against the plain one of tests/reference: the same results and the same verdicts on many boards.

A ruleset that both know by name is compared as soon as the arena registers it, with every
combination of its options. The reference plays single dice, but does not count the turns bound to
them (B11.3): that is done here.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from arena.games import Dice, Game, Illegal, Legal, load_game, option_names, ruleset_names
from arena.games.tables.notation import format_moves
from tests.fixtures.plain_rules import (
    bound,
    house,
    key,
    packed_results,
    plain_results,
    reference_rules,
)
from tests.fixtures.verdict_codes import TABLES_CODES
from tests.reference import tables
from tests.reference.boards import HANDSOME, RULES, Position
from tests.reference.positions import near_misses, random_positions, random_positions_under
from tests.reference.tables import flip, judge, turns

pytestmark = (
    pytest.mark.unmeasured
)  # it would take three times as long, and covers nothing that others do not

ALL_ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
NAMES = [name for name in ruleset_names() if name in RULES]
OPTIONED = [
    (name, options)
    for name in NAMES
    for number in range(1, len(option_names(name)) + 1)
    for options in combinations(sorted(option_names(name)), number)
]
"""Every ruleset with every combination of its options, but for none."""
HOUSES = 4


@pytest.fixture(autouse=True)
def _remembered_roll(monkeypatch):
    """The reference works a roll out afresh for every turn it judges; the last one is remembered to save time."""
    last: dict[str, Any] = {}

    def all_walks(rules, board, dice, original=tables.all_walks):
        asked = (rules, board.key(), tuple(dice))
        if last.get("asked") != asked:
            last.update(asked=asked, walks=original(rules, board, dice), duties=None)
        return last["walks"]

    def duties(walks, original=tables.duties):
        if walks is not last["walks"]:
            return original(walks)
        last["duties"] = last["duties"] or original(walks)
        return last["duties"]

    monkeypatch.setattr(tables, "all_walks", all_walks)
    monkeypatch.setattr(tables, "duties", duties)


def seen_by_the_opponent(game: Game, plain: Position) -> Position:
    flipped = flip(reference_rules(game), plain)
    return flipped | {"one_die": plain["one_die"][::-1]} if "one_die" in plain else flipped


def compare_views(game: Game, plain: Position) -> None:
    """Both engines see the same from the other side, and read and write it the same."""
    position, other = game.from_plain(plain), seen_by_the_opponent(game, plain)
    assert game.to_plain(position) == plain
    assert game.to_plain(game.flip(position)) == other, game.format_position(position)
    assert game.from_plain(other) == game.flip(position), game.format_position(position)


def compare_results(game: Game, plain: Position, roll: Dice) -> None:
    position = game.from_plain(plain)
    expected = plain_results(game, plain, roll)
    found = packed_results(game, position, roll)
    if len(found) != len(set(found)) or set(found) != expected:
        text = "\n".join(
            [
                f"{game.name}, {_words(roll)}: {game.format_position(position)}",
                game.draw(position),
                *(f"only the plain one: {one}" for one in expected - set(found)),
                *(f"only the packed one: {one}" for one in set(found) - expected),
            ]
        )
        pytest.fail(text, pytrace=False)


def compare_verdicts(game: Game, plain: Position, roll: Dice, rng: Random) -> None:
    """Both judges agree on turns that are nearly right, and a verdict is one of the known."""
    rules, position = reference_rules(game), game.from_plain(plain)
    legal = set(packed_results(game, position, roll))
    for moves in near_misses(rules, plain, list(roll), rng):
        verdict = game.judge(position, roll, moves)
        is_legal = isinstance(verdict, Legal)
        if is_legal is not judge(rules, plain, list(roll), moves):
            said = "legal" if is_legal else verdict.message
            where = f"{game.name}, {_words(roll)}: {game.format_position(position)}\n{game.draw(position)}"
            pytest.fail(
                f"{where}\n{_shown(game, moves)}: the packed engine says {said}", pytrace=False
            )
        if isinstance(verdict, Illegal):
            assert verdict.code in TABLES_CODES, f"{verdict.code}: {_shown(game, moves)}"
            assert verdict.legal_turns == len(legal), (
                f"{game.format_position(position)} {roll}: {_shown(game, moves)}"
            )
        else:
            end = verdict.ending
            result = key(
                game.to_plain(verdict.position), *((end.name, end.points) if end else (None, 0))
            )
            assert result in legal, (
                f"{game.format_position(position)} {roll}: {_shown(game, moves)}"
            )


def compare_calls(game: Game, plain: Position) -> None:
    """B11.3: one die is rolled by who is bound, and called for by who would win with some single one."""
    position = game.from_plain(plain)
    bound = plain["one_die"][0]
    assert game.dice_to_roll(position) == (1 if bound else 2)
    endings = {
        turn["ending"] for die in range(1, 7) for turn in turns(reference_rules(game), plain, [die])
    }
    may_call = not bound and bool(endings & set(HANDSOME))
    assert game.dice_to_call(position) == ((1, 2) if may_call else ()), game.format_position(
        position
    )


def _shown(game: Game, moves: list[list[int]]) -> str:
    return f"{moves} ({format_moves(moves, game.ruleset['facing'])})"


def _words(roll: Dice) -> str:
    return "-".join(map(str, roll))


def rolls_for(game: Game, plain: Position) -> list[Dice]:
    """The rolls that can come: single dice for who is bound, and those as well for who may call for one (B11.3)."""
    single: list[Dice] = [(die,) for die in range(1, 7)]
    if "one_die" not in plain:
        return [*ALL_ROLLS]
    if plain["one_die"][0]:
        return single
    return [*ALL_ROLLS, *single] if game.dice_to_call(game.from_plain(plain)) else [*ALL_ROLLS]


def compare(game: Game, positions: Iterator[Position], seed: int, *, every: int) -> None:
    """Two rolls for every position, all of them for one in `every`; near misses for one in two, seldom with a double.

    Every other position is compared from the other side.
    """
    rng, rules = Random(seed), reference_rules(game)
    for number, plain in enumerate(positions):
        if rules.one_die:
            plain = bound(plain, rng)
            compare_calls(game, plain)
        compare_views(game, plain)
        if number % 4 > 1:
            plain = seen_by_the_opponent(game, plain)
        possible = rolls_for(game, plain)
        sample = possible if number % every == 0 else rng.sample(possible, 2)
        if rules.double_six and plain["points"][0] == 15:
            sample = [*sample, (6, 6)]
            compare_verdicts(game, plain, (6, 6), rng)
        for roll in sample:
            compare_results(game, plain, rng.choice([roll, roll[::-1]]))
        if number % 2 == 0:
            doubles = [roll for roll in possible if len(roll) == 2 and roll[0] == roll[1]]
            others = [roll for roll in possible if roll not in doubles]
            compare_verdicts(
                game, plain, rng.choice(doubles if doubles and number % 16 == 0 else others), rng
            )


def ids(case: object) -> str:
    """A ruleset with its options as its game is called."""
    return "+".join(case) if isinstance(case, tuple) else str(case)


@pytest.mark.parametrize("name", NAMES)
def test_packed_and_plain_agree(name):
    compare(load_game(name), random_positions(name, 30, seed=1), seed=2, every=10)


@pytest.mark.parametrize(("name", "options"), OPTIONED, ids=ids)
def test_packed_and_plain_agree_with_options(name, options):
    compare(load_game(name, options), random_positions(name, 12, 3, options), seed=4, every=20)


@pytest.mark.soak
@pytest.mark.parametrize(("name", "options"), [*((name, ()) for name in NAMES), *OPTIONED], ids=ids)
def test_packed_and_plain_agree_on_thousands(name, options):
    number = 60 if options else 150
    compare(
        load_game(name, options), random_positions(name, number, 10, options), seed=10, every=10
    )


@pytest.mark.parametrize(
    "number",
    [*range(HOUSES), *(pytest.param(number, marks=pytest.mark.soak) for number in range(100, 130))],
)
def test_packed_and_plain_agree_on_house_rulesets(number):
    """Every field does its own work, whatever the others say."""
    game = house(number)
    compare(
        game,
        random_positions_under(reference_rules(game), 20 if number < HOUSES else 40, number),
        seed=number,
        every=50,
    )
