"""Why a game ended, in a sentence for people."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from arena.games.result import Result
from arena.matches.facts import Terms
from arena.records.absence import ABSENCES, Absence, absence_words

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


def why_ended(result: Result, terms: Terms, absence: Absence | None) -> str:
    """Why a game ended, and was worth its points; empty for an unknown ending.

    `absence` is what kept the loser of a forfeit away, if anything did.
    """
    if result.ending == "turn_limit":
        return f"no result after {terms.turn_limit} turns"
    if result.cause is None:
        sentence = ENDINGS.get(result.ending, "")
        return sentence + (", and the loser has a checker on the bar (monk)" if result.monk and sentence else "")
    if result.cause in ABSENCES:
        how = f"the loser {absence_words(result.cause, absence)}"
    elif result.cause == "illegal_turns":
        how = f"one illegal turn more than {terms.rejections} forgiven"
    else:
        how = f"no answer within {terms.delay_ms} ms and what was left of {terms.bank_ms} ms"
    return f"{how}; a forfeit pays the most the ruleset can"
