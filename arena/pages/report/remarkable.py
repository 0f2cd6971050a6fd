"""The game that a report opens with, and why it is that one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from arena.games.result import Result
from arena.pages.boards import pips
from arena.pages.contents import Board, MatchPage, ReplayedGame
from arena.pages.findings import Featured
from arena.words import Said

TURNAROUND: Final = 60
"""Pips that the later winner must have been behind; a side begins with 360 in Bräde and 167 in backgammon."""

CLOSE: Final = 24
"""Pips that the loser may have left for the finish to be called close: one checker's whole way."""


def most_remarkable(matches: Sequence[MatchPage], board: Board) -> Featured | None:
    """The game to look at first: a forced jan, else the biggest turnaround, the closest finish, the longest game.

    Only games that were decided over the board and can be played through are looked at; of equals the first.
    """
    decided = [
        (match, game, game.ended.result)
        for match in matches
        if not (match.void or match.broken)
        for game in match.shown
        if game.ended is not None and game.ended.result.winner and not game.ended.result.cause and game.steps
    ]
    if not decided:
        return None
    for match, game, result in decided:
        if result.ending == "forced_jan":
            return _featured(match, game, Said("featured.forced_jan"))
    if board.kind == "tables":
        courses = [(match, game, result, _pips_left(game, result, board)) for match, game, result in decided]
        match, game, _, left = max(courses, key=lambda one: _turnaround(one[3]))
        if _turnaround(left) >= TURNAROUND:
            return _featured(match, game, Said("featured.turnaround", {"pips": _turnaround(left)}))
        finished = [one for one in courses if one[2].ending in ("bearing_off", "gammon", "backgammon")]
        if finished:
            match, game, _, left = min(finished, key=lambda one: one[3][-1][1])
            if left[-1][1] <= CLOSE:
                return _featured(match, game, Said("featured.finish", {"count": left[-1][1]}))
    match, game, _ = max(decided, key=lambda one: len(one[1].steps))
    return _featured(match, game, Said("featured.longest", {"turns": len(game.steps)}))


def _featured(match: MatchPage, game: ReplayedGame, why: Said) -> Featured:
    return Featured(link=match.link, game=game.number, why=why)


def _pips_left(game: ReplayedGame, result: Result, board: Board) -> list[tuple[int, int]]:
    """Return the pips of the winner and of the loser at the start and after each turn."""
    positions = [game.start, *(step.position for step in game.steps if step.position)]
    sides = [pips(position, board) for position in positions]
    return sides if result.winner == 1 else [(one, other) for other, one in sides]


def _turnaround(left: Sequence[tuple[int, int]]) -> int:
    """Return how many pips the winner was behind when it was furthest behind."""
    return max(winner - loser for winner, loser in left)
