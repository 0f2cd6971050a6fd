"""Why a bot was absent when it forfeited a game, in words, from the record."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from arena.games.result import Cause, Seat
from arena.matches.facts import (
    BotLeft,
    BotMissing,
    BotReady,
    BotReturned,
    GameEnded,
    MatchResumed,
    MatchVoided,
)
from arena.matches.state import other
from arena.records.reading import Attempt

Absence = BotLeft | BotMissing

ABSENCES: Final = MappingProxyType[Cause, str](
    {
        "disconnect": "lost its connection, and was not back in time",
        "no_show": "was not at the table in time",
        "no_reveal": "has not revealed the entropy it committed to",
    }
)
"""What the loser of a game did, by the cause of its forfeit, if it had time to come or to come back."""


def absence_behind(attempt: Attempt, ended: GameEnded) -> Absence | None:
    """The absence behind a forfeited game of this attempt; None if the loser was there, or just late."""
    result = ended.result
    if result.cause not in ABSENCES or result.winner is None:
        return None
    loser = other(result.winner)
    found: Absence | None = None
    for _, fact in attempt.facts:
        if fact is ended:
            break
        if isinstance(fact, BotLeft | BotMissing) and fact.seat == loser:
            found = fact
        elif isinstance(fact, MatchResumed) or (isinstance(fact, BotReady | BotReturned) and fact.seat == loser):
            found = None
    return found


def absence_words(cause: Cause, absence: Absence | None) -> str:
    """What the loser did, to put after its name: `was lost for good: it hung up`. `cause` is one of `ABSENCES`."""
    if isinstance(absence, BotMissing):
        return f"did not come: {absence.reason}"
    if absence is not None and cause == "disconnect" and absence.grace_ms == 0:
        return f"was lost for good: {absence.reason}"
    return ABSENCES[cause]


def why_unanswered(attempt: Attempt, number: int, mover: Seat) -> str:
    """Why a turn was never answered in this attempt: `it hung up; forfeit (disconnect)`."""
    ended = next((fact for _, fact in attempt.facts if isinstance(fact, GameEnded) and fact.game == number), None)
    if ended is None:
        end = attempt.end
        return f"the match is void: {end.reason}" if isinstance(end, MatchVoided) else "the record ends before one"
    result = ended.result
    if result.cause is None:
        return "the game was over before one"
    forfeit = f"forfeit ({result.cause})"
    if result.winner == mover:
        return f"the game was over before one; {forfeit} by {attempt.opened.shown[other(mover) - 1]}"
    absence = absence_behind(attempt, ended)
    return f"{absence.reason}; {forfeit}" if absence is not None else forfeit
