"""The board of the sample bot `brandubh` says of every position what the arena's engine says."""

import itertools
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from arena.games import load_game
from tests.sample_bots.brandubh_parts import VERSIONS, played_at_random
from tests.sample_bots.workshop import imported

CAPTURES = {
    f"{throne}-{on}-{beside}": {
        "base": "brandubh-1",
        "name": "ours",
        "throne_hostile": throne == "hostile",
        "king_on_throne": on,
        "king_beside_throne": beside,
    }
    for throne, on, beside in itertools.product(
        ("hostile", "harmless"), ("two_opposite", "all_four"), ("two_opposite", "other_three")
    )
}
"""Every combination of the fields on which captures depend (T6, T7); two of them are the two versions."""


@pytest.fixture(scope="module")
def parts() -> Iterator[SimpleNamespace]:
    with imported("brandubh", "board") as modules:
        yield modules


def compare(parts: SimpleNamespace, rules: Any, *, seed: int, games: int) -> int:
    """Hold the board against the engine in every position of some games; the number of positions."""
    game = load_game(rules)
    board = parts.board.Board(game.ruleset)
    number = 0
    for position in played_at_random(game, seed=seed, games=games):
        placement = parts.board.read(game.to_plain(position))
        assert placement == placement_of(position)
        found = {tuple(parts.board.named(move)): board.play(placement, move) for move in board.moves(placement)}
        legal = list(game.legal_turns(position, ()))
        wins = any(turn.ending and not turn.ending.is_drawn for turn in legal)
        drawing = game.draw(position)
        assert found == {tuple(turn.moves[0]): placement_of(turn.position) for turn in legal}, drawing
        assert board.can_win(placement) == wins, drawing
        number += 1
    return number


def placement_of(position: Any) -> tuple[int, int, int, bool]:
    return position.black, position.white, position.king, position.to_move == "white"


@pytest.mark.parametrize("version", VERSIONS)
def test_moves_captures_and_wins_are_those_of_the_engine(parts, version):
    """T2-T8: over two thousand positions and all their moves."""
    assert compare(parts, version, seed=1, games=30) > 2000


@pytest.mark.parametrize("fields", CAPTURES.values(), ids=CAPTURES.keys())
def test_house_rulesets_are_understood(parts, fields):
    """T6, T7: in every combination of the fields on which captures depend."""
    assert compare(parts, fields, seed=2, games=6) > 300


@pytest.mark.soak
@pytest.mark.parametrize("version", VERSIONS)
def test_moves_captures_and_wins_are_those_of_the_engine_for_long(parts, version):
    """T2-T8: over 25,000 positions and all their moves."""
    assert compare(parts, version, seed=3, games=200) > 10_000
