"""Reasons for the verdict on a turn, in a sentence for a person."""

from __future__ import annotations

from typing import Any

from arena.games import Game
from arena.matches.facts import DrawAgreed, FlagFell, Measured, Terms, TurnPlayed, TurnRejected
from arena.records.timeline import Moment


def why_judged(
    rules: Game[Any], moment: Moment, fact: TurnPlayed | DrawAgreed | TurnRejected | FlagFell, terms: Terms
) -> str:
    """The verdict on a turn: how many others were legal, which clause it breaks, or how much time it had."""
    if isinstance(fact, TurnRejected):
        there = "is one legal turn" if fact.legal_turns == 1 else f"are {fact.legal_turns} legal turns"
        return f"illegal by {fact.clause} ({fact.code}); there {there}"
    if isinstance(fact, FlagFell):
        bank_ms = moment.left_ms[fact.seat - 1]
        words = f"too late: it had {terms.delay_ms} ms for the turn and {bank_ms} ms in the bank"
        if isinstance(fact.measured, Measured):
            used = f"{fact.measured.cpu_ms} ms of CPU time, waited {fact.measured.starved_ms} ms for a processor"
            words = f"{words}; it used {used}"
        return words
    if isinstance(fact, DrawAgreed):
        return f"legal by {rules.agreement}: the turn before offered the draw"
    number = len(rules.legal_turns(moment.before, tuple(fact.dice)))
    if not fact.moves:
        return "legal: no die can be played, the turn is a pass"
    return "legal: the only legal turn" if number == 1 else f"legal: one of {number} legal turns"
