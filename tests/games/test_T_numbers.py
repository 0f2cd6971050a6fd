"""T: how many lines of play there are from the start, in both versions."""

import pytest

from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.position import BrandubhPosition
from tests.games.brandubh_boards import in_both
from tests.reference import brandubh as reference


def leaves(game: BrandubhGame, position: BrandubhPosition, depth: int) -> int:
    """The lines of so many moves; a line that ends earlier is none."""
    turns = game.legal_turns(position, ())
    if depth == 1:
        return len(turns)
    return sum(leaves(game, game.flip(turn.position), depth - 1) for turn in turns if turn.ending is None)


@in_both
@pytest.mark.parametrize(("depth", "number"), [(1, 40), (2, 960), (3, 39_512), (4, 1_007_392)])
def test_T2_leaves_from_the_start(game, depth, number):
    assert leaves(game, game.start(), depth) == number


@pytest.mark.slow
@in_both
def test_T2_leaves_from_the_start_five_moves_deep(game):
    assert leaves(game, game.start(), 5) == 41_843_336


@pytest.mark.parametrize("version", reference.VERSIONS)
def test_T2_the_reference_counts_the_same(version):
    """The second opinion agrees with the rule book before it is asked about anything else."""
    assert [reference.perft(reference.start(version), depth) for depth in (1, 2)] == [40, 960]
