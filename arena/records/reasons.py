"""Reasons why games ended, and why turns were never answered, in words for people."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from arena.games.result import Cause, Seat
from arena.matches.facts import GameEnded, MatchVoided
from arena.matches.state import other
from arena.records.reading import Attempt
from arena.records.timeline import Why, end_of_game

ENDINGS: Final = MappingProxyType(
    {
        "bearing_off": "all 15 checkers of the winner are off",
        "gammon": "all 15 checkers of the winner are off, and none of the loser's",
        "backgammon": "all 15 checkers of the winner are off, none of the loser's, and one of these on the bar "
        "or in the winner's home",
        "single_crown": "a handsome game: the winner's 15 checkers stand three on each of 20 to 24",
        "double_crown": "a handsome game: the winner's 15 checkers stand five on each of 22, 23 and 24",
        "staircase": "a handsome game: the winner's 15 checkers stand 3 on 22, 5 on 23 and 7 on 24",
        "tower": "a handsome game: the winner's 15 checkers all stand on 24",
        "jan": "a hit left the loser with more checkers on the bar than points of Q1 without checkers of its own",
        "forced_jan": "a strike left the loser with more checkers on the bar than points of Q1 without its own",
        "king_escaped": "the king has reached a corner",
        "king_captured": "the king is captured",
        "repetition": "the same placement with the same side to move has come up too often",
        "no_move": "the side to move has no legal move",
        "agreement": "an offered draw was accepted",
    }
)
"""The reason for each ending over the board, by name; games of other packages may have others."""

ABSENCES: Final = MappingProxyType[Cause | str, str](
    {
        "disconnect": "lost its connection, and was not back in time",
        "no_show": "was not at the table in time",
        "no_reveal": "has not revealed the entropy it committed to",
    }
)
"""What the loser of a game did, by the cause of its forfeit, if it had time to come or to come back."""


def reason(why: Why) -> str:
    """Explain why a game ended, and was worth its points; empty for an unknown ending."""
    values = why.values
    if why.code in ABSENCES:
        how = f"the loser {absence_words(why)}"
    elif why.code == "illegal_turns":
        how = f"one illegal turn more than {values['forgiven']} forgiven"
    elif why.code == "time":
        how = f"no answer within {values['delay_ms']} ms and what was left of {values['bank_ms']} ms"
    elif why.code == "turn_limit":
        return f"no result after {values['turns']} turns"
    else:
        sentence = ENDINGS.get(why.code, "")
        return sentence + (", and the loser has a checker on the bar (monk)" if values["monk"] and sentence else "")
    return f"{how}; a forfeit pays the most the ruleset can"


def absence_words(why: Why) -> str:
    """Say what the loser did, to put after its name: `was lost for good: it hung up`. The code is one of `ABSENCES`."""
    found = why.values.get("reason")
    if found is not None and not why.values["was_there"]:
        return f"did not come: {found}"
    if found is not None and why.code == "disconnect" and why.values["grace_ms"] == 0:
        return f"was lost for good: {found}"
    return ABSENCES[why.code]


def forfeit_words(why: Why) -> str:
    """Explain why a game was forfeited: the illegal turn and its clause, the time, or what kept the bot away."""
    values = why.values
    if why.code in ABSENCES:
        found: str = values.get("reason", f"it {ABSENCES[why.code]}")
        return found
    if "message" in values:
        message: str = values["message"]
        return f"{message.rpartition('; ')[0] or message.rstrip('.')} ({values['clause']})"
    if "spent_ms" in values:
        return f"{values['spent_ms']:,} ms of {values['delay_ms']:,} + {values['left_ms']:,}"
    return ""


def why_unanswered(attempt: Attempt, number: int, mover: Seat) -> str:
    """Explain why a turn was never answered in this attempt: `it hung up; forfeit (disconnect)`."""
    ended = end_of_game(attempt, number)
    if ended is None:
        end = attempt.end
        return f"the match is void: {end.reason}" if isinstance(end, MatchVoided) else "the record ends before one"
    assert isinstance(ended.fact, GameEnded)
    assert ended.why is not None, "the end of a game has a reason"
    result = ended.fact.result
    if result.cause is None:
        return "the game was over before one"
    forfeit = f"forfeit ({result.cause})"
    if result.winner == mover:
        return f"the game was over before one; {forfeit} by {attempt.opened.shown[other(mover) - 1]}"
    found = ended.why.values.get("reason")
    return forfeit if found is None else f"{found}; {forfeit}"
