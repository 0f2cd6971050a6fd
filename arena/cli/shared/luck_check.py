"""Looking again for the luck that was found in a run, and comparing it with what is kept beside the records."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from arena.cli.shared.luck import NoLuckError, cores, luck_evaluator
from arena.records.analysed import Analysis, analysis_of
from arena.records.confirmations import Claim
from arena.records.facts import RecordClosed
from arena.records.files import analysis_file, match_record
from arena.records.lines import RecordError
from arena.records.luck import fixed_in
from arena.records.statistics import counted_of

if TYPE_CHECKING:
    from arena.records.facts import TournamentFact, TournamentOpened

AT_ONCE_TURNS: Final = 2000
"""Up to so many turns luck is looked for again unasked: some 5 s of processor time. A turn costs fifty times as much
as all the rest of its verification."""

NEAR: Final = 0.01
"""Points by which the luck of a roll may differ: another machine rounds the sums of a network otherwise."""


def luck_claim(
    run: Path, opened: TournamentOpened, facts: Sequence[TournamentFact], turns: int, *, is_asked: bool
) -> Claim | None:
    """Return the claim about the luck taken out; None unless an evaluator was fixed and all is over, or if asked.

    Raises `RecordError` if an analysis that is kept beside the records tells another luck than the evaluator does.
    """
    fixed = fixed_in(opened)
    if not is_asked and (fixed is None or not isinstance(facts[-1], RecordClosed)):
        return None
    settled = counted_of(opened, facts)
    since = "fixed before the first game" if fixed else "chosen afterwards"
    if not is_asked and turns > AT_ONCE_TURNS:
        by = f"not looked for again in {turns:,} turns; --luck does it, in some {turns / 400:.0f} s of processor time"
        return Claim(what="luck taken out", level="claimed", by=by)
    if not settled:
        return None
    try:
        evaluator = luck_evaluator(opened, fixed)
    except NoLuckError as error:
        return Claim(what="luck taken out", level="claimed", by=f"it cannot be looked for here: {error}")
    from arena.cli.shared.analysing import Analysing
    from arena.cli.shared.sources import source_of

    records = {match_record(fact.fixture) for fact in settled}
    source = source_of(run)
    work = Analysing(source, evaluator, 1, min(cores(), len(settled)), only=records, writes=False, reads=False)
    rolls = compared = 0
    for made in work.analyses():
        kept = analysis_of(source.files, made.head.record)
        rolls += len(made.rolls)
        if kept is not None and kept.head.evaluator_sha256 == evaluator.sha256:
            _compare(made, kept)
            compared += 1
    by = f"{evaluator.name} sha256:{evaluator.sha256[:12]}, {since}: luck of {rolls:,} rolls worked out again"
    beside = f"; as in the analyses kept of {compared} of {len(settled)} matches" if compared else ""
    return Claim(what="luck taken out", level="proven", by=by + beside)


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
