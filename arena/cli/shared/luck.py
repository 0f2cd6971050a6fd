"""Taking the luck out of the results of a run: by which evaluator, and what is looked at for it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arena.cli.shared.language import told
from arena.matches.facts import FixedEvaluator
from arena.records.facts import RecordClosed
from arena.records.files import match_record
from arena.records.lines import RecordError, rules_on_record
from arena.records.luck import LuckFound, LuckStatistics, fixed_in, luck_found, luck_statistics
from arena.records.statistics import counted_of

if TYPE_CHECKING:
    from arena.analysis import Evaluator
    from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened


class NoLuckError(Exception):
    """Luck cannot be taken out; says why and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatisticsWithoutLuck:
    """The statistics of a run with the luck taken out, and what there is to say of them."""

    found: LuckStatistics | None
    """None where the raw figures are all there is; the notes say why, if anybody has asked for more."""
    notes: tuple[str, ...] = ()


def luck_taken_out(
    run: Path, opened: TournamentOpened, facts: Sequence[TournamentFact], *, is_wanted: bool, workers: int | None = None
) -> StatisticsWithoutLuck:
    """Take the luck out of the matches that count.

    What is missing is looked at now if it `is_wanted`, or if an evaluator was fixed and the tournament is over: nobody
    waits then for a bot that would have to share the processor. Raises `RecordError` if the records give no standings.
    """
    from arena.server.setup.run_folder import RunFiles

    settled, fixed = counted_of(opened, facts), fixed_in(opened)
    if not settled:
        return StatisticsWithoutLuck(found=None)
    warnings: list[str] = []
    known = luck_found(RunFiles(run), settled, fixed)
    missing = len(settled) - len(known.matches)
    if missing and (is_wanted or (fixed and isinstance(facts[-1], RecordClosed))):
        try:
            known, warnings = luck_looked_for(run, settled, luck_evaluator(opened, fixed), workers)
        except NoLuckError as error:
            return StatisticsWithoutLuck(found=None, notes=(f"luck is not taken out: {error}",))
        missing = len(settled) - len(known.matches)
    elif missing and not fixed:
        return StatisticsWithoutLuck(found=None)
    if missing:
        left = f"luck is not taken out: {missing} of {len(settled)} matches are not analysed"
        how = "" if warnings else "; --luck-adjusted does it now, and takes processor time from bots that still play"
        return StatisticsWithoutLuck(found=None, notes=(*warnings, left + how))
    found = luck_statistics(opened, settled, known)
    return StatisticsWithoutLuck(found=found, notes=(*warnings, *map(told, found.notes if found else ())))


def luck_looked_for(
    run: Path, settled: Sequence[FixtureSettled], evaluator: Evaluator, workers: int | None = None
) -> tuple[LuckFound, list[str]]:
    """The luck in these fixtures, looked for by worker processes where it is not known, and what to warn of.

    The analyses are kept beside the records where that can be done.
    """
    from arena.cli.shared.analysing import Analysing, strangers
    from arena.cli.shared.sources import source_of

    records = {match_record(fact.fixture): fact for fact in settled}
    source = source_of(run)
    work = Analysing(source, evaluator, 1, min(workers or cores(), len(settled)), for_luck=True, only=records)
    work.writes = os.access(run, os.W_OK) and not any(strangers(source.files, records))
    found = LuckFound(evaluator=FixedEvaluator(name=evaluator.name, sha256=evaluator.sha256))
    for analysis in work.analyses():
        found.take(records[analysis.head.record], analysis)
    return found, work.warnings


def luck_evaluator(opened: TournamentOpened, fixed: FixedEvaluator | None) -> Evaluator:
    """The evaluator that was fixed, or the one that ships for the ruleset; raises `NoLuckError`."""
    from arena.analysis import EvaluatorError, evaluator_for, evaluator_named
    from arena.games.tables.game import TablesGame

    try:
        game = rules_on_record(opened.ruleset, "tournament.jsonl:1")
        if fixed is None or not isinstance(game, TablesGame):
            return evaluator_for(game)
        evaluator = evaluator_named(fixed.name, game.rules)
    except (EvaluatorError, RecordError) as error:
        raise NoLuckError(str(error)) from error
    if evaluator.sha256 != fixed.sha256:
        raise NoLuckError(
            f"the run fixed {fixed.name} with SHA-256 {fixed.sha256}, and the {fixed.name} of this arena has "
            f"{evaluator.sha256}; look at the run with the version of the arena that played it"
        )
    return evaluator


def cores() -> int:
    """Return how many processes can work at once here."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
