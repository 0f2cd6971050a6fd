"""Wrong answers: stale and foreign ones are skipped, illegal ones are rejected."""

from __future__ import annotations

from arena.torture.case import Case, Plight
from arena.torture.frames import answers
from arena.torture.player import Fault
from arena.torture.raw_connection import RawConnection, first_legal
from arena.torture.stages import at_the_table
from protocol.messages import MatchReady, Play, Turn

ILLEGAL = ((1, 24), (24, 1))
FORGIVEN = 3
"""Illegal turns in a game that only lose time, as set in the tournament file."""


async def stale(connection: RawConnection, turn: Turn) -> None:
    """Answer the turn before, then this one."""
    await connection.say(Play(game=turn.game, turn=turn.turn - 1, choice=0), first_legal(turn))


async def double(connection: RawConnection, turn: Turn) -> None:
    """Answer twice in one write."""
    await connection.say(first_legal(turn), first_legal(turn))


async def foreign_game(connection: RawConnection, turn: Turn) -> None:
    """Answer for games of others, then for its own."""
    others = (Play(game=game, turn=turn.turn, choice=0) for game in (turn.game + 1, turn.game + 2, 2**31))
    await connection.say(*others, first_legal(turn))


async def foreign_match(connection: RawConnection, turn: Turn) -> None:
    """Be ready for a match of others, then answer."""
    await connection.say(MatchReady(match="r9-anna-v-bo"), first_legal(turn))


async def illegal_once(connection: RawConnection, turn: Turn) -> None:
    """One illegal turn, then a legal one."""
    await connection.say(Play(game=turn.game, turn=turn.turn, moves=ILLEGAL), first_legal(turn))


async def illegal_always(connection: RawConnection, turn: Turn) -> None:
    """One illegal turn more than forgiven."""
    await connection.say(*[Play(game=turn.game, turn=turn.turn, moves=ILLEGAL)] * (FORGIVEN + 1))


def then_plays(fault: Fault) -> Fault:
    """Answer correctly after the fault."""

    async def both(connection: RawConnection, turn: Turn) -> None:
        await fault(connection, turn)
        await connection.say(first_legal(turn))

    return both


def _case(name: str, what: str, expected: str, fault: Fault, *, at_turn: int = 3) -> Case:
    plight = Plight(fault=fault, at_turn=at_turn)
    return Case(name=name, what=what, expected=expected, play=at_the_table(plight), deed=plight)


CASES = (
    _case("answer-stale", "answers the turn before, then this one", "error stale_turn; played on", stale),
    _case("answer-double", "answers a turn twice", "error stale_turn; played on", double),
    _case("answer-foreign-game", "answers for games of others", "error unknown_game x3; played on", foreign_game),
    _case("answer-foreign-match", "is ready for a match of others", "error unknown_match; played on", foreign_match),
    _case("answer-illegal-once", "plays one illegal turn, then a legal one", "rejected; played on", illegal_once),
    _case(
        "answer-illegal-always",
        f"plays {FORGIVEN + 1} illegal turns at its fifth",
        f"rejected x{FORGIVEN + 1}; forfeit: illegal_turns",
        illegal_always,
        at_turn=5,
    ),
    _case(
        "answer-no-such-choice",
        "chooses a turn beyond the list, then a legal one",
        "rejected; played on",
        then_plays(answers(choice=100_000)),
    ),
    _case(
        "answer-no-moves",
        "moves from nowhere to nowhere, then plays well",
        "rejected; played on",
        then_plays(answers(moves=[["here", "there"]])),
    ),
    _case(
        "answer-long-moves",
        "moves from a word of 60,000 control characters, then plays well",
        "rejected; played on",
        then_plays(answers(moves=[["\x00" * 60_000, "there"]])),
    ),
)
