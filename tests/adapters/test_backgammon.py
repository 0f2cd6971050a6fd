"""What engines of backgammon are told and answer; every string here was checked by hand, the IDs by GNU Backgammon."""

from __future__ import annotations

import msgspec
import pytest

from arena.adapters.backgammon import parse_turn
from arena.adapters.child import AdapterError
from arena.games import load_game
from arena.games.position_ids.fibs import format_board
from arena.games.position_ids.gnubg import format_position_id
from arena.games.position_ids.written import to_written
from protocol.client import GameStart, TurnView
from tests.fixtures.message_samples import MATCH_START, TURN

BACKGAMMON = load_game("backgammon")
START = BACKGAMMON.to_plain(BACKGAMMON.start())
# cube 1, both may double, not doubled, my colour, downwards, home 0, bar 25
TAIL = "1:1:1:0:1:-1:0:25"


def test_the_first_turn_of_a_game() -> None:
    """5, 3, 5 and 2 of mine at 6, 8, 13 and 24, counted down; theirs at 1, 12, 17 and 19."""
    assert format_board(to_written(START, (6, 5), gammons=False)) == (
        f"board:me:other:1:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0:1:6:5:0:0:{TAIL}:0:0:0:0:0:0:0:0"
    )


def test_checkers_on_both_bars_and_off() -> None:
    """Mine on the bar stand behind 24, theirs before 1 and negative; how many are off comes at the end."""
    position = {"points": [-2, *[0] * 22, 3], "bar": [2, 1], "off": [10, 12]}
    assert format_board(to_written(position, (2, 1), gammons=False)) == (
        f"board:me:other:1:0:0:-1:3:{':'.join('0' * 22)}:-2:2:1:2:1:0:0:{TAIL}:10:12:2:1:0:0:0:0"
    )


def test_gammons_count_in_an_unlimited_match_alone() -> None:
    """A match to one point is worth the same however it is won."""
    position = {"points": [1, *[0] * 22, -1], "bar": [0, 0], "off": [14, 14]}
    assert format_board(to_written(position, (2, 1), gammons=False)).startswith(
        "board:me:other:1:0:0:"
    )
    assert format_board(to_written(position, (2, 1), gammons=True)).startswith(
        "board:me:other:9999:0:0:"
    )


def test_a_board_fits_what_gnubg_reads_at_once() -> None:
    """It reads 255 characters and drops the rest of a line."""
    widest = {"points": [-10] * 24, "bar": [15, 15], "off": [15, 15]}
    assert len(format_board(to_written(widest, (6, 6), gammons=True))) < 255


def asked(places: dict[int, int], dice: tuple[int, int]) -> TurnView:
    """A turn at a position of a few checkers; what is left of them is off."""
    off = [
        15 - sum(count for count in places.values() if count * side > 0) * side for side in (1, -1)
    ]
    position = {
        "points": [places.get(point, 0) for point in range(1, 25)],
        "bar": [0, 0],
        "off": off,
    }
    turn = msgspec.structs.replace(TURN, position=position, dice=dice, legal=None)
    return TurnView(turn, GameStart(game=1, match="m", number=1, seat=1, starts=True), MATCH_START)


@pytest.mark.parametrize(
    ("answer", "moves"),
    [
        ("24/18 18/13 ", [(1, 7), (7, 12)]),
        ("8/7(2) 6/5(2)", [(17, 18), (17, 18), (19, 20), (19, 20)]),
        ("bar/21 13-11 3/off", [(0, 4), (12, 14), (22, 25)]),
        ("8 5 6 5", [(17, 20), (19, 20)]),
        ("pass", []),
        ("", []),
    ],
)
def test_answers_are_read_as_everywhere_in_the_arena(
    answer: str, moves: list[tuple[int, int]]
) -> None:
    """An engine's 24 is my point 1, its 25 the bar, its 0 off."""
    assert parse_turn(answer, "it") == [list(move) for move in moves]


@pytest.mark.parametrize(
    "answer",
    ["take", "24/18 18", "26/20", "24/-1", "0/0/0", "off/3x", "4HPwATDgc/ABMA", "\u0668/\u0665"],
)
def test_what_is_no_turn_is_quoted(answer: str) -> None:
    with pytest.raises(
        AdapterError, match=r"it answered '.*': .*; expected the moves of the turn, such as 24/18"
    ):
        parse_turn(answer, "it")


@pytest.mark.parametrize(
    ("position", "written"),
    [
        (START, "4HPwATDgc/ABMA"),
        (
            {
                "points": [*[0] * 5, -2, -1, *[0] * 11, 7, 6, *[0] * 4],
                "bar": [1, 0],
                "off": [1, 12],
            },
            "YAEAAL8/AAACAA",
        ),
    ],
)
def test_a_position_id(position: dict[str, object], written: str) -> None:
    assert format_position_id(to_written(position, (), gammons=False)) == written


@pytest.mark.parametrize(
    ("places", "dice", "answer", "played"),
    [
        ({22: 1, 1: -2}, (5, 1), "3/off", [(22, 23), (23, 25)]),
        ({1: 1, 7: -1}, (6, 5), "24/13", [(1, 6), (6, 12)]),
        ({1: 1, 24: -1}, (6, 5), "24/12", [(1, 13)]),
    ],
    ids=["the-last-checker-with-one-die", "no-hit-where-none-is-written", "nothing-ends-alike"],
)
def test_a_turn_that_ends_alike_is_played(
    places: dict[int, int], dice: tuple[int, int], answer: str, played: list[tuple[int, int]]
) -> None:
    assert parse_turn(answer, "it", asked(places, dice)) == [list(move) for move in played]


def test_an_answer_that_may_be_two_turns_is_refused_with_both() -> None:
    with pytest.raises(
        AdapterError, match=r"'24/13' can be read as 24/18\* 18/13; 24/19\* 19/13; write every step"
    ):
        parse_turn("24/13", "it", asked({1: 1, 6: -1, 7: -1}, (6, 5)))
