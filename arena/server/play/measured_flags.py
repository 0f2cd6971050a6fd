"""Flags that are about to fall: first the time that the bot really got is measured."""

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
    """Measure every bot whose flag would fall by an event; return the step that then follows.

    `step` is the step of the event by itself. `measured` gives the figures of the bot at this flag,
    if there are any.
    """
    match_before = match
    facts = list[MatchFact]()
    for fact in step.facts:
        if not isinstance(fact, FlagFell):
            continue
        figures = measured(fact)
        if figures is not None:
            first = advance(
                match,
                BotMeasured(
                    at_ms=fact.at_ms,
                    game=fact.game,
                    measured=figures,
                ),
            )
            match = first.match
            facts += first.facts
    if match is match_before:
        return step
    then = advance(match, event)
    return Step(then.match, [*facts, *then.facts], then.questions)
