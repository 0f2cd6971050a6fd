"""The sample bot with a network: it plays what its evaluator likes best, and knows what it cannot play."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from arena.analysis import best, evaluator_for
from arena.analysis.evaluator import new_evaluator
from arena.analysis.files import write_evaluator
from arena.games import load_game, ruleset_record
from tests.fixtures.arena_runs import REPOSITORY, assert_verified, play
from tests.fixtures.small_evaluators import afterwards, tables_game

BOT = REPOSITORY / "sample_bots" / "neural" / "bot.py"
NEURAL = [sys.executable, str(BOT)]
RANDOM = [sys.executable, str(REPOSITORY / "sample_bots" / "random" / "bot.py")]
VASA = tables_game("vasa")


@pytest.fixture(scope="module")
def module() -> ModuleType:
    spec = importlib.util.spec_from_file_location("neural_bot", BOT)
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def turn_of(
    game: Any, position: Any, dice: tuple[int, ...], *, delay_ms: int = 1000, left_ms: int = 0
) -> Any:
    return SimpleNamespace(
        ruleset=ruleset_record(game),
        position=game.to_plain(position),
        dice=list(dice),
        clock=SimpleNamespace(delay_left_ms=delay_ms, left_ms=left_ms),
    )


@pytest.mark.slow
def test_many_turns_are_answered_in_order_whatever_their_ruleset(module: ModuleType) -> None:
    bot = module.Neural(plies=1)
    games = [VASA, tables_game("swedish-tables")]
    for game in games:
        bot.match_start(SimpleNamespace(ruleset=ruleset_record(game)))
    asked = [(games[number % 2], after.next) for number, after in enumerate(afterwards(VASA, 12))]
    replies = bot.play_many([turn_of(game, position, (4, 2)) for game, position in asked])
    for (game, position), reply in zip(asked, replies, strict=True):
        chosen = best(game, evaluator_for(game), position, (4, 2))
        assert [list(move) for move in reply.moves] == game.legal_turns(position, (4, 2)).moves(
            chosen.place
        )


@pytest.mark.parametrize(
    ("delay_ms", "waiting", "plies", "depths"),
    [
        (40, 1, 3, [1]),
        (100, 3, 3, [2, 2, 1]),
        (400, 2, 3, [3, 2]),
        (1000, 2, 3, [3, 3]),
        (1000, 2, 2, [2, 2]),
        (1000, 2, 1, [1, 1]),
    ],
)
def test_as_deep_as_there_is_time(
    module: ModuleType, delay_ms: int, waiting: int, plies: int, depths: list[int]
) -> None:
    bot = module.Neural(plies)
    bot.takes_ms = {1: 0.0, 2: 20.0, 3: 100.0}
    assert bot.depths([turn_of(VASA, VASA.start(), (4, 2), delay_ms=delay_ms)] * waiting) == depths


def test_after_a_slow_batch_it_looks_deep_again(module: ModuleType) -> None:
    bot = module.Neural(plies=2)
    bot.match_start(SimpleNamespace(ruleset=ruleset_record(VASA)))
    turn = turn_of(VASA, VASA.start(), (6, 6), left_ms=20_000)
    bot.takes_ms[2] = 10_000.0
    depths = [bot.play(turn).info["plies"] for _ in range(60)]
    assert depths[0] == 1
    assert depths[-1] == 2


@pytest.mark.slow
def test_it_leaves_where_it_has_no_evaluator(module: ModuleType, tmp_path: Path) -> None:
    """With what there is, or with weights of one's own for something else."""
    for game in (
        load_game("brandubh-1"),
        load_game({"base": "vasa", "name": "house", "jan": False}),
    ):
        with pytest.raises(SystemExit, match="neural cannot play here: there is no evaluator for"):
            module.Neural().match_start(SimpleNamespace(ruleset=ruleset_record(game)))
    fiske = tables_game("fiske")
    weights = tmp_path / "mine.weights"
    write_evaluator(new_evaluator("mine", fiske.rules, (8, 4), seed=1), [fiske.rules], weights)
    own = module.Neural(weights=weights)
    own.match_start(SimpleNamespace(ruleset=ruleset_record(fiske)))
    assert own.play(turn_of(fiske, fiske.start(), (6, 5))).moves
    for game in (VASA, load_game("brandubh-1")):
        with pytest.raises(SystemExit, match="neural"):
            own.match_start(SimpleNamespace(ruleset=ruleset_record(game)))


@pytest.mark.soak
def test_it_wins_a_match_against_random(tmp_path: Path) -> None:
    run = play(
        tmp_path, {"neural": NEURAL, "random": RANDOM}, tournament={"games": None, "pairs": 1}
    )
    games = run.settled()["r1-neural-v-random"]["games"]
    assert {game["cause"] for game in games} == {None}
    assert sum(game["points"] if game["winner"] == 1 else -game["points"] for game in games) > 0
    assert_verified(run.folder)
