"""What the reader of the pages finds in an output that is not as the page shows it."""

from __future__ import annotations

import pytest

from arena.games import load_game
from arena.games.interface import text_of
from tests.docs.reader import problem_with_output

VASA = load_game("vasa")


def lines(literal: str, dice: tuple[int, ...] = ()) -> list[str]:
    """A position as `arena show` draws it."""
    drawn = text_of(VASA.picture(VASA.parse_position(literal), dice=dice))
    return ["anna rolls", *(f"  {line}" for line in drawn.splitlines()), "bo wins"]


PRINTED = lines("1:15 | opp 13:15", (6, 5))
OTHER_DAY = lines("1:13 5:1 20:1 | opp 7:1 13:14", (2, 1))
OLD_DRAWING = """\
anna rolls
     24 23 22 21 20 19   18 17 16 15 14 13
   │  .  .  .  .  .  . │  .  .  .  .  .  X │  X off 0
   └───────────────────┴───────────────────┘"""


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        (OTHER_DAY, None),
        (OTHER_DAY[:6], None),
        (["anna rolls", "...", *OTHER_DAY[12:]], None),
        (OLD_DRAWING.splitlines(), "shows a board that is drawn otherwise"),
        ([*OTHER_DAY[:5], *OTHER_DAY[6:]], "shows a board that is drawn otherwise"),
        ([*OTHER_DAY[:9], *OTHER_DAY[11:]], "shows a board that is drawn otherwise"),
        (OTHER_DAY[3:2:-1] + OTHER_DAY[2:3], "shows a board that is drawn otherwise"),
        (["anna wins 3 games"], "shows words that were not printed: ['games']"),
    ],
)
def test_a_board_that_is_drawn_otherwise_is_found(shown: list[str], problem: str | None) -> None:
    """On another day other checkers stand on it, but as many lines and the same frame."""
    found = problem_with_output(shown, PRINTED)
    assert (found or "").startswith(problem or "")
    assert bool(found) is bool(problem)


def test_words_that_come_by_chance_may_be_missing() -> None:
    assert problem_with_output(["lag of 3 ms"], PRINTED, ["lag", "of", "ms"]) is None
