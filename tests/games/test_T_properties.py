"""T: what holds for every move in every position."""

from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from arena.games import Illegal, Legal
from tests.examples import tries
from tests.games.brandubh_boards import ONE, TWO
from tests.reference.brandubh import CORNERS, OTHER, SIDE_OF, SQUARES, THRONE, from_plain, plain

games = st.sampled_from([ONE, TWO])


@st.composite
def positions(draw: st.DrawFn) -> dict[str, Any]:
    """A position in its plain form: the king anywhere, and any number of warriors where warriors may stand."""
    king = draw(st.sampled_from([THRONE, *SQUARES]))
    free = [square for square in SQUARES if square not in (king, THRONE, *CORNERS)]
    places = draw(st.lists(st.sampled_from(free), unique=True, max_size=12))
    blacks = draw(st.integers(max(0, len(places) - 4), min(8, len(places))))
    board = {
        king: "k",
        **dict.fromkeys(places[:blacks], "b"),
        **dict.fromkeys(places[blacks:], "w"),
    }
    return plain(board, draw(st.sampled_from(["black", "white"])))


@given(games, positions())
def test_T3_captures_remove_only_enemies_and_never_more_than_three(game, given_plain):
    before, side = from_plain(given_plain)
    for turn in game.legal_turns(game.from_plain(given_plain), ()):
        ((origin, target),) = turn.moves
        after, to_move = from_plain(game.to_plain(turn.position))
        assert to_move == OTHER[side]
        assert after[target] == before[origin]
        assert origin not in after
        expected = {**before, target: before[origin]}
        del expected[origin]
        assert after.items() <= expected.items()
        taken = expected.keys() - after.keys()
        assert len(taken) <= 3
        assert all(SIDE_OF[before[square]] == OTHER[side] for square in taken)
        assert all(
            abs(ord(square[0]) - ord(target[0])) + abs(int(square[1]) - int(target[1])) == 1
            for square in taken
        )


@given(games, positions())
def test_T2_only_the_king_ever_stops_on_the_throne_or_in_a_corner(game, given_plain):
    before, side = from_plain(given_plain)
    for turn in game.legal_turns(game.from_plain(given_plain), ()):
        ((origin, target),) = turn.moves
        assert SIDE_OF[before[origin]] == side
        assert (origin[0] == target[0]) != (origin[1] == target[1])
        assert before[origin] == "k" or target not in (THRONE, *CORNERS)


def between(one: str, other: str) -> str | None:
    """The square in the middle of two that are two squares apart, such as d5 of d6 and d4."""
    files, ranks = ord(one[0]) + ord(other[0]), int(one[1]) + int(other[1])
    apart = abs(ord(one[0]) - ord(other[0])) + abs(int(one[1]) - int(other[1]))
    return f"{chr(files // 2)}{ranks // 2}" if apart == 2 and files % 2 == ranks % 2 == 0 else None


@given(games, positions())
def test_T10_judge_and_list_agree_and_a_game_that_is_over_has_no_moves(game, given_plain):
    position = game.from_plain(given_plain)
    turns = game.legal_turns(position, ())
    for index, turn in enumerate(turns):
        verdict = game.judge(position, (), turns.moves(index))
        assert verdict == Legal(turn.position, turn.ending)
        assert bool(verdict.ending) == (len(game.legal_turns(verdict.position, ())) == 0)
    if not len(turns):
        verdict = game.judge(position, (), [["d1", "c1"]])
        assert isinstance(verdict, Illegal)
        assert verdict.code == "game_over"


BETWEEN_TWO = [".......", "b......", "..bkb..", ".......", ".......", ".......", ".bbbbb."]


@given(positions())
@example({"board": BETWEEN_TWO, "to_move": "black"})
@tries(25)
def test_T6_T7_a_capture_in_brandubh_2_is_no_rarer_for_warriors_nor_more_frequent_for_the_king(
    given_plain,
):
    """The hostile throne takes more warriors, its protection fewer kings; all else is the same in both versions.

    One king more is taken: he went between two warriors beside the throne, which is safe, and a
    third closes the side that is left.
    """
    before, _ = from_plain(given_plain)
    king = next((square for square, piece in before.items() if piece == "k"), "")
    one, two = (game.legal_turns(game.from_plain(given_plain), ()) for game in (ONE, TWO))
    assert [turn.moves for turn in one] == [turn.moves for turn in two]
    for first, second in zip(one, two, strict=True):
        warriors = first.position.black | first.position.white
        assert (second.position.black | second.position.white) & ~warriors == 0
        if first.position.king and not second.position.king:
            ((_, target),) = second.moves
            assert between(target, THRONE) == king


_COORDINATES = st.one_of(st.sampled_from(SQUARES), st.text(max_size=3), st.integers(), st.none())


@given(games, positions(), st.lists(st.lists(_COORDINATES, max_size=3), max_size=2))
@tries(25)
def test_T1_whatever_is_submitted_gets_a_verdict(game, given_plain, moves):
    position = game.from_plain(given_plain)
    verdict = game.judge(position, (), moves)
    if isinstance(verdict, Illegal):
        assert verdict.legal_turns == len(game.legal_turns(position, ()))
    else:
        assert len(moves) == 1
