"""Verification of a venue: every run, the chain of the days, and the log against the days."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from arena.records.files import TOURNAMENT_RECORD, VENUE_RECORD, Files
from arena.records.ladder_chain import DayRecord, problem_of_day
from arena.records.ladder_facts import EntrantCame
from arena.records.lines import RecordError, whole_lines
from arena.records.snapshot import as_it_stands
from arena.records.venue_book import VenueBook, take_line, venue_lines
from arena.records.venue_facts import (
    BotBanned,
    BotUnbanned,
    CupBegun,
    DayOpened,
    VenueFact,
)
from arena.records.verify import Verified

APART_MS: Final = 600_000
"""The clocks of a day and of the log may be so far apart: that of a day stands in sleep."""

VerifyRun = Callable[[Files], Verified]
"""Verifies a run. Raises `RecordError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedRun:
    """A run of a venue that is in order."""

    run: str
    series: str
    """The ladder or the cup."""
    verified: Verified | None
    """None for a run that has not started."""


def verify_venue(
    record: bytes,
    runs: Mapping[str, Files],
    verify_run: VerifyRun,
) -> Iterator[VerifiedRun]:
    """Check the log of a venue and all its runs, the oldest first; yields each that is in order.

    `record` is `venue.jsonl`, `runs` has the files of each run. Raises `RecordError` at the first
    difference.
    """
    facts: list[VenueFact] = []
    book = VenueBook()
    for where, fact in venue_lines.read(VENUE_RECORD, whole_lines(record)):
        take_line(book, where, fact)
        facts.append(fact)
    openings = [fact for fact in facts if isinstance(fact, DayOpened | CupBegun)]
    strangers = sorted(runs.keys() - {fact.run for fact in openings})
    if strangers:
        raise RecordError(f"runs/{strangers[0]}", f"{VENUE_RECORD} has no such run")
    last = {_series_of(fact): fact for fact in openings}
    present: dict[str, Files] = {}
    for fact in reversed(openings):  # each day before the one that it follows, which may go on
        try:
            present[fact.run] = as_it_stands(runs.get(fact.run, {}))
        except RecordError as error:
            raise RecordError(f"runs/{fact.run}/{error.where}", error.problem) from error
    before: dict[str, DayRecord] = {}
    for fact in openings:
        files = present[fact.run]
        series = _series_of(fact)
        if not whole_lines(files.get(TOURNAMENT_RECORD, b"")):
            if fact is not last[series]:
                raise RecordError(f"runs/{fact.run}", f"it has no {TOURNAMENT_RECORD}")
            yield VerifiedRun(run=fact.run, series=series, verified=None)
            continue  # the arena ended before it began
        try:
            verified = verify_run(files)
            if isinstance(fact, DayOpened):
                lines = whole_lines(files[TOURNAMENT_RECORD]).splitlines(keepends=True)
                day = DayRecord.of(fact.run, lines)
                _check_day(fact, day, before.get(series), book)
                _check_entrants(day, book, facts)
                before[series] = day
        except RecordError as error:
            raise RecordError(f"runs/{fact.run}/{error.where}", error.problem) from error
        yield VerifiedRun(run=fact.run, series=series, verified=verified)


def _series_of(fact: DayOpened | CupBegun) -> str:
    return fact.cup if isinstance(fact, CupBegun) else fact.ladder


def _check_day(
    fact: DayOpened,
    day: DayRecord,
    before: DayRecord | None,
    venue: VenueBook,
) -> None:
    """Check that a day is the one that the log opens, and follows from the day before."""
    day_book = day.state.book
    if day_book is None:
        if len(day.facts) > 1:
            raise RecordError(TOURNAMENT_RECORD, "it is no day of a ladder")
        return
    run = day.state.opened.run
    if run != fact.run or not fact.run.startswith(f"{fact.ladder}-"):
        problem = f"it is {run}; {VENUE_RECORD} opens {fact.run} as a day of {fact.ladder}"
        raise RecordError(f"{TOURNAMENT_RECORD}:1", problem)
    why_not = problem_of_day(day, day_book, before, venue.old_versions(fact.at_ms))
    if why_not is not None:
        raise RecordError(TOURNAMENT_RECORD, why_not)


def _check_entrants(day: DayRecord, venue: VenueBook, facts: Sequence[VenueFact]) -> None:
    """Check the entrants of a day against the versions and the bans in the log."""
    comings = [fact for fact in day.facts if isinstance(fact, EntrantCame)]
    players = [coming.player for coming in comings]
    if day.state.book is not None:
        players += day.state.book.opened.players
    fingerprints = {}
    for player in players:
        bot = venue.bots.get(player.bot)
        versions = [] if bot is None else bot.versions[player.version - 1 : player.version]
        is_known = bool(versions) and versions[0].entrant == player.entrant
        if not is_known or bot is None or bot.is_house != player.is_house:
            raise _no_version(player.entrant)
        fingerprints[player.entrant] = versions[0].fingerprint
    for coming in comings:
        entrant = coming.player.entrant
        if coming.fingerprint != fingerprints[entrant]:
            raise _no_version(entrant)
        if _is_banned(coming, facts):
            raise RecordError(TOURNAMENT_RECORD, f"{entrant} came while it was banned")


def _no_version(entrant: str) -> RecordError:
    problem = f"{entrant} is not a version that {VENUE_RECORD} has, or not this one"
    return RecordError(TOURNAMENT_RECORD, problem)


def _is_banned(coming: EntrantCame, facts: Sequence[VenueFact]) -> bool:
    """Return whether a bot was banned long before it came, and long after."""
    banned_ms = 0
    for fact in facts:
        if isinstance(fact, BotBanned) and fact.bot == coming.player.bot:
            banned_ms = fact.at_ms
        elif isinstance(fact, BotUnbanned) and fact.bot == coming.player.bot:
            if banned_ms + APART_MS < coming.at_ms < fact.at_ms - APART_MS:
                return True
            banned_ms = 0
    return bool(banned_ms) and banned_ms + APART_MS < coming.at_ms
