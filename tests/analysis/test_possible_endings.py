"""Endings that the rules exclude get no chance: examples, what just remains possible, and games played to their end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.analysis.evaluator import Evaluator, new_evaluator, ways_of
from arena.games import load_game
from arena.games.playing import rolls
from arena.games.tables import board
from arena.games.tables.board import OFF
from arena.games.tables.endings import TIMES
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position, from_state, swapped
from tests.fixtures.plain_rules import bound, house, reference_rules
from tests.fixtures.small_evaluators import tables_game
from tests.reference.positions import random_positions_under

NAMED = ["vasa", "swedish-tables", "classic", "fiske", "backgammon"]
VASA, SWEDISH, CLASSIC, FISKE, BACKGAMMON = map(tables_game, NAMED)
DOUBLE_SIX, EASY_REENTRY, ONE_DIE = (
    tables_game("classic", option) for option in ("double_six", "easy_reentry", "one_die")
)
NO_GAMMONS = tables_game("backgammon", "no_gammons")
GAMES: list[Any] = [
    *(VASA, SWEDISH, CLASSIC, FISKE, BACKGAMMON, DOUBLE_SIX, EASY_REENTRY, ONE_DIE, NO_GAMMONS),
    load_game({"base": "vasa", "name": "with gammons", "gammons": True}),
    load_game(
        {
            "base": "backgammon",
            "name": "handsome",
            "handsome": "at_once",
            "jan": True,
            "points_monk": 1,
        }
    ),
    *map(house, range(6)),
]
in_every_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


def small(game: TablesGame) -> Evaluator:
    return new_evaluator("small", game.rules, (4,), seed=1)


def after(game: TablesGame, text: str) -> int:
    """The packed position of a literal, which the side about to roll sees."""
    return game.flip(game.parse_position(text)).state


def chances(game: TablesGame, text: str) -> dict[str, Counter[str]]:
    """The chance of every ending, for the side about to roll, which the literal is of, and for the other one."""
    evaluator = small(game)
    [row] = evaluator.probabilities([after(game, text)]).tolist()
    assert sum(row) == pytest.approx(1, abs=1e-5)
    found: dict[str, Counter[str]] = {"mine": Counter(), "theirs": Counter()}
    half = len(evaluator.ways)
    for side, part in (("theirs", row[:half]), ("mine", row[half:])):
        for (ending, monk), chance in zip(evaluator.ways, part, strict=True):
            found[side][f"{ending} with monk" if monk else ending] += chance
    return found


def possible(game: TablesGame, text: str) -> dict[str, set[str]]:
    return {
        side: {ending for ending, chance in of.items() if chance > 0}
        for side, of in chances(game, text).items()
    }


HANDSOME = {"single_crown", "double_crown", "staircase", "tower"}


def test_nobody_is_gammoned_who_has_borne_off_a_checker() -> None:
    """G6: the chance goes to the plain win, and the other side keeps its own."""
    found = chances(BACKGAMMON, "4:3 3:2 1:2 off:8 | opp 24:2 22:3 21:2 20:2 8:3 6:1 2:1 off:1")
    assert found["mine"] == {
        "bearing_off": pytest.approx(found["mine"].total()),
        "gammon": 0,
        "backgammon": 0,
    }
    assert all(found["theirs"][ending] == 0 for ending in ("gammon", "backgammon"))
    none_off = possible(BACKGAMMON, "4:3 3:2 1:10 | opp 24:2 22:3 21:2 20:2 8:3 6:1 2:2")
    assert none_off["mine"] == none_off["theirs"] == {"bearing_off", "gammon", "backgammon"}


def test_nobody_is_backgammoned_who_has_left_the_last_quarter_for_good() -> None:
    """G6, in numbers of backgammon: without contact nobody is sent back."""
    ahead = "2:8 1:3 off:4 | opp 18:10 10:5"
    assert possible(BACKGAMMON, ahead)["mine"] == {"bearing_off", "gammon"}
    behind = "2:8 1:3 off:4 | opp 18:10 10:4 4:1"
    assert possible(BACKGAMMON, behind)["mine"] == {"bearing_off", "gammon", "backgammon"}


@pytest.mark.parametrize("game", [VASA, CLASSIC, FISKE], ids=lambda game: game.name)
def test_a_handsome_game_needs_all_checkers_on_the_board(game: TablesGame) -> None:
    """B8.1, with contact."""
    found = possible(game, "5:1 20:5 21:4 22:4 off:1 | opp 7:1 13:14")
    assert not found["mine"] & {name for kind in HANDSOME for name in (kind, f"{kind} with monk")}
    assert found["theirs"] >= HANDSOME


def test_a_checker_too_far_forward_forbids_a_handsome_game_in_a_race() -> None:
    """B8.1: the double crown has five on 24, the staircase seven, the single crown three."""
    assert possible(VASA, "14:9 24:6 | opp 1:15")["mine"] & HANDSOME == {"staircase", "tower"}
    hit_again = possible(VASA, "1:1 14:8 24:6 | opp 13:15")
    assert hit_again["mine"] >= HANDSOME, "with contact the six may be hit and come round again"


def test_without_contact_nobody_is_hit() -> None:
    """B9.1, B10.1: neither jan nor monk."""
    race = possible(VASA, "14:15 | opp 1:15")
    assert race["mine"] == race["theirs"] == {"bearing_off", *HANDSOME}


@pytest.mark.parametrize(
    ("theirs", "is_possible"),
    [("13:1 14:6 off:8", True), ("13:1 14:5 off:9", False), ("13:1 off:14", False)],
)
def test_a_jan_needs_seven_checkers(theirs: str, *, is_possible: bool) -> None:
    """B9.1: on the bar and on points of Q1 together."""
    found = possible(CLASSIC, f"1:15 | opp {theirs}")["mine"]
    assert ("jan" in found, "forced_jan" in found) == (is_possible, is_possible)


def test_a_side_with_14_off_never_strikes_in_vasa() -> None:
    """B5.6."""
    last = "bar:1 off:14 | opp 5:1 6:1 13:1 14:12"
    assert "forced_jan" not in possible(VASA, last)["mine"]
    assert "jan" in possible(VASA, last)["mine"]


ENTRY = [(7 - closed, 5 + 2 * closed) for closed in range(1, 6)]
"""Checkers of the winner and the loser that are just enough for a forced jan on entry."""


@pytest.mark.parametrize("game", [VASA, CLASSIC, EASY_REENTRY], ids=lambda game: game.name)
@pytest.mark.parametrize(("winner", "loser"), ENTRY)
def test_the_fewest_checkers_with_which_a_strike_on_entry_forces_a_jan(
    game: TablesGame, winner: int, loser: int
) -> None:
    """Five singles in the loser's Q1 and two on each closed point; the last points of the winner's Q1 are its own."""
    closed = 7 - winner
    mine = " ".join(f"{point}:1" for point in range(closed + 1, 7))
    theirs = " ".join(
        [
            *(f"{point}:2" for point in range(1, closed + 1)),
            *(f"{point}:1" for point in range(13, 18)),
        ]
    )
    position = game.parse_position(f"bar:1 {mine} | opp {theirs}")  # the others are off
    endings = {turn.ending.name for turn in game.legal_turns(position, (1, 1)) if turn.ending}
    assert endings == {"forced_jan"}
    assert (board.count(position.state, OFF), board.their_count(position.state, OFF)) == (
        15 - winner,
        15 - loser,
    )
    assert "forced_jan" in possible(game, game.format_position(position))["mine"]
    fewer = f"bar:1 {mine} | opp {theirs.removesuffix(' 17:1')}"
    assert "forced_jan" not in possible(game, fewer)["mine"]
    fewer = f"bar:1 {mine.partition(' ')[2]} | opp {theirs}"
    assert "forced_jan" not in possible(game, fewer)["mine"]


def test_the_fewest_checkers_with_which_a_strike_on_a_prime_forces_a_jan() -> None:
    """B6.3 with a shorter prime: two of its points stay closed, the home among them; that of vasa is too long."""
    game: Any = load_game(
        {"base": "vasa", "name": "short", "strikeable_prime": 3, "entry_strikes": "never"}
    )
    theirs = "11:2 12:2 13:2 14:1 15:1 16:1 17:1"
    position = game.parse_position(f"10:1 20:1 | opp {theirs}")
    endings = {turn.ending.name for turn in game.legal_turns(position, (1, 1)) if turn.ending}
    assert endings == {"forced_jan"}
    assert "forced_jan" in possible(game, game.format_position(position))["mine"]
    assert (
        "forced_jan"
        not in possible(game, f"10:1 20:1 | opp {theirs.removesuffix(' 17:1')}")["mine"]
    )
    no_entry: Any = load_game({"base": "vasa", "name": "no entry", "entry_strikes": "never"})
    assert "forced_jan" not in possible(no_entry, "1:15 | opp 13:15")["mine"]


@pytest.mark.parametrize(
    ("game", "text", "ending"),
    [
        (VASA, "24:2 off:13 | opp 1:5 4:2 13:8", "bearing_off"),
        (VASA, "24:1 off:14 | opp 4:14 bar:1", "bearing_off with monk"),
        (VASA, "22:1 off:14 | opp 1:15", "bearing_off"),
        (ONE_DIE, "24:1 off:14 | opp 1:15", "bearing_off"),
        (BACKGAMMON, "1:2 off:13 | opp 12:5 8:10", "gammon"),
        (BACKGAMMON, "1:2 off:13 | opp 12:5 6:9 2:1", "backgammon"),
        (BACKGAMMON, "1:2 off:13 | opp 12:5 6:9 off:1", "bearing_off"),
    ],
)
def test_a_side_that_wins_with_any_roll_has_won(game: TablesGame, text: str, ending: str) -> None:
    """And by which ending is known."""
    assert possible(game, text) == {"mine": {ending}, "theirs": set()}
    for roll in rolls(2):
        for turn in game.legal_turns(game.parse_position(text), roll):
            assert turn.ending is not None
            assert f"{turn.ending.name}{' with monk' if turn.ending.monk else ''}" == ending


@pytest.mark.parametrize(
    ("game", "text"),
    [
        (VASA, "24:3 off:12 | opp 1:15"),
        (VASA, "23:1 24:1 off:13 | opp 1:15"),
        (VASA, "21:1 off:14 | opp 1:15"),
        (VASA, "23:1 off:14 | opp 1:2 12:2 13:11"),
        (ONE_DIE, "24:2 off:13 one-die:1 | opp 1:15"),
        (ONE_DIE, "23:1 off:14 one-die:1 | opp 1:15"),
    ],
)
def test_a_side_that_may_still_need_another_turn_has_not(game: TablesGame, text: str) -> None:
    assert "bearing_off" in possible(game, text)["theirs"]


Results = Sequence[tuple[int, Any]]
"""The positions after the turns of a roll, packed, and their endings."""


def by_chance(chance: Random, results: Results) -> int:
    return chance.randrange(len(results))


def in_no_hurry(chance: Random, results: Results) -> int:
    """Bear off as few as possible, so that the other endings have time to come."""
    off = [board.count(state, OFF) for state, _ in results]
    return chance.choice([place for place, number in enumerate(off) if number == min(off)])


def for_the_best_ending(chance: Random, results: Results) -> int:
    points = [ending.points if ending else 0 for _, ending in results]
    return chance.choice([place for place, number in enumerate(points) if number == max(points)])


CHOOSERS = [by_chance, in_no_hurry, for_the_best_ending]


def played_out(game: TablesGame, position: Position, chance: Random) -> tuple[list[int], Any]:
    """Play to the end; gives the packed positions after each turn, and the ending if there was one."""
    states = [swapped(position.state)]
    choosers = chance.choices(CHOOSERS, k=2)
    for turn in range(250):
        dice = (chance.randint(1, 6), chance.randint(1, 6))[: game.dice_to_roll(position)]
        results = game.legal_turns(position, dice).results()
        state, ending = results[choosers[turn % 2](chance, results)]
        if ending:
            return states, ending
        states.append(state)
        position = from_state(swapped(state), game.rules.layout)
    return states, None


def check(game: TablesGame, number: int, seed: int) -> Counter[str]:
    """Play random positions out; returns how often each ending came.

    None of them had no chance on the way.
    """
    evaluator = small(game)
    chance = Random(seed)
    seen: Counter[str] = Counter()
    for plain in random_positions_under(reference_rules(game), number, seed):
        position = game.from_plain(bound(plain, chance) if game.rules.one_die else plain)
        states, ending = played_out(game, position, chance)
        if ending is None:
            continue
        seen[f"{ending.name} with monk" if ending.monk else ending.name] += 1
        rows = evaluator.probabilities(states).reshape(len(states), 2, -1)
        assert rows.sum(axis=(1, 2)) == pytest.approx(np.ones(len(states)), abs=1e-4)
        places = np.arange(len(states))
        winners = (len(states) - places) % 2  # who is about to roll in the last position has won
        of_ending = [
            way.monk == ending.monk and kind(game, way.ending) == ending.name
            for way in evaluator.ways
        ]
        had_chance = (rows[places, winners][:, of_ending] > 0).any(axis=1)
        for place in np.flatnonzero(~had_chance)[:1].tolist():
            drawn = game.draw(from_state(swapped(states[place]), game.rules.layout))
            pytest.fail(f"{ending.name} came {len(states) - place} turns after\n{drawn}")
    return seen


def kind(game: TablesGame, ending: str) -> str:
    """The ending as the ruleset calls it: without gammons they are plain wins."""
    return "bearing_off" if ending in TIMES and not game.rules.gammons else ending


@in_every_game
def test_no_ending_without_a_chance_ever_comes(game: TablesGame) -> None:
    """From positions of every kind, played out by chance, in no hurry, and for the best ending."""
    assert "bearing_off" in check(game, 15, seed=1)


@pytest.mark.soak
@in_every_game
def test_no_ending_without_a_chance_comes_in_many_games(game: TablesGame) -> None:
    """In rulesets that have a name every kind of ending comes, so that nothing is left untried."""
    seen = {name.removesuffix(" with monk") for name in check(game, 3000, seed=2)}
    if game.name in NAMED:
        assert seen >= {way.ending for way in ways_of(game.rules)}
