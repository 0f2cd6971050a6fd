"""Taking the luck out of the results of a run: by which evaluator, and what is looked at for it."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.cli.shared.analysing import Analysing, strangers
from arena.cli.shared.language import told
from arena.cli.shared.output import tournament_of
from arena.cli.shared.sources import source_of
from arena.matches.facts import FixedEvaluator
from arena.records.analysed import Analysis, analysis_of
from arena.records.confirmations import Claim
from arena.records.facts import RecordClosed
from arena.records.files import analysis_file, match_record
from arena.records.lines import RecordError, rules_on_record
from arena.records.luck import LuckFound, LuckStatistics, fixed_in, luck_statistics
from arena.records.statistics import counted_of

if TYPE_CHECKING:
    from arena.analysis import Evaluator
    from arena.records.facts import FixtureSettled, TournamentFact, TournamentOpened


AT_ONCE_TURNS: Final = 2000
"""Up to so many turns luck is looked for again unasked: some 5 s of processor time. A turn costs fifty times as much
as all the rest of its verification."""

Luck = tuple[LuckStatistics | None, list[str]]
"""The statistics without luck, None where the raw figures are all there is, and what there is to say of them."""

NEAR: Final = 0.01
"""Points by which the luck of a roll may differ: another machine rounds the sums of a network otherwise."""


class NoLuckError(Exception):
    """Luck cannot be taken out; says why and what to do."""


def luck_taken_out(
    run: Path, opened: TournamentOpened, facts: Sequence[TournamentFact], *, is_wanted: bool, workers: int | None = None
) -> Luck:
    """Take the luck out of the matches that count. Raises `RecordError` if the records give no standings.

    What is missing is looked at now if it `is_wanted`, or if an evaluator was fixed and no bot shares the processor.
    """
    from arena.server.setup.run_folder import RunFiles

    settled, fixed = counted_of(opened, facts), fixed_in(opened)
    if not settled:
        return None, []
    warnings: list[str] = []
    known, files = LuckFound(evaluator=fixed), RunFiles(run)
    for fact in settled:
        known.take(fact, analysis_of(files, match_record(fact.fixture)))
    missing = len(settled) - len(known.matches)
    if missing and (is_wanted or (fixed and isinstance(facts[-1], RecordClosed))):
        try:
            known, warnings = luck_looked_for(run, settled, luck_evaluator(opened, fixed), workers)
        except NoLuckError as error:
            return None, [f"luck is not taken out: {error}"]
        missing = len(settled) - len(known.matches)
    elif missing and not fixed:
        return None, []
    if missing:
        left = f"luck is not taken out: {missing} of {len(settled)} matches are not analysed"
        how = "" if warnings else "; --luck-adjusted does it now, and takes processor time from bots that still play"
        return None, [*warnings, left + how]
    found = luck_statistics(opened, settled, known)
    return found, [*warnings, *map(told, found.notes if found else ())]


def luck_looked_for(
    run: Path, settled: Sequence[FixtureSettled], evaluator: Evaluator, workers: int | None = None
) -> tuple[LuckFound, list[str]]:
    """The luck in these fixtures, looked for where it is not known and kept beside the records, and what to warn of."""
    records = {match_record(fact.fixture): fact for fact in settled}
    source = source_of(run)
    work = Analysing(source, evaluator, 1, min(workers or _cores(), len(settled)), for_luck=True, only=records)
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


def luck_claims(run: Path, turns: int, *, is_asked: bool) -> list[Claim]:
    """Return the claim about the luck taken out; none unless an evaluator was fixed and all is over, or if asked.

    Raises `RecordError` if an analysis that is kept beside the records tells another luck than the evaluator does.
    """
    opened, facts = tournament_of(run)
    fixed = fixed_in(opened)
    if not is_asked and (fixed is None or not isinstance(facts[-1], RecordClosed)):
        return []
    settled = counted_of(opened, facts)
    since = "fixed before the first game" if fixed else "chosen afterwards"
    if not is_asked and turns > AT_ONCE_TURNS:
        by = f"not looked for again in {turns:,} turns; --luck does it, in some {turns / 400:.0f} s of processor time"
        return [Claim(what="luck taken out", level="claimed", by=by)]
    if not settled:
        return []
    try:
        evaluator = luck_evaluator(opened, fixed)
    except NoLuckError as error:
        return [Claim(what="luck taken out", level="claimed", by=f"it cannot be looked for here: {error}")]
    records = {match_record(fact.fixture) for fact in settled}
    source = source_of(run)
    work = Analysing(source, evaluator, 1, min(_cores(), len(settled)), only=records, writes=False, reads=False)
    rolls = compared = 0
    for made in work.analyses():
        kept = analysis_of(source.files, made.head.record)
        rolls += len(made.rolls)
        if kept is not None and kept.head.evaluator_sha256 == evaluator.sha256:
            _compare(made, kept)
            compared += 1
    by = f"{evaluator.name} sha256:{evaluator.sha256[:12]}, {since}: luck of {rolls:,} rolls worked out again"
    beside = f"; as in the analyses kept of {compared} of {len(settled)} matches" if compared else ""
    return [Claim(what="luck taken out", level="proven", by=by + beside)]


def _compare(made: Analysis, kept: Analysis) -> None:
    place = analysis_file(made.head.record)
    told = {(one.attempt, one.game, one.turn): one for one in kept.rolls}
    for one in made.rolls:
        other = told.pop((one.attempt, one.game, one.turn), None)
        if other is None:
            raise RecordError(place, f"the roll of game {one.game}, turn {one.turn} is missing; remove the file")
        is_near = math.isclose(one.luck, other.luck, abs_tol=NEAR)
        if not is_near or not math.isclose(one.win_luck, other.win_luck, abs_tol=NEAR):
            raise RecordError(
                place,
                f"the luck of the roll of game {one.game}, turn {one.turn} is {other.luck:+.3f} there, and "
                f"{one.luck:+.3f} by the evaluator; remove the file",
            )
    if told:
        raise RecordError(place, "it has rolls that the record does not have; remove the file")


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
