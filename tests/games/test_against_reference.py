"""The packed engine against the plain one of tests/reference: the same results and the same verdicts on many boards.

A ruleset that both know by name is compared as soon as the arena registers it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from arena.games import Game, Illegal, Legal, load_game, ruleset_names
from arena.games.tables.explain import CODES
from arena.games.tables.notation import format_moves
from tests.games.boards import EASY_REENTRY
from tests.games.plain import reference_rules
from tests.reference import tables
from tests.reference.boards import RULES, Position
from tests.reference.positions import near_misses, problems, random_positions
from tests.reference.tables import judge, turns

ALL_ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]
NAMES = [name for name in ruleset_names() if name in RULES]
HOUSES = 8
Key = tuple[tuple[tuple[int, ...], ...], str | None, int]


@pytest.fixture(autouse=True)
def _remembered_roll(monkeypatch):
    """The reference works a roll out afresh for every turn it judges; the last one is remembered to save time."""
    last: dict[str, Any] = {}

    def all_lines(rules, board, dice, original=tables.all_lines):
        asked = (rules, board.key(), tuple(dice))
        if last.get("asked") != asked:
            last.update(asked=asked, lines=original(rules, board, dice), duties=None)
        return last["lines"]

    def duties(lines, original=tables.duties):
        if lines is not last["lines"]:
            return original(lines)
        last["duties"] = last["duties"] or original(lines)
        return last["duties"]

    monkeypatch.setattr(tables, "all_lines", all_lines)
    monkeypatch.setattr(tables, "duties", duties)


def key(plain: Position, ending: str | None, points: int) -> Key:
    """A result, in a form that both sides can give."""
    return tuple(tuple(plain[name]) for name in sorted(plain)), ending, points


def packed_results(game: Game, position: Any, roll: tuple[int, int]) -> list[Key]:
    """What the arena makes of the roll."""
    return [
        key(game.to_plain(turn.position), *((turn.ending.name, turn.ending.points) if turn.ending else (None, 0)))
        for turn in game.legal_turns(position, roll)
    ]


def compare_results(game: Game, plain: Position, roll: tuple[int, int]) -> None:
    """Both engines find the same results, each once."""
    position = game.from_plain(plain)
    expected = {
        key(turn["position"], turn["ending"], turn["points"])
        for turn in turns(reference_rules(game), plain, list(roll))
    }
    found = packed_results(game, position, roll)
    if len(found) != len(set(found)) or set(found) != expected:
        text = "\n".join(
            [
                f"{game.name}, {roll[0]}-{roll[1]}: {game.format_position(position)}",
                game.draw(position),
                *(f"only the plain one: {one}" for one in expected - set(found)),
                *(f"only the packed one: {one}" for one in set(found) - expected),
            ]
        )
        pytest.fail(text, pytrace=False)


def compare_verdicts(game: Game, plain: Position, roll: tuple[int, int], rng: Random) -> None:
    """Both judges agree on turns that are nearly right, and a verdict is one of the known."""
    rules, position = reference_rules(game), game.from_plain(plain)
    legal = set(packed_results(game, position, roll))
    for moves in near_misses(rules, plain, list(roll), rng):
        verdict = game.judge(position, roll, moves)
        is_legal = isinstance(verdict, Legal)
        if is_legal is not judge(rules, plain, list(roll), moves):
            said = "legal" if is_legal else verdict.message
            where = f"{game.name}, {roll[0]}-{roll[1]}: {game.format_position(position)}\n{game.draw(position)}"
            pytest.fail(f"{where}\n{_shown(moves)}: the packed engine says {said}", pytrace=False)
        if isinstance(verdict, Illegal):
            assert verdict.code in CODES, f"{verdict.code}: {_shown(moves)}"
            assert verdict.legal_turns == len(legal), f"{game.format_position(position)} {roll}: {_shown(moves)}"
        else:
            end = verdict.ending
            result = key(game.to_plain(verdict.position), *((end.name, end.points) if end else (None, 0)))
            assert result in legal, f"{game.format_position(position)} {roll}: {_shown(moves)}"


def _shown(moves: list[list[int]]) -> str:
    return f"{moves} ({format_moves(moves)})"


def compare(game: Game, positions: Iterator[Position], seed: int, *, every: int) -> None:
    """Two rolls for every position, all 21 for one in `every`; near misses for one in two, seldom with a double."""
    rng = Random(seed)
    for number, plain in enumerate(positions):
        for roll in ALL_ROLLS if number % every == 0 else rng.sample(ALL_ROLLS, 2):
            compare_results(game, plain, rng.choice([roll, roll[::-1]]))
        if number % 2 == 0:
            high, low = rng.sample(range(1, 7), 2)
            compare_verdicts(game, plain, (high, high) if number % 16 == 0 else (high, low), rng)


@pytest.mark.parametrize("name", NAMES)
def test_packed_and_plain_agree(name):
    """On hundreds of boards of every kind both find the same results and judge near misses alike."""
    compare(load_game(name), random_positions(name, 400, seed=1), seed=2, every=10)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 12))
@pytest.mark.parametrize("name", NAMES)
def test_packed_and_plain_agree_on_thousands(name, seed):
    """The same on thousands of boards."""
    compare(load_game(name), random_positions(name, 3_000, seed=seed), seed=seed, every=10)


def test_packed_and_plain_agree_on_easy_reentry():
    """B11.2: classic with the strikes of vasa, as a house ruleset."""
    compare(EASY_REENTRY, random_positions("classic", 200, 3, ["easy_reentry"]), seed=4, every=20)


def house(number: int) -> Game:
    """A house ruleset that mixes the fields of the others."""
    rng = Random(number)
    return load_game(
        {
            "base": rng.choice(["vasa", "classic"]),
            "name": f"house-{number}",
            "entry_strikes": rng.choice(["never", "no_free_point", "outnumbered"]),
            "last_checker_strikes": rng.random() < 0.5,
            "longest_run": rng.choice([None, 3, 4, 5]),
            "strikeable_run": rng.choice([None, 6]),
            "bearing_off": rng.choice(["any", "rearmost"]),
            "least_waste": rng.random() < 0.5,
            "winning_turn_is_exempt": rng.random() < 0.5,
            "handsome": rng.choice(["never", "after_turn", "at_once"]),
            "jan": rng.random() < 0.7,
        }
    )


@pytest.mark.parametrize("number", range(HOUSES))
def test_packed_and_plain_agree_on_house_rulesets(number):
    """Every field does its own work, whatever the others say."""
    game = house(number)
    rules = reference_rules(game)
    possible = (one for one in random_positions("vasa", 80, number) if not problems(rules, one))
    compare(game, possible, seed=number, every=50)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(100, 140))
def test_packed_and_plain_agree_on_many_house_rulesets(number):
    """The same for many mixtures."""
    test_packed_and_plain_agree_on_house_rulesets(number)
