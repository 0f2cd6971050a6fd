"""The sample bot that looks ahead: what it sees in a position, and how it plays."""

import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from arena.games import load_game
from tests.fixtures.arena_runs import REPOSITORY, Run, arena, assert_verified, play, write_plan
from tests.fixtures.bot_workshop import imported

FOLDER = REPOSITORY / "sample_bots" / "lookahead"
LOOKAHEAD = [sys.executable, str(FOLDER / "bot.py")]
GREEDY = [sys.executable, str(REPOSITORY / "sample_bots" / "greedy" / "bot.py")]
RANDOM = [sys.executable, str(REPOSITORY / "sample_bots" / "random" / "bot.py")]
VASA = load_game("vasa")


@pytest.fixture(scope="module")
def parts() -> Iterator[SimpleNamespace]:
    with imported("lookahead", "bot", "search", "evaluation", "weights") as modules:
        yield modules


def value(evaluation: ModuleType, text: str, ruleset: str = "vasa") -> float:
    game = load_game(ruleset)
    worth: float = evaluation.Evaluation(game.ruleset).value(game.parse_position(text).state)
    return worth


# What it sees


HANDSOME = {
    "single-crown": ({20: 3, 21: 3, 22: 3, 23: 3, 24: 3}, 0),
    "one-short": ({19: 1, 20: 2, 21: 3, 22: 3, 23: 3, 24: 3}, 1),
    "the-start": ({1: 15}, 15),
    "tower": ({23: 1, 24: 14}, 1),
    "double-crown": ({19: 2, 22: 5, 23: 5, 24: 3}, 2),
    "one-is-off": ({24: 14, 25: 1}, None),
    "staircase": ({19: 7, 23: 8}, 10),
    "only-the-tower-is-left": ({19: 2, 24: 13}, 2),
}


@pytest.mark.parametrize(("counts", "fewest"), HANDSOME.values(), ids=HANDSOME.keys())
def test_how_far_a_handsome_game_is(parts, counts, fewest):
    """B8.1: checkers that have to move, for the nearest pattern that can still stand."""
    assert parts.evaluation.to_place([counts.get(slot, 0) for slot in range(26)]) == fewest


def test_rulesets_that_know_no_jan_and_no_strike_have_no_such_danger(parts):
    """In `fiske` a high stack where the opponent enters is nothing to be feared (B5.7, B9.3)."""
    near = "1:3 14:6 16:6 | opp 13:9 15:1 17:1 24:3 bar:1"
    far = "1:3 14:6 16:6 | opp 13:8 15:1 17:1 18:1 24:3 bar:1"
    gain = {
        ruleset: value(parts.evaluation, near, ruleset) - value(parts.evaluation, far, ruleset)
        for ruleset in ("vasa", "fiske")
    }
    assert gain["vasa"] > 0.05
    assert gain["fiske"] < gain["vasa"] / 2


# How it looks ahead


def test_it_sees_what_the_rules_say(parts):
    """The value of a roll is that of the best turn the plain way of asking the engine gives, ended or not."""
    search = parts.search.Search(VASA)
    chance = random.Random(7)
    position = VASA.start()
    for _ in range(60):
        dice = (chance.randint(1, 6), chance.randint(1, 6))
        turns = VASA.legal_turns(position, dice)
        assert search.answer(position, dice) == max(map(search.at_once, turns))
        turn = turns[chance.randrange(len(turns))]
        position = VASA.start() if turn.ending else VASA.flip(turn.position)


def test_it_wins_where_it_can(parts):
    """B9.1: the jan of the rule book's example."""
    position = VASA.parse_position("1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3")
    assert parts.search.Search(VASA).best(position, (5, 4), 60).ending.name == "jan"


@pytest.mark.parametrize(
    "ruleset", ["vasa", "classic", "fiske", {"base": "classic", "name": "ours", "one_die": True}]
)
def test_the_same_turn_every_time(parts, ruleset):
    game = load_game(ruleset)
    one, other = parts.search.Search(game), parts.search.Search(game)
    chance = random.Random(5)
    position = game.start()
    for number in range(24):
        dice = (chance.randint(1, 6), chance.randint(1, 6))[: game.dice_to_roll(position)]
        seconds = 60 if number % 3 == 0 else 0
        turn = one.best(position, dice, seconds)
        assert turn == other.best(position, dice, seconds)
        assert game.judge(position, dice, turn.moves).position == turn.position
        position = game.flip(turn.position)


@pytest.mark.parametrize(
    ("delay_ms", "left_ms", "seconds"),
    [(1000, 60_000, 0.5), (500, 0, 0.2), (0, 10_000, 0.2), (0, 400, 0), (0, 0, 0)],
)
def test_it_knows_its_clock(parts, delay_ms, left_ms, seconds):
    assert parts.bot.time_for_a_turn(delay_ms, left_ms) == pytest.approx(seconds)


def test_it_calls_for_one_die_where_that_is_worth_more(parts):
    """B11.3: with one die a 1 completes the tower; with two the other die would take it apart again (B8.2)."""
    game = load_game("classic", ["one_die"])
    bot = parts.bot.Lookahead()
    bot.searches["one"] = parts.search.Search(game)
    position = game.to_plain(game.parse_position("23:1 24:14 | opp 13:14 bar:1"))
    call = SimpleNamespace(ruleset={"hash": "one"}, position=position, choices=[1, 2])
    assert bot.call(call) == 1


# How it plays


def points_won(run: Run, fixture: str, name: str) -> list[int]:
    games = run.settled()[fixture]["games"]
    assert {game["cause"] for game in games} == {None}
    seat = 1 if f"-{name}-v-" in fixture else 2
    return [game["points"] if game["winner"] == seat else -game["points"] for game in games]


@pytest.mark.parametrize(
    "rules",
    [
        {"ruleset": "vasa"},
        *(
            pytest.param(rules, marks=pytest.mark.soak)
            for rules in (
                {"ruleset": "classic", "options": ["double_six", "easy_reentry", "one_die"]},
                {"ruleset": "swedish-tables"},
                {"ruleset": "fiske"},
            )
        ),
    ],
    ids=lambda rules: rules["ruleset"],
)
def test_a_match_against_random(tmp_path: Path, rules: dict[str, Any]) -> None:
    """It plays to the end and forfeits nothing; who wins one pair is chance."""
    tournament = {"games": None, "pairs": 1} | rules
    run = play(tmp_path, {"ahead": LOOKAHEAD, "random": RANDOM}, tournament=tournament)
    assert len(points_won(run, "r1-ahead-v-random", "ahead")) == 2
    assert_verified(run.folder)


@pytest.mark.soak
def test_it_is_stronger_than_greedy(tmp_path: Path) -> None:
    """9 pairs: by docs/bots.md 2.6 points a pair, with a standard deviation of 1.8, so that 0 is four errors away."""
    points = []
    for number in range(3):
        run = Run(tmp_path / f"run-{number}")
        plan = write_plan(
            tmp_path, {"ahead": LOOKAHEAD, "greedy": GREEDY}, tournament={"games": None, "pairs": 3}
        )
        result = arena("run", plan, "--out", run.folder)
        assert result.returncode == 0, result.stderr
        points += points_won(run, "r1-ahead-v-greedy", "ahead")
    assert len(points) == 2 * 9
    assert sum(points) > 0
