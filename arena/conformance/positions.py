"""Positions that show one thing each, in any game of a family, and turns at these positions."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from arena.games import Game
from arena.games.interface import Dice
from protocol.messages import Call, Last, Turn, TurnClock

DELAY_MS: Final = 5000
BANK_MS: Final = 5000
"""A long time for an honest bot on a busy machine, and not so long that a bot that hangs is waited for in vain."""
ABOUT_TO_WIN: Final = [*[0] * 12, -5, -10, *[0] * 5, 3, 3, 3, 4, 2]
"""A single die may complete a handsome game (B11.3)."""


def turn(
    game: Game[Any],
    *,
    handle: int = 1,
    number: int = 1,
    dice: Dice = (6, 2),
    plain: dict[str, Any] | None = None,
    clock: TurnClock,
    last: Last | None = None,
    draw_offered: bool = False,
) -> Turn:
    """A turn at a position, by default the start, with all its legal turns."""
    dice = dice if game.dice_to_roll(game.start()) else ()
    position = game.start() if plain is None else game.from_plain(plain)
    turns = game.legal_turns(position, dice)
    return Turn(
        game=handle,
        turn=number,
        dice=dice,
        position=game.to_plain(position),
        clock=clock,
        last=last,
        legal=[turns.moves(index) for index in range(len(turns))],
        draw_offered=draw_offered,
    )


def call(game: Game[Any], *, number: int, clock: TurnClock) -> Call:
    """A choice of dice."""
    plain = about_to_win(game)
    return Call(game=1, turn=number, dice=game.dice_to_call(game.from_plain(plain)), position=plain, clock=clock)


def with_dice(game: Game[Any], asked: Turn, dice: Dice) -> Turn:
    """The same turn with another roll."""
    turns = game.legal_turns(game.from_plain(asked.position), dice)
    legal = [turns.moves(index) for index in range(len(turns))]
    return msgspec.structs.replace(asked, dice=dice, legal=legal)


def about_to_win(game: Game[Any]) -> dict[str, Any]:
    """A position where the side to move may call for one die, in a game with that choice."""
    return game.to_plain(game.start()) | {"points": ABOUT_TO_WIN}


def on_the_bar(game: Game[Any]) -> dict[str, Any]:
    """The start, but with one checker of the side to move on the bar."""
    plain = game.to_plain(game.start())
    points = list(plain["points"])
    points[points.index(max(points))] -= 1
    return plain | {"points": points, "bar": [1, 0]}


def shut_out(game: Game[Any]) -> dict[str, Any]:
    """The same, and the opponent has closed point 6, so that 6-6 cannot be played."""
    plain = on_the_bar(game)
    points = list(plain["points"])
    points[points.index(min(points))] += 2
    points[5] -= 2
    return plain | {"points": points}


def all_home(game: Game[Any]) -> dict[str, Any]:
    """All checkers of the side to move may be borne off; the opponent has not moved."""
    plain = game.to_plain(game.start())
    mine = sum(count for count in plain["points"] if count > 0)
    points = [min(count, 0) for count in plain["points"]]
    points[18:23] = [mine // 5] * 5
    return plain | {"points": points}
