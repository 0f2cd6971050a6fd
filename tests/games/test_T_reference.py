"""T: the engine and the plain reference agree on moves, results, endings and verdicts of positions by chance."""

from collections import Counter
from random import Random

import pytest

from arena.games import Legal
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.position import BrandubhPosition
from tests.games.brandubh_boards import fail, in_both
from tests.reference import brandubh as reference

pytestmark = (
    pytest.mark.unmeasured
)  # it would take three times as long, and covers nothing that others do not

GAMES, PLACEMENTS = 10, 250
SEEDS = pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (1, 2))]
)


def agree(
    game: BrandubhGame, position: BrandubhPosition, second: reference.Game, seen: Counter[str]
) -> None:
    """Every legal move of the one is one of the other, with the same board and the same ending after it."""
    turns = game.legal_turns(position, ())
    expected = {} if second.ending() else {move: second.after(move) for move in _moves(second)}
    found = {tuple(turn.moves[0]): turn for turn in turns}
    assert len(found) == len(turns)
    if found.keys() != expected.keys():
        fail(game, f"moves {sorted(found.keys() ^ expected.keys())} are in dispute", position)
    for move, turn in found.items():
        after = expected[move]
        ending = turn.ending.name if turn.ending else None
        plain = reference.plain(after.board, after.to_move)
        if game.to_plain(turn.position) != plain or ending != after.ending():
            fail(
                game,
                f"{move}: {ending} or {after.ending()}",
                position,
                turn.position,
                game.from_plain(plain),
            )
        seen[ending or "goes_on"] += 1
        seen[f"takes {len(second.board) - len(after.board)}"] += 1
    wrong = (
        reference.near_miss(second.board, second.to_move, Random(len(found)))
        if second.board
        else []
    )
    verdict = game.judge(position, (), wrong)
    assert isinstance(verdict, Legal) == (len(wrong) == 1 and tuple(wrong[0]) in expected), (
        f"{wrong}: {verdict}"
    )


def _moves(second: reference.Game) -> list[reference.Move]:
    return reference.moves(second.board, second.to_move)


@in_both
@SEEDS
def test_T_the_reference_agrees_in_games_by_chance(game, seed):
    """Whole games, with what has come up before (T9)."""
    rng, seen = Random(seed), Counter[str]()
    for _ in range(GAMES):
        position = game.start()
        line = reference.random_game(game.name, rng)
        for number, (second, move) in enumerate(line):
            if number % 4 == 0 or number > len(line) - 3:
                agree(game, position, second, seen)
            verdict = game.judge(position, (), [move])
            assert isinstance(verdict, Legal), f"{move}: {verdict}"
            ending = second.after(move).ending()
            assert (verdict.ending.name if verdict.ending else None) == ending
            seen[f"ended: {ending}"] += ending is not None
            position = game.flip(verdict.position)
    assert seen["takes 1"] > 50
    assert seen["ended: repetition"] > 0


@in_both
@SEEDS
def test_T_the_reference_agrees_on_placements_by_chance(game, seed):
    """Boards that hardly come about in play, with the king near throne and corners and captures in the air."""
    rng, seen = Random(seed), Counter[str]()
    for _ in range(PLACEMENTS):
        board, to_move = reference.random_placement(rng)
        position = game.from_plain(reference.plain(board, to_move))
        agree(game, position, reference.Game(game.name, board, to_move), seen)
    enough = {
        "goes_on": 2_500,
        "takes 1": 100,
        "takes 2": 10,
        "king_captured": 20,
        "king_escaped": 40,
        "no_move": 2,
    }
    for what, least in enough.items():
        assert seen[what] >= least, seen


@in_both
def test_T_every_pair_of_squares_is_judged_as_the_reference_would(game):
    rng = Random(7)
    for _ in range(6):
        board, to_move = reference.random_placement(rng)
        position = game.from_plain(reference.plain(board, to_move))
        second = reference.Game(game.name, board, to_move)
        legal = set() if second.ending() else set(_moves(second))
        for origin in reference.SQUARES:
            for target in reference.SQUARES:
                verdict = game.judge(position, (), [[origin, target]])
                assert isinstance(verdict, Legal) == ((origin, target) in legal), (
                    f"{origin}-{target}: {verdict}"
                )
