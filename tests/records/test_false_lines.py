"""No hash makes a false line true: what `arena verify` refuses and, if it takes no rules, docs/verify.mjs too."""

import hashlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from arena.records.confirmations import head_text
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.forgeries import LEDGER, Change, assert_refused, setting
from tests.fixtures.many_forgeries import line, originals, refit
from tests.fixtures.sample_runs import ONE_DIE, absent_run, joined, knockout, run_with, strict_run
from tests.fixtures.signed_run import key_of, public_key_of, with_heads
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import (
    FIXTURE,
    RECORD,
    TERMS,
    Files,
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    forge,
    lines_of,
    opened_tournament,
    pairs_attempt,
    run_of,
    small_run,
)
from tests.records import false_lines
from tests.records.false_lines import FalseLine
from tests.records.test_verifier_in_javascript import arena, node_in_turn, write

RUNS: dict[str, Callable[[], Files]] = {
    "small": small_run,
    "calls": lambda: run_with(called_attempt()),
    "brandubh": lambda: run_with(brandubh_attempt()),
    "agreed": lambda: run_with(agreed_attempt()),
    "pairs": lambda: run_with(pairs_attempt()),
    "withdrawal": strict_run,
    "absent": absent_run,
    "knockout": knockout,
    "newcomers": joined,
}


Tables = dict[str, dict[str, FalseLine]]


def cases(of_matches: Tables, of_tournaments: Tables) -> list[Any]:
    """Every false line, with its run, its record and the words of the refusal."""
    found = []
    for name, runs in ((RECORD, of_matches), (LEDGER, of_tournaments)):
        for run, changes in runs.items():
            for what, made in changes.items():
                change, told = made if isinstance(made, tuple) else (made, "")
                found.append(pytest.param(run, name, change, told, id=f"{run}: {what}"))
    return found


@pytest.mark.parametrize(
    ("run", "name", "change", "told"), cases(false_lines.MATCHES, false_lines.TOURNAMENTS)
)
def test_a_false_line_is_found_although_every_hash_fits(
    run: str, name: str, change: Change, told: str
) -> None:
    files = RUNS[run]()
    forged = forge(files, name, change)
    assert forged != files
    with by_these_rules(CALLER) if run == "calls" else nullcontext():
        error = assert_refused(forged, RECORD, "matches/", LEDGER, "tournament.toml")
    assert told in str(error)


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


Node = Callable[[Path], tuple[bool, str]]


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with node_in_turn() as ask:
        yield ask


def refused_by_both(node: Node, folder: Path, files: Files, rules: Any = None) -> None:
    """Both verifiers refuse a run."""
    is_in_order, why, _ = arena(files, rules)
    found, said = node(write(folder, files))
    assert not is_in_order
    assert not found, f"arena verify: {why}; verify.mjs: {said}"


@needs_node
@pytest.mark.parametrize(
    ("run", "name", "change", "_"),
    cases(false_lines.MATCHES_FOR_BOTH, false_lines.TOURNAMENTS_FOR_BOTH),
)
def test_a_false_line_is_found_by_both(
    node: Node, run: str, name: str, change: Change, _: str, tmp_path: Path
) -> None:
    """Dice from the seed do not help where they are not those of this turn, nor numbers that fit each other."""
    files = originals()[run]
    lines = lines_of(files[name])
    change(lines)
    refused_by_both(
        node,
        tmp_path,
        refit(files, name, [line(one) for one in lines]),
        ONE_DIE if run == "one die" else None,
    )


@needs_node
def test_a_match_too_many_is_refused(node: Node, tmp_path: Path) -> None:
    files = originals()["small"]
    for number, name in enumerate(("matches/r2-anna-v-bo.jsonl", "matches/r1-anna-v-bo")):
        refused_by_both(node, tmp_path / str(number), files | {name: files[RECORD]})


@needs_node
def test_a_second_key_of_the_operator_is_refused(node: Node, tmp_path: Path) -> None:
    """Each signature fits the key beside it; but a run has one key."""
    files = with_heads(originals()["signed"], heads=1)
    lines = files[LEDGER].splitlines()
    signed = b"".join(one + b"\n" for one in lines[:-2])
    head = {
        "lines": len(lines) - 2,
        "sha256": hashlib.sha256(signed).hexdigest(),
        "public_key": public_key_of("forger"),
    }
    head["signature"] = key_of("forger").sign(head_text(head["lines"], head["sha256"])).hex()
    another = line({"event": "head_signed", "v": 1, "at_ms": lines_of(signed)[-1]["at_ms"]} | head)
    refused_by_both(node, tmp_path, refit(files, LEDGER, [*lines[:-2], another, *lines[-2:]]))


def test_a_forgery_that_changes_nothing_is_in_order() -> None:
    for name in (LEDGER, RECORD):
        assert forge(small_run(), name, lambda _: None) == small_run()


def test_an_attempt_nobody_issued_is_found() -> None:
    files = small_run()
    more = Sitting(terms=TERMS, attempt=3)
    more.ready()
    more.void()
    assert_refused(files | {RECORD: attempt_record(more, files[RECORD])}, FIXTURE)
    lines = files[LEDGER].splitlines(keepends=True)
    assert_refused(files | {LEDGER: lines[0]}, FIXTURE)


@pytest.mark.parametrize(
    "ruleset", [{}, {"name": "vasa", "hash": "", "fields": 1}, {"fields": {"name": "vasa"}}]
)
def test_a_tournament_whose_ruleset_cannot_be_used_is_refused(ruleset: dict[str, Any]) -> None:
    files = run_of(opened_tournament(), is_finished=False)
    assert_refused(forge(files, LEDGER, setting("tournament_opened", ruleset=ruleset)), LEDGER)
