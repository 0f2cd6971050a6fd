"""Positions and turns of backgammon in the words of FIBS; every string here was checked by hand."""

from __future__ import annotations

import pytest

from arena.adapters.errors import AdapterError
from arena.adapters.fibs import format_board, parse_turn
from arena.games import load_game

TAIL = "1:1:1:0:1:1:25:0"  # cube 1, both may double, not doubled, my colour, upwards, home 25, bar 0


def test_the_first_turn_of_a_game() -> None:
    """2, 5, 3 and 5 of mine at 1, 12, 17 and 19; theirs at 24, 13, 8 and 6, numbered along my path."""
    backgammon = load_game("backgammon")
    assert format_board(backgammon.to_plain(backgammon.start()), (6, 5), gammons=False) == (
        f"board:me:other:1:0:0:0:2:0:0:0:0:-5:0:-3:0:0:0:5:-5:0:0:0:3:0:5:0:0:0:0:-2:0:1:6:5:0:0:{TAIL}:0:0:0:0:0:0:0:0"
    )


def test_checkers_on_both_bars_and_off() -> None:
    """Mine on the bar stand before point 1, theirs behind point 24 and negative; how many are off comes at the end."""
    position = {"points": [-2, *[0] * 22, 3], "bar": [2, 1], "off": [10, 12]}
    assert format_board(position, (2, 1), gammons=False) == (
        f"board:me:other:1:0:0:2:-2:{':'.join('0' * 22)}:3:-1:1:2:1:0:0:{TAIL}:10:12:2:1:0:0:0:0"
    )


def test_gammons_count_in_an_unlimited_match_alone() -> None:
    """A match to one point is worth the same however it is won."""
    position = {"points": [1, *[0] * 22, -1], "bar": [0, 0], "off": [14, 14]}
    assert format_board(position, (2, 1), gammons=False).startswith("board:me:other:1:0:0:")
    assert format_board(position, (2, 1), gammons=True).startswith("board:me:other:9999:0:0:")


def test_a_board_fits_what_gnubg_reads_at_once() -> None:
    """It reads 255 characters and drops the rest of a line."""
    widest = {"points": [-10] * 24, "bar": [15, 15], "off": [15, 15]}
    assert len(format_board(widest, (6, 6), gammons=True)) < 255


@pytest.mark.parametrize(
    ("answer", "moves"),
    [
        ("24/18 18/13 ", [[1, 7], [7, 12]]),
        ("8/5* 6/5 ", [[17, 20], [19, 20]]),
        ("8/7 8/7 6/5 6/5", [[17, 18], [17, 18], [19, 20], [19, 20]]),
        ("25/21 13/11* ", [[0, 4], [12, 14]]),
        ("2/0 1/0 ", [[23, 25], [24, 25]]),
        ("", []),
    ],
    ids=["run", "hit", "doubles", "enter", "bear-off", "pass"],
)
def test_turns_are_counted_from_the_other_end(answer: str, moves: list[list[int]]) -> None:
    """gnubg's 24 is my point 1, its 25 the bar, its 0 off."""
    assert parse_turn(answer) == moves


@pytest.mark.parametrize("answer", ["take", "24/18 18", "26/20", "24/-1", "24/18(2)", "0/0/0"])
def test_what_is_no_turn_is_quoted(answer: str) -> None:
    with pytest.raises(AdapterError, match="expected moves such as 24/18"):
        parse_turn(answer)
