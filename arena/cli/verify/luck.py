"""Luck in `arena verify`: the luck of every roll is computed again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.records.files import analysis_file, match_record
from arena.services.sources import source_of, tournament_of

if TYPE_CHECKING:
    from arena.analysis import Evaluator
    from arena.records.analysed import Analysis
    from arena.records.confirmations import Claim
    from arena.records.facts import FixtureSettled

AT_ONCE_TURNS: Final = 2000
"""Most turns of a run whose luck is computed again without --luck: some 5 s of processor time.

A turn costs fifty times as much as all other checks of it."""

NEAR: Final = 0.01
"""Points by which the luck of a roll may differ: machines round the sums of a network
differently."""


def luck_claims(run: Path, turns: int, *, is_asked: bool) -> list[Claim]:
    """Return the claim about luck; empty unless --luck asks, or luck was fixed and all is over.

    Raises `RecordError` if an analysis that is kept beside the records has another luck than the
    evaluator.
    """
    from arena.records.confirmations import Claim
    from arena.records.facts import RecordClosed
    from arena.records.luck import fixed_in
    from arena.records.statistics import counted_of
    from arena.services.luck import NoLuckError, luck_evaluator

    opened, facts = tournament_of(run)
    fixed = fixed_in(opened)
    is_due = fixed is not None and isinstance(facts[-1], RecordClosed)
    if not is_asked and not is_due:
        return []
    settled = counted_of(opened, facts)
    if not is_asked and turns > AT_ONCE_TURNS:
        cost = f"--luck does it, in some {turns / 400:.0f} s of processor time"
        by = f"not computed again in {turns:,} turns; {cost}"
        return [Claim(what="luck taken out", level="claimed", by=by)]
    if not settled:
        return []
    try:
        evaluator = luck_evaluator(opened, fixed)
    except NoLuckError as error:
        by = f"it cannot be computed here: {error}"
        return [Claim(what="luck taken out", level="claimed", by=by)]
    rolls, compared = _compute_luck(run, settled, evaluator)
    since = "fixed before the first game" if fixed else "chosen afterwards"
    judge = f"{evaluator.name} sha256:{evaluator.sha256[:12]}, {since}"
    by = f"{judge}: luck of {rolls:,} rolls computed again"
    if compared:
        by += f"; as in the analyses kept of {compared} of {len(settled)} matches"
    return [Claim(what="luck taken out", level="proven", by=by)]


def _compute_luck(
    run: Path,
    settled: Sequence[FixtureSettled],
    evaluator: Evaluator,
) -> tuple[int, int]:
    """Compute the luck of matches again, and compare it with the analyses that are kept.

    Return the number of rolls, and of matches with such an analysis.
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.records.analysed import analysis_of
    from arena.server.programs.cpu_share import CORES
    from arena.services.analysing import Analysing

    records = {match_record(fact.fixture) for fact in settled}
    source = source_of(run)
    workers = min(CORES, len(settled))
    work = Analysing(source, evaluator, 1, workers, only=records, writes=False, reads=False)
    rolls = compared = 0
    with bar_of_analysis() as work.tell:
        for analysis in work.analyses():
            kept = analysis_of(source.files, analysis.head.record)
            rolls += len(analysis.rolls)
            if kept is not None and kept.head.evaluator_sha256 == evaluator.sha256:
                _compare(analysis, kept)
                compared += 1
    return rolls, compared


def _compare(analysis: Analysis, kept: Analysis) -> None:
    """Check that a kept analysis has the luck of this one; raise `RecordError`."""
    from arena.records.lines import RecordError

    place = analysis_file(analysis.head.record)
    unmatched = {(roll.attempt, roll.game, roll.turn): roll for roll in kept.rolls}
    for roll in analysis.rolls:
        where = f"the roll of game {roll.game}, turn {roll.turn}"
        recorded = unmatched.pop((roll.attempt, roll.game, roll.turn), None)
        if recorded is None:
            raise RecordError(place, f"{where} is missing; remove the file")
        is_near = math.isclose(roll.luck, recorded.luck, abs_tol=NEAR)
        if not is_near or not math.isclose(roll.win_luck, recorded.win_luck, abs_tol=NEAR):
            raise RecordError(
                place,
                f"the luck of {where} is {recorded.luck:+.3f} there, and "
                f"{roll.luck:+.3f} by the evaluator; remove the file",
            )
    if unmatched:
        raise RecordError(place, "it has rolls that the record does not have; remove the file")
