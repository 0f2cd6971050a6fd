"""Comparison of two bots: batches are played until a sequential test tells which is stronger.

A batch is a whole run in a folder of its own: `batch-0001` and so on. All have the same tournament
file, and its name states the hypotheses. So a comparison is kept, resumed, shown and verified like
any run, and the state of the test always follows from the records.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import trio

from arena.records.facts import (
    EntrantWithdrawn,
    FixtureSettled,
    TournamentFact,
    TournamentOpened,
    result_of,
)
from arena.records.files import TOURNAMENT_RECORD
from arena.records.lines import read_tournament
from arena.records.luck import units_without_luck
from arena.records.statistics import counted_of, games_in_unit, units_in
from arena.server.io.clock import RunningClock
from arena.server.io.operator_log import Event, Show
from arena.server.run.tournament import Run, play_in
from arena.server.run.tournament_log import Report
from arena.server.run.workers.chunk import Crew
from arena.server.setup.run_folder import FolderError, RunFolder
from arena.server.setup.tournament_file import Plan, format_plan
from arena.server.venue.venue import Venue, open_venue
from arena.tournaments.statistics.luck import LuckyMatch
from arena.tournaments.statistics.sequential import Decision, Hypotheses, Trial, judge, judge_shares
from arena.tournaments.statistics.units import Unit, halves_of
from arena.words import Said, quoted

BATCH: Final = "batch-"
"""The folders of batches begin with this; a number follows."""
LuckIn = Callable[[Path, Sequence[FixtureSettled]], Mapping[str, LuckyMatch]]
"""Returns settled fixtures of a run folder with their luck, by fixture."""


class ComparisonError(Exception):
    """The comparison cannot go on, though the arena works; the message says why and what to do."""


@dataclass(
    frozen=True,
    slots=True,
    kw_only=True,
)
class ComparisonProgress:
    """State of a comparison after a batch."""

    batch: int
    units: tuple[Unit, ...]
    """The pairs or matches as they were played."""
    adjusted_units: tuple[Unit, ...]
    """The same with the luck of the dice taken out; empty if that was not asked for."""
    halves: tuple[int, ...]
    """Number of units that the new bot scored with 0, 1, 2, ... half games."""
    forfeits: tuple[int, int]
    """Games that the new and the old bot have forfeited in matches that both came to.

    They count as lost.
    """
    raw: Trial
    """The test on the games as they were played."""
    adjusted: Trial | None = None
    """The test with the luck of the dice taken out, if that was asked for; it then decides."""

    @property
    def trial(self) -> Trial:
        """The test that decides."""
        return self.adjusted or self.raw

    @property
    def deciding_units(self) -> tuple[Unit, ...]:
        """The units that this test looks at."""
        return self.adjusted_units or self.units


def name_of(hypotheses: Hypotheses, *, luck_adjusted: bool) -> str:
    """Return the tournament name of every batch.

    It states what is tested, so that different tests are never added up.
    """
    elo = f"{hypotheses.elo0:g} or {hypotheses.elo1:g}"
    errors = f"{hypotheses.alpha:g} and {hypotheses.beta:g}"
    name = f"compare: Elo {elo}, errors {errors}"
    if luck_adjusted:
        name += ", luck taken out"
    return name


def compare(
    plan: Plan,
    hypotheses: Hypotheses,
    path: Path,
    directory: Path,
    *,
    most: int,
    report: Report,
    show: Show,
    crew: Crew | None,
    luck_in: LuckIn | None,
    tell: Callable[[ComparisonProgress], object],
) -> ComparisonProgress:
    """Play batches in the folder `path` until the test decides, at most `most`.

    Returns the state after the last batch. `plan` is the plan of a batch with two entrants; the
    first is the new bot. Batches that an earlier comparison left there are counted, and the last of
    them is played to its end. Commands run in `directory`. Matches are played as by
    `run_tournament`, but all batches in one venue. With `luck_in`, which is called in a thread, the
    test looks at units whose luck was taken out. `tell` gets the state after each batch. Raises
    `FolderError` if the folder holds something else, `ComparisonError`, and what `run_tournament`
    raises.
    """
    _check_folder(path)

    async def play() -> ComparisonProgress | FolderError | ComparisonError:
        async with open_venue(show) as venue:
            venue.loop.spawn(venue.shutdown.obey_signals)
            play_batch = partial(_play_batch, venue, plan, directory, report, show, crew)
            try:
                return await _play_batches(plan, hypotheses, path, most, luck_in, play_batch, tell)
            except (FolderError, ComparisonError) as error:
                return error  # raised here, it would come out in a group

    end = trio.run(play, clock=RunningClock())
    if isinstance(end, ComparisonProgress):
        return end
    raise end


def _check_folder(path: Path) -> None:
    """Raise `FolderError` unless the folder is new or holds nothing but batches."""
    if not path.exists():
        return
    if not path.is_dir():
        raise FolderError(Said("run_folder.no_folder", {"folder": str(path)}))
    for entry in path.iterdir():
        if not entry.name.startswith(BATCH):
            message = f"{path} holds other files than batches; give --out a new or an empty folder"
            raise FolderError(quoted(message))


async def _play_batches(
    plan: Plan,
    hypotheses: Hypotheses,
    path: Path,
    most: int,
    luck_in: LuckIn | None,
    play_batch: Callable[[Path], Awaitable[list[TournamentFact]]],
    tell: Callable[[ComparisonProgress], object],
) -> ComparisonProgress:
    """Play batches until the test decides, or for `most` of them; call `tell` after each."""
    new = plan.entrants[0]
    size = games_in_unit(plan.terms)
    units: list[Unit] = []
    forfeits_of_new = forfeits_of_old = 0
    lucky: list[LuckyMatch] = []
    for number in range(1, most + 1):
        batch = path / f"{BATCH}{number:04}"
        facts = await play_batch(batch)
        opened = facts[0]
        assert isinstance(opened, TournamentOpened), "a finished run begins with it"
        units += _units(opened, facts, number)
        halves = halves_of(units, new, size)
        adjusted = None
        adjusted_units: tuple[Unit, ...] = ()
        if luck_in is not None:
            settled = counted_of(opened, facts)
            lucky += await trio.to_thread.run_sync(
                _lucky,
                batch,
                settled,
                luck_in,
                abandon_on_cancel=True,
            )
            adjusted_units = units_without_luck(lucky, size)
            shares = [unit.seen_by(new).score / unit.games for unit in adjusted_units]
            adjusted = judge_shares(shares, hypotheses)
        by_new, by_old = forfeits_in(facts, plan.entrants)
        forfeits_of_new += by_new
        forfeits_of_old += by_old
        progress = ComparisonProgress(
            batch=number,
            units=tuple(units),
            adjusted_units=adjusted_units,
            halves=halves,
            forfeits=(forfeits_of_new, forfeits_of_old),
            raw=judge(halves, hypotheses),
            adjusted=adjusted,
        )
        tell(progress)
        if progress.trial.decision is not Decision.GOES_ON:
            break
    return progress


async def _play_batch(
    venue: Venue,
    plan: Plan,
    directory: Path,
    report: Report,
    show: Show,
    crew: Crew | None,
    path: Path,
) -> list[TournamentFact]:
    """Play a batch, or the rest of it; returns its tournament record.

    Leaves out matches that a bot did not come to: they do not show how well the bot plays.
    """

    def tell(event: Event) -> None:
        # An earlier comparison may have left finished batches: the operator need not hear of them.
        if event["event"] != "run_finished":
            show(event)

    folder = RunFolder(path)
    try:
        folder.open(format_plan(plan))
        run = Run(
            plan=plan,
            folder=folder,
            directory=directory,
            report=report,
            show=tell,
            crew=crew,
        )
        await play_in(venue, run)
        record = folder.tournament_record.read_bytes()
    finally:
        folder.close()
    facts = []
    for _, fact in read_tournament(TOURNAMENT_RECORD, record):
        if not _was_missed(fact):
            facts.append(fact)
    return facts


def _was_missed(fact: TournamentFact) -> bool:
    """Return whether a fixture was settled without play, since a bot did not come."""
    if not isinstance(fact, FixtureSettled):
        return False
    return all(game.cause == "no_show" for game in fact.games)


def _lucky(batch: Path, settled: Sequence[FixtureSettled], luck_in: LuckIn) -> list[LuckyMatch]:
    """Return the luck of every settled fixture of a batch. Raises `ComparisonError`."""
    match_by_fixture = luck_in(batch, settled)
    matches = []
    for fact in settled:
        match = match_by_fixture.get(fact.fixture)
        if match is None:
            raise ComparisonError(
                f"luck cannot be taken out of {fact.fixture} in {batch.name}: it cannot be analysed"
            )
        matches.append(match)
    return matches


def forfeits_in(facts: Sequence[TournamentFact], names: Sequence[str]) -> tuple[int, int]:
    """Count the games that each of two entrants has forfeited."""
    won_by_forfeit = dict.fromkeys(names, 0)
    for fact in facts:
        if not isinstance(fact, FixtureSettled):
            continue
        match = result_of(fact.fixture, fact.games)
        for name in names:
            for game in match.won_by(name):
                if game.cause is not None:
                    won_by_forfeit[name] += 1
    first, second = names
    return won_by_forfeit[second], won_by_forfeit[first]


def _units(
    opened: TournamentOpened,
    facts: Sequence[TournamentFact],
    batch: int,
) -> tuple[Unit, ...]:
    """Return what a finished batch adds to the test.

    Raises `ComparisonError` if it says nothing about strength.
    """
    for fact in facts:
        if isinstance(fact, EntrantWithdrawn):
            raise ComparisonError(
                f"{fact.entrant} was withdrawn in batch {batch} "
                f"after {fact.violations} forfeits and lost connections; mend it first "
                f"(arena stats and bots/ of {BATCH}{batch:04} say what happened)"
            )
    units = units_in(opened, counted_of(opened, facts))
    if not units:
        raise ComparisonError(
            f"no match of batch {batch} was played, since a bot did not come or both left; "
            f"mend how it starts (bots/ of {BATCH}{batch:04} has what it said), "
            "and start again with another --out"
        )
    return units
