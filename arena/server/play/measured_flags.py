"""Flags that are about to fall: whether the bot got the time that its clock has counted is measured first."""

from collections.abc import Callable

from arena.matches.events import BotMeasured, Event
from arena.matches.facts import FlagFell, MatchFact, Measured
from arena.matches.match import advance
from arena.matches.state import Match, Step


def measured_first(
    match: Match,
    event: Event,
    step: Step,
    measured: Callable[[FlagFell], Measured | None],
) -> Step:
    """Return what an event leads to once every bot whose flag would fall by it was measured.

    `step` is what the event leads to by itself; `measured` gives what is known of the bot at this
    flag, if anything.
    """
    before = match
    facts = list[MatchFact]()
    for fact in step.facts:
        if not isinstance(fact, FlagFell):
            continue
        figures = measured(fact)
        if figures is not None:
            first = advance(match, BotMeasured(at_ms=fact.at_ms, game=fact.game, measured=figures))
            match = first.match
            facts += first.facts
    if match is before:
        return step
    then = advance(match, event)
    return Step(then.match, [*facts, *then.facts], then.questions)
