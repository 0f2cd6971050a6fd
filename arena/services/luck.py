"""The results of a run without their luck, by the evaluator that was fixed or that ships."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from arena.analysis import Evaluator, EvaluatorError, evaluator_for, evaluator_named
from arena.games.tables.game import TablesGame
from arena.matches.facts import FixedEvaluator
from arena.records.analysed import analysis_of
from arena.records.facts import FixtureSettled, RecordClosed, TournamentFact, TournamentOpened
from arena.records.files import Files, match_record
from arena.records.lines import RecordError, rules_on_record
from arena.records.luck import LuckFound, LuckStatistics, fixed_in, luck_statistics
from arena.records.statistics import counted_of
from arena.server.programs.cpu_share import CORES
from arena.services.analysing import Analysing, beside_other_files
from arena.services.errors import RefusedError
from arena.services.progress import Tell, pass_by
from arena.services.sources import source_of
from arena.words import Said

Luck = tuple[LuckStatistics | None, list[Said]]
"""The statistics without luck, or None where only the raw figures exist; and remarks on them."""


class NoLuckError(RefusedError):
    """Luck cannot be taken out; says why and what to do."""


def luck_taken_out(
    run: Path,
    opened: TournamentOpened,
    facts: Sequence[TournamentFact],
    *,
    is_wanted: bool,
    workers: int | None = None,
    tell: Tell = pass_by,
) -> Luck:
    """Take the luck out of the matches that count. Raises `RecordError`.

    Missing analyses are made now if it `is_wanted`, or if an evaluator was fixed and no bot shares
    the processor.
    """
    from arena.server.setup.run_folder import RunFiles

    settled = counted_of(opened, facts)
    if not settled:
        return None, []
    fixed = fixed_in(opened)
    luck = _luck_on_file(RunFiles(run), settled, fixed)
    warnings: list[Said] = []
    if len(luck.matches) < len(settled):
        if is_wanted or (fixed is not None and isinstance(facts[-1], RecordClosed)):
            try:
                evaluator = luck_evaluator(opened, fixed)
                luck, warnings = luck_looked_for(run, settled, evaluator, workers, tell)
            except NoLuckError as error:
                return None, [Said("no_luck.because", {"reason": error.said})]
        elif fixed is None:
            return None, []
    missing = len(settled) - len(luck.matches)
    if missing:
        return None, [*warnings, _not_analysed(missing, len(settled), has_reasons=bool(warnings))]
    statistics = luck_statistics(opened, settled, luck)
    if statistics is None:
        return None, warnings
    return statistics, [*warnings, *statistics.notes]


def _luck_on_file(
    files: Files,
    settled: Sequence[FixtureSettled],
    fixed: FixedEvaluator | None,
) -> LuckFound:
    """Return the luck in these fixtures as far as analyses in the run folder have it."""
    luck = LuckFound(evaluator=fixed)
    for fact in settled:
        luck.add(fact, analysis_of(files, match_record(fact.fixture)))
    return luck


def _not_analysed(missing: int, count: int, *, has_reasons: bool) -> Said:
    """Say that matches have no analysis; without reasons also how to make them."""
    how: Said | str = "" if has_reasons else Said("no_luck.how")
    return Said("no_luck.not_analysed", {"missing": missing, "count": count, "how": how})


def luck_looked_for(
    run: Path,
    settled: Sequence[FixtureSettled],
    evaluator: Evaluator,
    workers: int | None = None,
    tell: Tell = pass_by,
) -> tuple[LuckFound, list[Said]]:
    """Look for the luck in these fixtures where it is not known; return it and the warnings.

    New analyses are kept beside the records.
    """
    records = {match_record(fact.fixture): fact for fact in settled}
    source = source_of(run)
    workers = min(workers or CORES, len(settled))
    work = Analysing(source, evaluator, 1, workers, for_luck=True, only=records)
    work.tell = tell
    work.writes = os.access(run, os.W_OK) and not any(beside_other_files(source.files, records))
    luck = LuckFound(evaluator=FixedEvaluator(name=evaluator.name, sha256=evaluator.sha256))
    for analysis in work.analyses():
        luck.add(records[analysis.head.record], analysis)
    return luck, work.warnings


def luck_evaluator(opened: TournamentOpened, fixed: FixedEvaluator | None) -> Evaluator:
    """Return the evaluator that was fixed, or that of the ruleset. Raises `NoLuckError`."""
    try:
        game = rules_on_record(opened.ruleset, "tournament.jsonl:1")
        if fixed is None or not isinstance(game, TablesGame):
            return evaluator_for(game)
        evaluator = evaluator_named(fixed.name, game.rules)
    except (EvaluatorError, RecordError) as error:
        raise NoLuckError(error.said) from error
    if evaluator.sha256 != fixed.sha256:
        values = {"name": fixed.name, "fixed": fixed.sha256, "ours": evaluator.sha256}
        raise NoLuckError(Said("no_luck.other_version", values))
    return evaluator
