"""Reasons why games ended, and why turns were never answered, to be said."""

from __future__ import annotations

from typing import Final

from arena.games.result import Seat
from arena.matches.facts import GameEnded, MatchVoided
from arena.matches.state import other
from arena.records.reading import Attempt
from arena.records.timeline import Why, end_of_game
from arena.words import DEFAULT, Said, catalogue

ABSENCES: Final = frozenset({"disconnect", "no_show", "no_reveal"})
"""The causes of a forfeit whose loser had time to come or to come back."""


def reason(why: Why) -> Said | None:
    """Explain why a game ended, and was worth its points; None for an ending of a game from elsewhere."""
    values = why.values
    if why.code == "turn_limit":
        return Said("why.turn_limit", {"turns": values["turns"]})
    if why.code in ABSENCES:
        return Said("why.forfeit", {"why": Said("why.absent", {"what": absence(why)})})
    if why.code == "illegal_turns":
        return Said("why.forfeit", {"why": Said("why.illegal_turns", {"number": values["forgiven"]})})
    if why.code == "time":
        found = {"delay": values["delay_ms"], "bank": values["bank_ms"]}
        return Said("why.forfeit", {"why": Said("why.time", found)})
    ending = Said(f"why.{why.code}")
    if ending.code not in catalogue(DEFAULT):
        return None
    return Said("why.with_monk", {"why": ending}) if values["monk"] else ending


def absence(why: Why) -> Said:
    """Say what the loser did, to put after its name: `was lost for good: it hung up`. The code is one of `ABSENCES`."""
    found = why.values.get("reason")
    if found is not None and not why.values["was_there"]:
        return Said("absence.did_not_come", {"reason": found})
    if found is not None and why.code == "disconnect" and why.values["grace_ms"] == 0:
        return Said("absence.lost_for_good", {"reason": found})
    return Said(f"absence.{why.code}")


def forfeit_said(why: Why) -> Said | None:
    """Explain why a game was forfeited: the illegal turn and its clause, the time, or what kept the bot away."""
    values = why.values
    if why.code in ABSENCES:
        return values.get("reason") or Said("forfeit.it", {"what": Said(f"absence.{why.code}")})
    if "wrong" in values:
        return Said("forfeit.illegal", {"what": values["wrong"], "clause": values["clause"]})
    if "spent_ms" in values:
        return Said("forfeit.time", {name: values[f"{name}_ms"] for name in ("spent", "delay", "left")})
    return None


def why_unanswered(attempt: Attempt, number: int, mover: Seat) -> Said:
    """Explain why a turn was never answered in this attempt: `it hung up; forfeit (disconnect)`."""
    ended = end_of_game(attempt, number)
    if ended is None:
        end = attempt.end
        return (
            Said("unanswered.void", {"why": end.reason})
            if isinstance(end, MatchVoided)
            else Said("unanswered.record_ends")
        )
    assert isinstance(ended.fact, GameEnded)
    assert ended.why is not None, "the end of a game has a reason"
    result = ended.fact.result
    if result.cause is None:
        return Said("unanswered.over")
    cause = Said(f"cause.{result.cause}")
    if result.winner == mover:
        loser = attempt.opened.shown[other(mover) - 1]
        return Said("unanswered.opponent", {"cause": cause, "name": loser})
    forfeit = Said("unanswered.forfeit", {"cause": cause})
    found = ended.why.values.get("reason")
    return forfeit if found is None else Said("unanswered.lost", {"why": found, "forfeit": forfeit})
