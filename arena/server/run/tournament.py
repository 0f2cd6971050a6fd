"""A run of a tournament, from opening its record to closing it."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.records.facts import (
    EntrantsAbsent,
    EntrantsAwaited,
    EntrantWithdrawn,
    FixtureSettled,
    TournamentFact,
)
from arena.server.io.clock import Clock, RunClock, RunningClock
from arena.server.io.operator_log import Log, Show, operator_log
from arena.server.run.ladder_log import LadderLog
from arena.server.run.ladder_run import OpenDay
from arena.server.run.roster import Roster, open_roster
from arena.server.run.scheduler import Scheduler
from arena.server.run.seat_pages import SeatPages
from arena.server.run.tournament_log import Progressed, Report, TournamentLog
from arena.server.run.workers.chunk import Crew
from arena.server.run.workers.dispatcher import Dispatcher
from arena.server.setup.account import Account
from arena.server.setup.credentials import Signer, given_tokens, places_of_run
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.seat_order import SeatOrder
from arena.server.setup.tournament_file import Plan
from arena.server.venue.shutdown import Draining
from arena.server.venue.venue import OpenRun, Venue, open_venue

UNWRITTEN: Final = frozenset({"run_finished"})
"""A finished run stays as it is when it is looked at again."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class Run:
    """A tournament to play to its end; it goes on where an earlier run of its folder ended."""

    plan: Plan
    id: str = ""
    """The ids of its matches begin with this; in a venue for one run it may be empty."""
    folder: RunFolder
    """It is open."""
    directory: Path
    """Where commands of bots run."""
    report: Report
    """Gets every line of the tournament record."""
    show: Show
    """Gets what the operator should know."""
    crew: Crew | None = None
    """The workers that play the matches; without them this process plays."""
    signer: Signer | None = None
    """Has the operator's key, if there is one."""
    pages: SeatPages | None = None
    """Serve the seats of those who play by hand, if there are any."""
    tell_seats: Callable[[SeatOrder], object] | None = None
    """Gets the seats of those who play by hand, for pages that the arena does not keep."""
    draining: Draining = field(default_factory=Draining)
    """Stops it before its end, and lets the venue go on."""
    accounts: Mapping[str, Account] = field(default_factory=dict)
    """The accounts that entrants have in the venue; the run has no tokens of theirs."""
    day: OpenDay | None = None
    """The day that it is, if it is one of a ladder."""


class Drained(Exception):  # noqa: N818 - it is no error but what was asked for
    """The run has stopped in good order before its end; it can be resumed."""


def run_tournament(run: Run) -> None:
    """Play a tournament to its end in a venue of its own.

    After an exception the run can be resumed.
    """
    trio.run(direct, run, clock=RunningClock())


async def direct(run: Run) -> None:
    """Do what `run_tournament` does, in an event loop that is already running."""
    async with open_venue(run.show) as venue:
        venue.loop.spawn(venue.shutdown.obey_signals)
        await play_in(venue, run)


async def play_in(venue: Venue, run: Run) -> None:
    """Play a tournament to its end, with bots that may play in other runs of the venue as well.

    After an exception the run can be resumed, and the venue is as it was. Raises `Drained` if the
    run was drained.
    """
    folder = run.folder
    directory = run.directory
    key = None
    if run.signer is not None:
        key = run.signer.path
    tokens = given_tokens(run.plan, directory)
    venue.tokens.update(dict.fromkeys(tokens, "***"))
    clock = RunClock(venue.loop.clock)
    with operator_log(
        folder.operator_log,
        Clock().now_ms,
        run.show,
        instead=venue.tokens,
        unwritten=UNWRITTEN,
    ) as log:
        open_run = OpenRun(
            id=run.id,
            plan=run.plan,
            folder=folder,
            directory=directory,
            log=log.bind(run=folder.path.name),
            places=places_of_run(folder.path, key),
            clock=clock,
            draining=run.draining,
        )
        run.draining.tell = lambda turns: open_run.log.info("stopping", turns=turns)
        with venue.opened(open_run):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_end_when_drained, venue, run.draining)
                await _play(run, venue, open_run)
                nursery.cancel_scope.cancel()


async def _end_when_drained(venue: Venue, draining: Draining) -> None:
    await draining.wait()
    if venue.shutdown.is_asked_for:
        await trio.sleep_forever()  # all runs end at once, when the others are drained as well
    raise Drained


def _tell(
    report: Report,
    venue: Venue,
    log: Log,
    join_ms: int,
    fact: TournamentFact | Progressed,
) -> None:
    """Report a fact or progress, and log what the operator should know."""
    report(fact)
    if isinstance(fact, FixtureSettled):
        venue.matches_finished += 1
    elif isinstance(fact, EntrantWithdrawn):
        log.warning("bot_withdrawn", name=fact.entrant, violations=fact.violations)
    elif isinstance(fact, EntrantsAwaited) and fact.away:
        log.info("bots_awaited", names=fact.away, join_ms=join_ms)
    elif isinstance(fact, EntrantsAbsent):
        log.warning("bots_given_up", names=fact.away, join_ms=join_ms)


async def _play(run: Run, venue: Venue, open_run: OpenRun) -> None:
    """Play the tournament to its end, unless it is finished; then close its record."""
    folder, log = run.folder, open_run.log
    report = partial(_tell, run.report, venue, log, run.plan.limits.join_ms)
    day = run.day
    of_run = (run.plan, folder, open_run.clock, report, run.signer)
    if day is None:
        tournament_log = TournamentLog(*of_run, run_id=run.id)
    else:
        tournament_log = LadderLog(*of_run, run_id=run.id)
        day.begin(tournament_log)
    try:
        if not tournament_log.state.is_finished:
            await _play_matches(run, venue, open_run, tournament_log)
        elif day is None:  # the next day reads a day that is over
            finished_ms = tournament_log.finished_ms
            log.warning("run_finished", run=str(folder.path), finished_ms=finished_ms)
        await tournament_log.finish()
        venue.shutdown.end_if_asked_for()
    finally:
        tournament_log.close()


async def _play_matches(
    run: Run,
    venue: Venue,
    open_run: OpenRun,
    tournament_log: TournamentLog,
) -> None:
    """Settle what an earlier run left, and play the other matches here or with the crew."""
    await tournament_log.settle_leftovers()
    if tournament_log.is_resumed:
        state = tournament_log.state
        open_run.log.info(
            "run_resumed",
            over=state.over,
            matches=state.scheduled,
            under_way=len(tournament_log.under_way),
        )
    if run.signer is None and tournament_log.key is not None:
        open_run.log.warning("key_missing")
    if run.crew is not None:
        await Dispatcher(open_run, tournament_log, run.crew, run.show).play_all()
        return
    if run.day is None:
        opened_roster: AbstractAsyncContextManager[Roster] = open_roster(
            venue,
            open_run,
            tournament_log.secrets,
            under_way=tournament_log.under_way,
            accounts=run.accounts,
            pages=run.pages,
            tell_seats=run.tell_seats,
        )
    else:
        opened_roster = run.day.open_roster(venue, open_run)
    async with opened_roster as roster:
        await Scheduler(venue, open_run, tournament_log, roster).play_all()
