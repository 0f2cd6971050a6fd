"""Plays two bots against each other, batch by batch, until a sequential test decides which is stronger.

A batch is a whole run in a folder of its own: `batch-0001` and so on. All have the same tournament file, and its name
states the hypotheses. So a comparison is kept, resumed, shown and verified like any run, and the state of the test
always follows from the records.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.records.facts import EntrantWithdrawn, FixtureSettled, TournamentFact, TournamentOpened, result_of
from arena.records.files import TOURNAMENT_RECORD
from arena.records.reading import read_tournament
from arena.records.statistics import halves_in
from arena.server.io.operator_log import Event, Show
from arena.server.io.reporting import Report
from arena.server.run.tournament import Run, run_tournament
from arena.server.run.workers.crew import Crew
from arena.server.setup.plan_text import format_plan
from arena.server.setup.run_folder import FolderError, RunFolder
from arena.server.setup.tournament_file import Plan
from arena.tournaments.statistics.sequential import Decision, Hypotheses, Trial, judge

BATCH: Final = "batch-"
"""The folders of batches begin with this; a number follows."""


class ComparisonError(Exception):
    """The comparison cannot go on, though the arena works; the message says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How a comparison stands after a batch."""

    batch: int
    halves: tuple[int, ...]
    """How many units the new bot scored with 0, 1, 2, ... half games."""
    forfeits: tuple[int, int]
    """Games that the new and the old bot have forfeited in matches that both came to; they count as lost."""
    trial: Trial


def name_of(hypotheses: Hypotheses) -> str:
    """The tournament name of every batch. It states what is tested, so that different tests are never added up."""
    return (
        f"compare: Elo {hypotheses.elo0:g} or {hypotheses.elo1:g}, errors {hypotheses.alpha:g} and {hypotheses.beta:g}"
    )


def compare(
    plan: Plan,
    hypotheses: Hypotheses,
    path: Path,
    directory: Path,
    *,
    most: int,
    report: Report,
    show: Show,
    crew: Crew | None = None,
) -> Iterator[Progress]:
    """Play batches in the folder `path` until the test decides, or `most` batches; yields the state after each.

    `plan` is the plan of a batch with two entrants, of which the first is the new bot. Batches that an earlier
    comparison left there are counted, and the last of them is played to its end. Commands run in `directory`, and
    matches are played as by `run_tournament`. Raises `FolderError` if the folder holds something else,
    `ComparisonError`, and what `run_tournament` raises.
    """
    text = format_plan(plan)
    _refuse_strangers(path)
    halves: tuple[int, ...] = ()
    forfeits = (0, 0)
    for number in range(1, most + 1):
        facts = _played(_play_batch(plan, text, path / f"{BATCH}{number:04}", directory, report, show, crew))
        found = _count(facts, plan.entrants[0], number)
        halves = tuple(map(sum, zip(halves, found, strict=True))) if halves else found
        trial = judge(halves, hypotheses)
        more = forfeits_in(facts, plan.entrants)
        forfeits = (forfeits[0] + more[0], forfeits[1] + more[1])
        yield Progress(batch=number, halves=halves, forfeits=forfeits, trial=trial)
        if trial.decision is not Decision.GOES_ON:
            return


def _refuse_strangers(path: Path) -> None:
    """Raise `FolderError` if something else than batches is in the folder."""
    if path.exists() and not path.is_dir():
        raise FolderError(f"{path} is not a folder; give --out a new name")
    if path.exists() and any(not each.name.startswith(BATCH) for each in path.iterdir()):
        raise FolderError(f"{path} holds other files than batches; give --out a new or an empty folder")


def _play_batch(
    plan: Plan, text: str, path: Path, directory: Path, report: Report, show: Show, crew: Crew | None
) -> list[TournamentFact]:
    """Play a batch, or the rest of it; returns its tournament record."""

    def tell(event: Event) -> None:
        if event["event"] != "run_finished":  # the batches that an earlier comparison left are
            show(event)

    folder = RunFolder(path)
    try:
        folder.open(text)
        run_tournament(Run(plan=plan, folder=folder, directory=directory, report=report, show=tell, crew=crew))
        data = folder.tournament_record.read_bytes()
    finally:
        folder.close()
    return [fact for _, fact in read_tournament(TOURNAMENT_RECORD, data)]


def _played(facts: Sequence[TournamentFact]) -> list[TournamentFact]:
    """The record without matches that a bot did not come to: they do not show how well it plays."""
    return [
        fact
        for fact in facts
        if not (isinstance(fact, FixtureSettled) and all(game.cause == "no_show" for game in fact.games))
    ]


def forfeits_in(facts: Sequence[TournamentFact], names: Sequence[str]) -> tuple[int, int]:
    """How many games each of two entrants has forfeited."""
    played = [result_of(fact.fixture, fact.games) for fact in facts if isinstance(fact, FixtureSettled)]
    won = [sum(game.cause is not None for result in played for game in result.won_by(name)) for name in names]
    return won[1], won[0]


def _count(facts: Sequence[TournamentFact], new: str, batch: int) -> tuple[int, ...]:
    """What a finished batch adds to the test. Raises `ComparisonError` if it says nothing about strength."""
    opened = facts[0]
    assert isinstance(opened, TournamentOpened), "a finished run begins with it"
    for fact in facts:
        if isinstance(fact, EntrantWithdrawn):
            raise ComparisonError(
                f"{fact.entrant} was withdrawn in batch {batch} after {fact.violations} forfeits and lost connections; "
                f"mend it first (arena stats and bots/ of {BATCH}{batch:04} say what happened)"
            )
    halves = halves_in(opened, facts, new)
    if not any(halves):
        raise ComparisonError(
            f"no match of batch {batch} was played, since a bot did not come or both left; mend how it starts "
            f"(bots/ of {BATCH}{batch:04} has what it said), and begin anew with another --out"
        )
    return halves
