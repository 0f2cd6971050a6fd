"""`arena verify`: check every record of a run."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import counted, told
from arena.cli.shared.output import (
    A_FILE,
    CHECK_FAILED,
    echo_json,
    fail,
    json_option,
    output,
    run_argument,
)
from arena.records.files import TOURNAMENT_RECORD
from arena.services.sources import run_folder, tournament_of
from arena.words import say

if TYPE_CHECKING:
    from arena.records.analysed import Analysis
    from arena.records.confirmations import Claim
    from arena.records.dice_figures import DiceFigures
    from arena.records.verify import Verified


AT_ONCE_TURNS: Final = 2000
"""Up to so many turns luck is looked for again unasked: some 5 s of processor time. A turn costs
fifty times as much as all the rest of its verification."""

NEAR: Final = 0.01
"""Points by which the luck of a roll may differ: another machine rounds the sums of a network
otherwise."""


@click.command()
@run_argument
@click.option(
    "--receipt",
    "receipt_files",
    multiple=True,
    type=A_FILE,
    metavar="FILE",
    help="A bot's receipts.jsonl: every receipt must fit the records of this run. May be given again.",
)
@click.option(
    "--other-runs",
    is_flag=True,
    help="The receipts may be of other runs too: pass over those whose dice commitment this run does not have.",
)
@click.option(
    "--signed-by",
    "wanted",
    multiple=True,
    metavar="[NAME=]KEY",
    help="Demand that entrant NAME has signed all its games, or the operator the record, with this public key.",
)
@click.option(
    "--head",
    "heads",
    multiple=True,
    metavar="LINES:SHA256",
    help="Demand that the record is, or goes on from, the one with this published head. May be given again.",
)
@click.option(
    "--dice",
    "with_dice",
    is_flag=True,
    help="Show how the dice of the run fell, and whether that is odd.",
)
@click.option(
    "--luck",
    "with_luck",
    is_flag=True,
    help="Look for the luck of every roll again, however long it takes.",
)
@json_option("Print one JSON object instead of a sentence.")
def command(
    run: Path,
    receipt_files: tuple[Path, ...],
    wanted: tuple[str, ...],
    heads: tuple[str, ...],
    *,
    other_runs: bool,
    with_dice: bool,
    with_luck: bool,
    as_json: bool,
) -> None:
    """Recompute dice, legality, endings, points and standings of a RUN folder from its records.

    It works out every roll again from the revealed seed, judges every turn again, computes every
    clock again, compares every byte, and reads whether tournament.toml says what the record says.
    Exits 0 if all is in order, 1 with the first difference. What --dice shows about luck does not
    change that (docs/dice.md). Works while the run is going on, and after it was killed: then it
    checks the run as far as it goes, without a last line that is incomplete.

    A table says what is proven by recomputing it, what is confirmed by signatures in the records
    and by receipts of bots, what only the operator claims, and what a bot disputes (docs/trust.md).
    A dispute does not change the exit status.

    With --receipt the exit status is 1 if a receipt has no match in the run, as when whole matches
    were taken out of it. With --other-runs receipts may be of several runs, which their dice
    commitments tell apart; then a match that is missing is not noticed.

    Where an evaluator was fixed for luck, that is looked for again in a run of up to 2,000 turns,
    and with --luck in any run.

    \b
    Examples:
      arena verify my-run
      arena verify my-run --dice
      arena verify my-run --luck
      arena verify my-run --receipt receipts.jsonl
      arena verify my-run --receipt receipts.jsonl --other-runs
      arena verify my-run --head 56:85e0f4a31d6c9b02e7f81c5d3a4b69708192a3b4c5d6e7f8091a2b3c4d5e6f70
      arena verify my-run --signed-by anna=7d28c49335da652cfa7d0efc8c9ab2385102e0e6cbe5513b887fe2b967e75d6c
    """
    from rich.text import Text

    from arena.records.confirmations import Claim
    from arena.records.dice_figures import figures_of
    from arena.records.lines import LONGEST_NAME, RecordError
    from arena.records.snapshot import Snapshot, is_unbegun
    from arena.records.tabulate import names_in
    from arena.server.setup.run_folder import RunFiles
    from arena.tournaments.names import listed

    if run.is_file():
        run_folder(run)
    for text in heads:
        if not re.fullmatch("[1-9][0-9]{0,8}:[0-9a-fA-F]{64}", text):
            shown = repr(text[:LONGEST_NAME]) + ("..." if len(text) > LONGEST_NAME else "")
            fail(
                f"--head {shown}: expected LINES:SHA256 with all 64 digits, as `arena verify` prints it"
            )
    if other_runs and not receipt_files:
        fail("--other-runs is about receipts; give --receipt FILE too")
    if is_unbegun(RunFiles(run)) and not (receipt_files or wanted or heads):
        if as_json:
            nothing = {
                "verified": True,
                "finished": False,
                "fixtures": 0,
                "scheduled": 0,
                "games": 0,
                "turns": 0,
            }
            echo_json(nothing)
        else:
            output().print(
                "nothing was played: the run was stopped before the first line of its record"
            )
        return
    try:
        files, found = _verified(run, receipt_files, wanted, heads, other_runs=other_runs)
        claims = [*found.claims, *_luck_claims(run, found.turns, is_asked=with_luck)]
    except RecordError as error:
        if as_json:
            echo_json({"verified": False, "where": error.where, "message": error.message})
        else:
            output().print(Text.assemble(("not in order", "red"), f": {error}"))
        raise SystemExit(CHECK_FAILED) from None
    figures = figures_of(found.dealt) if with_dice else None
    if as_json:
        facts: dict[str, Any] = {
            "fixtures": found.fixtures,
            "scheduled": found.scheduled,
            "games": found.games,
            "turns": found.turns,
            "head": {"lines": found.head.lines, "sha256": found.head.sha256},
            "claims": [{"what": one.what, "level": one.level, "by": one.by} for one in claims],
            "disputed_by": found.disputed_by,
        }
        if receipt_files:
            facts["receipts"] = dataclasses.asdict(found.receipts)
        if figures is not None:
            facts["dice"] = _plain(figures)
        echo_json({"verified": True, "finished": found.is_finished, **facts})
        return
    state = (
        "finished"
        if found.is_finished
        else f"not finished: {found.fixtures} of {found.scheduled} matches played"
    )
    matches = counted(found.fixtures, "match", "matches")
    counts = f"{matches}, {counted(found.games, 'game')}, {counted(found.turns, 'turn')}"
    output().print(Text.assemble(("in order", "green"), f": {counts}; the run is {state}"))
    names = names_in(files)
    if receipt_files:
        output().print(found.receipts.sentence)
    if found.disputed_by:
        who = listed([names.get(one, one) for one in found.disputed_by], last=" and ")
        output().print(Text.assemble((f"disputed by {who}", "yellow"), "; the table says what"))
    for name in sorted(files.torn) if isinstance(files, Snapshot) else ():
        output().print(f"left out: the last line of {name}, which is incomplete")
    if not found.games:
        output().print("there is nothing to prove yet: no match has been played to its end")
    fits = found.head.text in [head.lower() for head in heads]
    by = (
        "the published head, which you gave"
        if fits
        else "compare it with the published head, or give that by --head"
    )
    head = Claim(
        what="head", level="confirmed" if fits else "claimed", by=f"{found.head.text}; {by}"
    )
    _print_claims([*claims, head], names)
    if figures is not None:
        _print_figures(figures)


def _verified(
    run: Path,
    receipt_files: Sequence[Path],
    wanted: Sequence[str],
    heads: Sequence[str],
    *,
    other_runs: bool,
) -> tuple[Mapping[str, bytes], Verified]:
    """Verify a run as it stands, and that it has the demanded signatures and heads; raises `RecordError`."""
    from arena.records.confirmations import head_problem, read_receipts
    from arena.records.lines import RecordError
    from arena.records.snapshot import as_it_stands, is_unbegun
    from arena.records.verify import verify_run
    from arena.server.io.disk import read_lines
    from arena.server.setup.credentials import is_signed
    from arena.server.setup.plan_on_record import contradictions
    from arena.server.setup.run_folder import RunFiles

    if is_unbegun(RunFiles(run)):
        raise RecordError(
            TOURNAMENT_RECORD,
            "nothing was played, so nothing here has a receipt, a signature or a head",
        )
    files = as_it_stands(RunFiles(run_folder(run)))
    receipts = []
    for path in receipt_files:
        try:
            lines = read_lines(path)
        except OSError as error:
            raise RecordError(str(path), f"the file cannot be read: {error.strerror}") from error
        receipts += read_receipts(str(path), lines)
    found = verify_run(
        files, is_signed, receipts, other_runs=other_runs, contradictions=contradictions
    )
    for name, _, key in (one.rpartition("=") for one in wanted):
        if found.signers.get(name) != key.lower():
            if not name and found.head.public_key == key.lower() and not found.head.is_signed:
                signed = told(found.head.signed)
                raise RecordError(
                    str(run), f"the operator has not signed the whole record: it is {signed}"
                )
            what = (
                f"{name} has not signed all its games"
                if name
                else "the operator has not signed the record"
            )
            raise RecordError(str(run), f"{what} with the key {key}")
    for text in heads:
        if problem := head_problem(files[TOURNAMENT_RECORD], text):
            raise RecordError(TOURNAMENT_RECORD, problem)
    return files, found


def _print_claims(claims: Sequence[Claim], names: Mapping[str, str]) -> None:

    from arena.cli.shared.tables import plain_table

    shown = plain_table("What is known", "what", "level", "by")
    shown.columns[1].no_wrap, shown.columns[2].overflow = True, "fold"
    for claim in claims:
        what = claim.what
        if claim.entrant is not None:
            what = what.removesuffix(claim.entrant) + names.get(claim.entrant, claim.entrant)
        shown.add_row(what, claim.level, claim.by)
    output().print(shown)


def _plain(figures: DiceFigures) -> dict[str, Any]:
    """The figures as one JSON object; a statistic without bounds is null."""
    return {
        "dice": figures.dice,
        "faces": list(figures.faces),
        "rolls": figures.rolls,
        "doubles": figures.doubles,
        "tests": [
            {
                "name": test.name,
                "statistic": round(test.statistic, 4) if math.isfinite(test.statistic) else None,
                "degrees_of_freedom": test.freedom,
                "p": test.p,
            }
            for test in figures.tests
        ],
        "chance_of_odder": figures.chance_of_odder,
        "sentence": say(figures.sentence),
    }


def _print_figures(figures: DiceFigures) -> None:
    from arena.cli.shared.tables import plain_table

    asked = {
        "faces": "is every face as frequent?",
        "rolls": "is each of the 36 rolls?",
        "doubles": "is every sixth roll a double?",
        "runs": "do high and low dice come in streaks?",
        "neighbours": "does a die depend on the one before?",
    }
    console = output()
    faces = ", ".join(f"{face}: {count:,}" for face, count in enumerate(figures.faces, 1))
    console.print(
        f"\n{figures.dice:,} dice ({faces}); {figures.doubles:,} doubles in {figures.rolls:,} rolls"
    )
    if figures.tests:
        shown = plain_table("Dice", "test", "question", numbers=("statistic", "p"))
        for column in shown.columns:
            column.no_wrap = True
        for test in figures.tests:
            value = (
                f"{test.statistic:+.2f} sd"
                if test.freedom is None
                else f"{test.statistic:.2f} ({test.freedom} df)"
            )
            shown.add_row(test.name, asked[test.name], value, f"{test.p:.4f}")
        console.print(shown)
    console.print(told(figures.sentence))
    if figures.tests:
        console.print(
            "p: how often fair dice look at least as odd by this test. A p-value proves nothing, good or bad;"
        )
        console.print("that every roll follows from its committed seed has been checked above.")


def _luck_claims(run: Path, turns: int, *, is_asked: bool) -> list[Claim]:
    """Return the claim about the luck taken out; none unless an evaluator was fixed and all is over, or if asked.

    Raises `RecordError` if an analysis that is kept beside the records tells another luck than the
    evaluator does.
    """
    from arena.cli.shared.bars import bar_of_analysis
    from arena.records.analysed import analysis_of
    from arena.records.confirmations import Claim
    from arena.records.facts import RecordClosed
    from arena.records.files import match_record
    from arena.records.luck import fixed_in
    from arena.records.statistics import counted_of
    from arena.server.programs.cpu_share import CORES
    from arena.services.analysing import Analysing
    from arena.services.luck import NoLuckError, luck_evaluator
    from arena.services.sources import source_of

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
        return [
            Claim(
                what="luck taken out", level="claimed", by=f"it cannot be looked for here: {error}"
            )
        ]
    records = {match_record(fact.fixture) for fact in settled}
    source = source_of(run)
    work = Analysing(
        source, evaluator, 1, min(CORES, len(settled)), only=records, writes=False, reads=False
    )
    rolls = compared = 0
    with bar_of_analysis() as work.tell:
        for made in work.analyses():
            kept = analysis_of(source.files, made.head.record)
            rolls += len(made.rolls)
            if kept is not None and kept.head.evaluator_sha256 == evaluator.sha256:
                _compare(made, kept)
                compared += 1
    by = f"{evaluator.name} sha256:{evaluator.sha256[:12]}, {since}: luck of {rolls:,} rolls worked out again"
    beside = (
        f"; as in the analyses kept of {compared} of {len(settled)} matches" if compared else ""
    )
    return [Claim(what="luck taken out", level="proven", by=by + beside)]


def _compare(made: Analysis, kept: Analysis) -> None:
    from arena.records.files import analysis_file
    from arena.records.lines import RecordError

    place = analysis_file(made.head.record)
    told = {(one.attempt, one.game, one.turn): one for one in kept.rolls}
    for one in made.rolls:
        other = told.pop((one.attempt, one.game, one.turn), None)
        if other is None:
            raise RecordError(
                place, f"the roll of game {one.game}, turn {one.turn} is missing; remove the file"
            )
        is_near = math.isclose(one.luck, other.luck, abs_tol=NEAR)
        if not is_near or not math.isclose(one.win_luck, other.win_luck, abs_tol=NEAR):
            raise RecordError(
                place,
                f"the luck of the roll of game {one.game}, turn {one.turn} is {other.luck:+.3f} there, and "
                f"{one.luck:+.3f} by the evaluator; remove the file",
            )
    if told:
        raise RecordError(place, "it has rolls that the record does not have; remove the file")
