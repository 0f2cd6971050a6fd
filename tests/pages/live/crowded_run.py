"""Runs of 24 entrants as bytes: with 24 matches in play, or played to the end."""

from __future__ import annotations

from functools import cache

from msgspec.structs import replace

from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.records.files import TOURNAMENT_RECORD, match_record
from arena.records.lines import read_tournament
from arena.records.state import TournamentState, state_of
from arena.tournaments.formats.knockout import Knockout
from tests.fixtures.sample_runs import whole_run
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    Files,
    attempt_record,
    concluded,
    file_of,
    issued,
    lines,
    opened_tournament,
    with_file,
)

IN_PLAY = 24
SETTLED = 20
LONG_NAMES = {
    "e01": "Hjalmar Östergötlands bästa brädspelare sedan år 1628 i stan",
    "e02": "A Monte Carlo tree search with a very long and tedious name.",
    "e03": "אברהם בן יצחק מחיפה, אלוף השחמט והטבלה של כל הארץ והסביבה",
}
"""Names of some 60 characters; the last one is written from right to left."""
ENTRANTS = tuple(f"e{number:02}" for number in range(1, 25))
TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=60_000),
    rejections=3,
    turn_limit=24,
    startup_ms=5000,
)


def played(fixture: str, turns: int = 0) -> Sitting:
    """A match with so many turns, or to its end."""
    sitting = Sitting(terms=TERMS, fixture=fixture)
    sitting.ready(version="1")
    while not sitting.is_over and turns != 1:
        sitting.waits(40)
        sitting.plays()
        turns -= 1
    return sitting


@cache
def _crowded() -> tuple[tuple[str, bytes], ...]:
    header = opened_tournament(TERMS, ENTRANTS, violations=1000)
    header = with_file(replace(header, names=LONG_NAMES))
    state = TournamentState(header)
    facts = lines([header])
    files: Files = {"tournament.toml": file_of(header)}
    first, *others = state.fixtures
    long = next(name for name in others if {"e01", "e02"} <= set(state.fixtures[name].entrants))
    others.remove(long)
    for fixture in [first, *others[: SETTLED - 1]]:
        sitting = played(fixture)
        files[match_record(fixture)] = record = attempt_record(sitting)
        news = [issued(sitting), concluded(state, sitting, record)]
        facts += lines(news)
        for fact in news:
            state.apply(fact)
    for number, fixture in enumerate([long, *others[SETTLED - 1 : SETTLED + IN_PLAY - 2]]):
        sitting = played(fixture, 4 + number)
        files[match_record(fixture)] = lines(sitting.facts)
        facts += lines([issued(sitting)])
    return tuple((files | {TOURNAMENT_RECORD: facts}).items())


def crowded_run() -> Files:
    """24 matches in play, one of them between two names of 60 characters."""
    return dict(_crowded())


def next_match(files: Files) -> tuple[str, str, Files]:
    """The first board's match, the next match, and the lines with which the one gives its place to the other."""
    record = files[TOURNAMENT_RECORD]
    facts = [fact for _, fact in read_tournament(TOURNAMENT_RECORD, record)]
    state = state_of(facts[0], facts)
    ended = next(name for name in state.attempts if not state.is_decided(name))
    begun = next(name for name in state.fixtures if name not in state.attempts)
    sitting = played(ended)
    whole = attempt_record(sitting)
    following = played(begun, 4)
    return (
        ended,
        begun,
        {
            match_record(ended): whole[len(files[match_record(ended)]) :],
            match_record(begun): lines(following.facts),
            TOURNAMENT_RECORD: lines([concluded(state, sitting, whole), issued(following)]),
        },
    )


def finished_run() -> Files:
    """A round robin of 24 that is over."""
    header = opened_tournament(entrants=ENTRANTS, violations=1000)
    return whole_run(replace(header, names=LONG_NAMES))


def bracket_run() -> Files:
    """A knock-out of 16 that is over."""
    header = opened_tournament(entrants=ENTRANTS[:16], violations=1000)
    return whole_run(replace(header, schedule=Knockout()))
