"""The game that a report opens with, and why it is that one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from arena.games.result import Seat
from arena.pages.boards import pips
from arena.pages.contents import Board, MatchPage, ReplayedGame
from arena.pages.findings import Featured
from arena.words import Said

TURNAROUND: Final = 60
"""How many pips behind the later winner must have been; a side begins with 360 in Bräde and 167 in backgammon."""

CLOSE: Final = 24
"""How many pips the loser may have left for the finish to be called close: one checker's whole way."""


def most_remarkable(matches: Sequence[MatchPage], board: Board) -> Featured | None:
    """The game to look at first: a forced jan, else the biggest turnaround, the closest finish, the longest game.

    Only games that were decided over the board and can be played through are looked at; of equals the first.
    """
    decided = [
        (match, game)
        for match in matches
        if not (match.void or match.broken)
        for game in match.shown
        if game.ended is not None and game.ended.result.winner and not game.ended.result.cause and game.steps
    ]
    if not decided:
        return None
    forced = [each for each in decided if _ending(each[1]) == "forced_jan"]
    if forced:
        match, game = forced[0]
        return _featured(match, game, Said("featured.forced_jan"))
    if board.kind == "tables":
        behind, place = max((_behind(game, board), -number) for number, (_, game) in enumerate(decided))
        if behind >= TURNAROUND:
            return _featured(*decided[-place], Said("featured.turnaround", {"pips": behind}))
        finishes = [
            (_left(game, board), number)
            for number, (_, game) in enumerate(decided)
            if _ending(game) in ("bearing_off", "gammon", "backgammon")
        ]
        if finishes and min(finishes)[0] <= CLOSE:
            left, place = min(finishes)
            return _featured(*decided[place], Said("featured.finish", {"count": left}))
    turns, place = max((len(game.steps), -number) for number, (_, game) in enumerate(decided))
    return _featured(*decided[-place], Said("featured.longest", {"turns": turns}))


def _ending(game: ReplayedGame) -> str:
    return game.ended.result.ending if game.ended else ""


def _winner(game: ReplayedGame) -> Seat:
    assert game.ended is not None, "it is decided"
    assert game.ended.result.winner is not None, "it is decided"
    return game.ended.result.winner


def _featured(match: MatchPage, game: ReplayedGame, why: Said) -> Featured:
    return Featured(link=match.link, game=game.number, why=why)


def _behind(game: ReplayedGame, board: Board) -> int:
    """By how many pips the winner was behind when it was furthest behind."""
    winner = _winner(game)
    return max(one[winner - 1] - one[2 - winner] for one in _all_pips(game, board))


def _left(game: ReplayedGame, board: Board) -> int:
    """Return how many pips the loser had left in the end."""
    return [*_all_pips(game, board)][-1][2 - _winner(game)]


def _all_pips(game: ReplayedGame, board: Board) -> Iterator[tuple[int, int]]:
    yield pips(game.start, board)
    yield from (pips(step.position, board) for step in game.steps if step.position)
