"""A position of backgammon as other programs write it, between their forms and the arena's."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from arena.games.interface import Dice, GameError
from arena.games.tables.board import CHECKERS
from arena.words import Said

NO_GAMMONS: Final = 1
"""The length of a match in which gammons do not count."""


class Written(NamedTuple):
    """A position before a turn, from the view of the side to move, and what else a form has."""

    counts: Sequence[int]
    """26 counts by my points as people number them, 0 the opponent's bar and 25 mine; the
    opponent's are negative."""
    dice: Sequence[int]
    """Two numbers, 0 before the roll."""
    match_points: int = 0
    """The length of the match; 0 if it is unlimited, so that gammons count."""
    left_out: Iterable[Said] = ()
    """The parts of a form that the arena does not play."""

    @property
    def off(self) -> list[int]:
        """My checkers off, and the opponent's; 0 if there are too many on the board."""
        mine = sum(max(0, count) for count in self.counts)
        theirs = mine - sum(self.counts)
        return [max(0, CHECKERS - mine), max(0, CHECKERS - theirs)]


def to_written(plain: Mapping[str, Any], dice: Dice, *, gammons: bool) -> Written:
    """Return a position in the form of the wire as other programs write it."""
    my_bar, their_bar = plain["bar"]
    return Written(
        counts=[-their_bar, *reversed(plain["points"]), my_bar],
        dice=dice or (0, 0),
        match_points=0 if gammons else NO_GAMMONS,
    )


def to_plain(written: Written) -> dict[str, Any]:
    """Return a position in the form of the wire."""
    their_bar, *points, my_bar = written.counts
    return {"points": points[::-1], "bar": [my_bar, -their_bar], "off": written.off}


def unplayed(
    cube: int,
    match_points: int,
    score: Sequence[int],
    rules: Iterable[str] = (),
) -> Iterator[Said]:
    """Yield what the arena does not play: the cube, the score (mine first), rules of the cube."""
    if cube > 1:
        yield Said("position_id.cube", {"cube": cube})
    if match_points > NO_GAMMONS:
        mine, theirs = score
        yield Said("position_id.match", {"points": match_points, "mine": mine, "theirs": theirs})
    for rule in rules:
        yield Said("position_id.rule", {"rule": rule})


def damaged(form: str, text: str, example: str) -> GameError:
    """Return the error for a text that does not have its form."""
    values = {"form": form, "text": repr(text), "example": example}
    return GameError([Said("position_id.damaged", values)])


def no_turn(form: str) -> GameError:
    """Return the error for a position in which no side is about to roll or to move."""
    return GameError([Said("position_id.no_turn", {"form": form})])
