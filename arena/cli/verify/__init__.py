"""`arena verify`: check every record of a run."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from arena.cli.shared.language import translate, with_noun
from arena.cli.shared.output import (
    A_FILE,
    CHECK_FAILED,
    echo_json,
    fail,
    json_option,
    output,
    run_argument,
)
from arena.cli.verify.luck import luck_claims
from arena.records.files import TOURNAMENT_RECORD, VENUE_RECORD
from arena.services.sources import run_folder
from arena.words import say

if TYPE_CHECKING:
    from arena.records.confirmations import Claim, ReceiptLine
    from arena.records.dice_figures import DiceFigures
    from arena.records.lines import RecordError
    from arena.records.verify import Verified


QUESTIONS: Final = {
    "faces": "is every face as frequent?",
    "rolls": "is each of the 36 rolls?",
    "doubles": "is every sixth roll a double?",
    "runs": "do high and low dice come in streaks?",
    "neighbours": "does a die depend on the one before?",
}
"""Question that each test of the dice answers."""


@click.command()
@run_argument
@click.option(
    "--receipt",
    "receipt_files",
    multiple=True,
    type=A_FILE,
    metavar="FILE",
    help="A bot's receipts.jsonl: every receipt must fit the records of this run. May be repeated.",
)
@click.option(
    "--other-runs",
    is_flag=True,
    help="The receipts may be of other runs too: skip those with a dice commitment "
    "that this run does not have.",
)
@click.option(
    "--signed-by",
    "signers",
    multiple=True,
    metavar="[NAME=]KEY",
    help="Demand that entrant NAME has signed all its games, or the operator the record, "
    "with this public key.",
)
@click.option(
    "--head",
    "heads",
    multiple=True,
    metavar="LINES:SHA256",
    help="Demand that the record is, or goes on from, the one with this published head. "
    "May be repeated.",
)
@click.option(
    "--dice",
    "with_dice",
    is_flag=True,
    help="Show the counts of the dice, and whether they are unusual.",
)
@click.option(
    "--luck",
    "with_luck",
    is_flag=True,
    help="Compute the luck of every roll again, however long it takes.",
)
@json_option("Print one JSON object instead of a sentence.")
def command(
    run: Path,
    receipt_files: tuple[Path, ...],
    signers: tuple[str, ...],
    heads: tuple[str, ...],
    *,
    other_runs: bool,
    with_dice: bool,
    with_luck: bool,
    as_json: bool,
) -> None:
    """Recompute dice, legality, endings, points and standings of a RUN folder from its records.

    It computes every roll again from the revealed seed, judges every turn again, computes every
    clock again, compares every byte, and checks that tournament.toml agrees with the record.
    Exits 0 if all is in order, 1 with the first difference. What --dice shows about luck does not
    change that (docs/dice.md). Works while the run is going on, and after it was killed: then it
    checks the records up to their end, without a last line that is incomplete.

    A table says what is proven by recomputing it, what is confirmed by signatures in the records
    and by receipts of bots, what only the operator claims, and what a bot disputes (docs/trust.md).
    A dispute does not change the exit status.

    With --receipt the exit status is 1 if a receipt has no match in the run, for example because
    whole matches were removed. With --other-runs receipts may be of several runs, which are told
    apart by their dice commitments; then a missing match is not noticed.

    RUN may be the folder of a venue: then every run is checked, how each day of a ladder follows
    from the one before, and the entrants of the days against the log of the venue.

    If an evaluator was fixed for luck, luck is computed again in a run of up to 2,000 turns, and
    with --luck in any run.

    \b
    Examples:
      arena verify my-run
      arena verify my-run --dice
      arena verify venue
      arena verify my-run --luck
      arena verify my-run --receipt receipts.jsonl
      arena verify my-run --receipt receipts.jsonl --other-runs
      arena verify my-run --head 56:85e0f4a31d6c9b02e7f81c5d3a4b69708192a3b4c5d6e7f8091a2b3c4d5e6f70
      arena verify my-run \\
        --signed-by anna=7d28c49335da652cfa7d0efc8c9ab2385102e0e6cbe5513b887fe2b967e75d6c
    """
    from arena.records.dice_figures import figures_of
    from arena.records.lines import RecordError
    from arena.records.snapshot import is_unbegun
    from arena.server.setup.run_folder import RunFiles

    if run.is_file():
        run_folder(run)
    _check_heads(heads)
    if other_runs and not receipt_files:
        fail("--other-runs is about receipts; give --receipt FILE too")
    demands = (*receipt_files, *signers, *heads)
    if (run / VENUE_RECORD).exists():
        if demands or with_dice or with_luck:
            fail(f"{run} is a venue; give one of its runs to use these options")
        _check_venue(run, as_json=as_json)
        return
    if not demands and is_unbegun(RunFiles(run)):
        _print_unbegun(as_json=as_json)
        return
    try:
        files, verified = _verify(run, receipt_files, signers, heads, other_runs=other_runs)
        claims = [*verified.claims, *luck_claims(run, verified.turns, is_asked=with_luck)]
    except RecordError as error:
        _print_error(error, as_json=as_json)
        raise SystemExit(CHECK_FAILED) from None
    figures = figures_of(verified.dealt) if with_dice else None
    has_receipts = bool(receipt_files)
    if as_json:
        echo_json(_as_json(verified, claims, figures, has_receipts=has_receipts))
        return
    _print_verified(verified, has_receipts=has_receipts)
    _print_claims(files, verified, [*claims, _head_claim(verified, heads)])
    if figures is not None:
        _print_figures(figures)


def _check_venue(folder: Path, *, as_json: bool) -> None:
    from arena.cli.verify.venue import check_venue
    from arena.records.lines import RecordError

    try:
        check_venue(folder, as_json=as_json)
    except RecordError as error:
        _print_error(error, as_json=as_json)
        raise SystemExit(CHECK_FAILED) from None


def _print_error(error: RecordError, *, as_json: bool) -> None:
    from rich.text import Text

    if as_json:
        echo_json(
            {
                "verified": False,
                "where": error.where,
                "message": error.message,
            }
        )
    else:
        output().print(Text.assemble(("not in order", "red"), f": {error}"))


def _check_heads(heads: Sequence[str]) -> None:
    from arena.records.lines import LONGEST_NAME

    for text in heads:
        if re.fullmatch("[1-9][0-9]{0,8}:[0-9a-fA-F]{64}", text):
            continue
        shown = repr(text[:LONGEST_NAME])
        if len(text) > LONGEST_NAME:
            shown += "..."
        expected = "expected LINES:SHA256 with all 64 digits, as `arena verify` prints it"
        fail(f"--head {shown}: {expected}")


def _print_unbegun(*, as_json: bool) -> None:
    """Print that nothing was played, so that there is nothing to verify."""
    if as_json:
        counts = {
            "fixtures": 0,
            "scheduled": 0,
            "games": 0,
            "turns": 0,
        }
        echo_json(
            {
                "verified": True,
                "finished": False,
                **counts,
            }
        )
    else:
        reason = "the run was stopped before the first line of its record"
        output().print(f"nothing was played: {reason}")


def _print_verified(verified: Verified, *, has_receipts: bool) -> None:
    from rich.text import Text

    state = "finished"
    if not verified.is_finished:
        played = f"{verified.fixtures} of {verified.scheduled} matches played"
        state = f"not finished: {played}"
    matches = with_noun(verified.fixtures, "match", "matches")
    games, turns = with_noun(verified.games, "game"), with_noun(verified.turns, "turn")
    counts = f"{matches}, {games}, {turns}"
    output().print(Text.assemble(("in order", "green"), f": {counts}; the run is {state}"))
    if has_receipts:
        output().print(verified.receipts.sentence)


def _head_claim(verified: Verified, heads: Sequence[str]) -> Claim:
    from arena.records.confirmations import Claim

    head = verified.head.text
    if head in map(str.lower, heads):
        by = f"{head}; the published head, which you gave"
        return Claim(what="head", level="confirmed", by=by)
    by = f"{head}; compare it with the published head, or give that by --head"
    return Claim(what="head", level="claimed", by=by)


def _verify(
    run: Path,
    receipt_files: Sequence[Path],
    signers: Sequence[str],
    heads: Sequence[str],
    *,
    other_runs: bool,
) -> tuple[Mapping[str, bytes], Verified]:
    """Verify a run as it stands, with the demanded signatures and heads; raise `RecordError`."""
    from arena.records.confirmations import head_problem
    from arena.records.lines import RecordError
    from arena.records.snapshot import as_it_stands, is_unbegun
    from arena.records.verify import verify_run
    from arena.server.setup.credentials import is_signed
    from arena.server.setup.plan_on_record import contradictions
    from arena.server.setup.run_folder import RunFiles

    if is_unbegun(RunFiles(run)):
        raise RecordError(
            TOURNAMENT_RECORD,
            "nothing was played, so nothing here has a receipt, a signature or a head",
        )
    files = as_it_stands(RunFiles(run_folder(run)))
    receipts = _receipts(receipt_files)
    verified = verify_run(
        files,
        is_signed,
        receipts,
        other_runs=other_runs,
        contradictions=contradictions,
    )
    for signer in signers:
        _check_signer(run, verified, signer)
    for text in heads:
        problem = head_problem(files[TOURNAMENT_RECORD], text)
        if problem:
            raise RecordError(TOURNAMENT_RECORD, problem)
    return files, verified


def _receipts(paths: Sequence[Path]) -> list[tuple[str, ReceiptLine]]:
    from arena.records.confirmations import read_receipts
    from arena.records.lines import RecordError
    from arena.server.io.disk import read_lines

    receipts: list[tuple[str, ReceiptLine]] = []
    for path in paths:
        try:
            lines = read_lines(path)
        except OSError as error:
            raise RecordError(str(path), f"the file cannot be read: {error.strerror}") from error
        receipts += read_receipts(str(path), lines)
    return receipts


def _check_signer(run: Path, verified: Verified, signer: str) -> None:
    """Check that NAME=KEY has signed its games, or KEY the record; raise `RecordError`."""
    from arena.records.lines import RecordError

    name, _, key = signer.rpartition("=")
    if verified.signers.get(name) == key.lower():
        return
    if name:
        raise RecordError(str(run), f"{name} has not signed all its games with the key {key}")
    head = verified.head
    if head.public_key == key.lower() and not head.is_signed:
        signed = translate(head.signed)
        raise RecordError(str(run), f"the operator has not signed the whole record: it is {signed}")
    raise RecordError(str(run), f"the operator has not signed the record with the key {key}")


def _print_claims(files: Mapping[str, bytes], verified: Verified, claims: Sequence[Claim]) -> None:
    """Print who disputes the run, which lines were left out, and the table of claims."""
    from rich.text import Text

    from arena.cli.shared.tables import plain_table
    from arena.records.snapshot import Snapshot
    from arena.records.tabulate import names_in
    from arena.tournaments.names import join_names

    names = names_in(files)
    if verified.disputed_by:
        disputants = [names.get(entrant, entrant) for entrant in verified.disputed_by]
        who = join_names(disputants, last=" and ")
        output().print(Text.assemble((f"disputed by {who}", "yellow"), "; the table says what"))
    if isinstance(files, Snapshot):
        for name in sorted(files.torn):
            output().print(f"left out: the last line of {name}, which is incomplete")
    if not verified.games:
        output().print("there is nothing to prove yet: no match has been played to its end")
    shown = plain_table("What is known", "what", "level", "by")
    shown.columns[1].no_wrap, shown.columns[2].overflow = True, "fold"
    for claim in claims:
        subject = claim.what
        if claim.entrant is not None:
            name = names.get(claim.entrant, claim.entrant)
            subject = subject.removesuffix(claim.entrant) + name
        shown.add_row(subject, claim.level, claim.by)
    output().print(shown)


def _as_json(
    verified: Verified,
    claims: Sequence[Claim],
    figures: DiceFigures | None,
    *,
    has_receipts: bool,
) -> dict[str, Any]:
    """Return the verdict on a run as one JSON object."""
    claimed = [
        {
            "what": claim.what,
            "level": claim.level,
            "by": claim.by,
        }
        for claim in claims
    ]
    entry = {
        "verified": True,
        "finished": verified.is_finished,
        "fixtures": verified.fixtures,
        "scheduled": verified.scheduled,
        "games": verified.games,
        "turns": verified.turns,
        "head": {"lines": verified.head.lines, "sha256": verified.head.sha256},
        "claims": claimed,
        "disputed_by": verified.disputed_by,
    }
    if has_receipts:
        entry["receipts"] = dataclasses.asdict(verified.receipts)
    if figures is not None:
        entry["dice"] = _dice_as_json(figures)
    return entry


def _dice_as_json(figures: DiceFigures) -> dict[str, Any]:
    """Return the figures as one JSON object; a statistic without bounds is null."""
    tests = []
    for test in figures.tests:
        statistic = None
        if math.isfinite(test.statistic):
            statistic = round(test.statistic, 4)
        entry = {
            "name": test.name,
            "statistic": statistic,
            "degrees_of_freedom": test.freedom,
            "p": test.p,
        }
        tests.append(entry)
    return {
        "dice": figures.dice,
        "faces": list(figures.faces),
        "rolls": figures.rolls,
        "doubles": figures.doubles,
        "tests": tests,
        "chance_of_odder": figures.chance_of_odder,
        "sentence": say(figures.sentence),
    }


def _print_figures(figures: DiceFigures) -> None:
    console = output()
    faces = ", ".join(f"{face}: {count:,}" for face, count in enumerate(figures.faces, 1))
    console.print(
        f"\n{figures.dice:,} dice ({faces}); {figures.doubles:,} doubles in {figures.rolls:,} rolls"
    )
    if figures.tests:
        _print_tests(figures)
    console.print(translate(figures.sentence))
    if figures.tests:
        console.print(
            "p: how often fair dice look at least as odd by this test. "
            "A p-value proves nothing, good or bad;"
        )
        console.print("that every roll follows from its committed seed has been checked above.")


def _print_tests(figures: DiceFigures) -> None:
    from arena.cli.shared.tables import plain_table

    shown = plain_table("Dice", "test", "question", numbers=("statistic", "p"))
    for column in shown.columns:
        column.no_wrap = True
    for test in figures.tests:
        statistic = f"{test.statistic:+.2f} sd"
        if test.freedom is not None:
            statistic = f"{test.statistic:.2f} ({test.freedom} df)"
        shown.add_row(test.name, QUESTIONS[test.name], statistic, f"{test.p:.4f}")
    output().print(shown)
