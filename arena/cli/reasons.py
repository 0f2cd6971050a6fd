"""Why a turn or the end of a game was judged as it was, in a sentence for a person."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any, Final

from arena.games import Game
from arena.matches.facts import DrawAgreed, FlagFell, GameEnded, Terms, TurnPlayed, TurnRejected
from arena.matches.game import GameState
from arena.records.absence import ABSENCES, Absence, absence_words

ENDINGS: Final = MappingProxyType(
    {
        "bearing_off": "all 15 checkers of the winner are off",
        "gammon": "all 15 checkers of the winner are off, and none of the loser's",
        "backgammon": "all 15 checkers of the winner are off, none of the loser's, and one of these on the bar "
        "or in the winner's home",
        "single_crown": "the winner's 15 checkers stand three on each of 20 to 24",
        "double_crown": "the winner's 15 checkers stand five on each of 22, 23 and 24",
        "staircase": "the winner's 15 checkers stand 3 on 22, 5 on 23 and 7 on 24",
        "tower": "the winner's 15 checkers all stand on 24",
        "jan": "the loser has more checkers on the bar than points of Q1 without checkers of its own",
        "forced_jan": "a strike left the loser with more checkers on the bar than points of Q1 without its own",
        "king_escaped": "the king has reached a corner",
        "king_captured": "the king is captured",
        "repetition": "the same placement with the same side to move has come up too often",
        "no_move": "the side to move has no legal move",
        "agreement": "an offered draw was accepted",
    }
)
"""By the name of the ending; games of other packages may have others."""


def why_ended(fact: GameEnded, terms: Terms, absence: Absence | None) -> str:
    """Why a game was over, and worth its points; empty for an ending that is not known here.

    `absence` is what kept the loser of a forfeit away, if anything did.
    """
    if fact.cause is not None and fact.cause in ABSENCES:
        return f"the loser {absence_words(fact.cause, absence)}; a forfeit pays the most the ruleset can"
    match fact.cause:
        case "illegal_turns":
            return f"one illegal turn more than {terms.rejections} forgiven; a forfeit pays the most the ruleset can"
        case "time":
            return (
                f"no answer within {terms.delay_ms} ms and what was left of {terms.bank_ms} ms; "
                "a forfeit pays the most the ruleset can"
            )
    if fact.ending == "turn_limit":
        return f"no result after {terms.turn_limit} turns"
    sentence = ENDINGS.get(fact.ending, "")
    return sentence + (", which has a checker on the bar (monk)" if fact.monk and sentence else "")


def why_judged(
    rules: Game[Any], before: GameState, fact: TurnPlayed | DrawAgreed | TurnRejected | FlagFell, terms: Terms
) -> str:
    """The verdict on a turn: what else was legal, which clause it breaks, or which time it had."""
    if isinstance(fact, TurnRejected):
        there = "is one legal turn" if fact.legal_turns == 1 else f"are {fact.legal_turns} legal turns"
        return f"illegal by {fact.clause} ({fact.code}); there {there}"
    if isinstance(fact, FlagFell):
        bank_ms = before.left_ms[fact.seat - 1]
        return f"too late: it had {terms.delay_ms} ms for the turn and {bank_ms} ms in the bank"
    if isinstance(fact, DrawAgreed):
        return f"legal by {rules.agreement}: the turn before offered the draw"
    number = len(rules.legal_turns(before.position, tuple(fact.dice)))
    if not fact.moves:
        return "legal: no die can be played, the turn is a pass"
    return "legal: the only legal turn" if number == 1 else f"legal: one of {number} legal turns"
