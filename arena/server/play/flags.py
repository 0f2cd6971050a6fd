"""Flags that are about to fall: first it is measured whether the bot got the time that its clock has counted."""

from __future__ import annotations

from collections.abc import Callable

from arena.games.result import Seat
from arena.matches.events import BotMeasured, Event
from arena.matches.facts import FlagFell, MatchFact, Measured
from arena.matches.match import advance
from arena.matches.state import Match, Step


def measured_first(match: Match, event: Event, step: Step, measured: Callable[[Seat, int], Measured | None]) -> Step:
    """Return what an event leads to once every bot whose flag would fall by it was measured.

    `step` is what the event leads to by itself; it is returned if no flag falls or nothing can be measured. `measured`
    gives the figures of a seat in a game.
    """
    now, facts = match, list[MatchFact]()
    for fact in step.facts:
        if isinstance(fact, FlagFell):
            figures = measured(fact.seat, fact.game)
            if figures is not None:
                first = advance(now, BotMeasured(at_ms=fact.at_ms, game=fact.game, measured=figures))
                now, facts = first.match, [*facts, *first.facts]
    if now is match:
        return step
    then = advance(now, event)
    return Step(then.match, [*facts, *then.facts], then.questions)
