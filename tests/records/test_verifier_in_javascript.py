"""docs/verify.mjs knows no rules, and finds every forgery of hashes, signatures and dice that `arena verify` finds."""

import dataclasses
import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, get_args

import pytest

from arena.games import Game, ruleset_record
from arena.games.result import Result
from arena.matches.facts import Entrant, FixedEvaluator, Measured, Terms
from arena.matches.time_control import TimeControl
from arena.records.facts import MatchLine, StandingRow, TournamentFact
from arena.records.ladder_facts import EarlierDay
from arena.records.lines import RecordError
from arena.records.snapshot import as_it_stands
from arena.records.verify import verify_run
from arena.server.setup.credentials import is_signed
from arena.server.setup.plan_on_record import contradictions
from arena.tournaments.ladder_players import Player
from arena.words import say
from tests.fixtures.caller import by_these_rules
from tests.fixtures.many_forgeries import KINDS, forgery, originals
from tests.fixtures.signed_run import another_history
from tests.fixtures.sitting import VASA
from tests.fixtures.small_run import Files

PROGRAM = Path(__file__).parents[2] / "docs" / "verify.mjs"
LAST_LINE = "dice and hashes in order; moves and results are for arena verify"
FAST, SLOW = 75, 1000
IN_TURN = """
import { createInterface } from "node:readline";
const program = process.argv[1];
const print = console.log;
let said = [];
console.log = (text) => said.push(text);
let number = 0;
for await (const folder of createInterface({ input: process.stdin })) {
  process.argv = [process.argv[0], program, folder];
  [said, process.exitCode] = [[], 0];
  await import(`file://${program}?${number++}`);
  print(JSON.stringify([process.exitCode === 0, said.join("\\n")]));
}
process.exitCode = 0;
"""
"""Runs the program anew for each folder that comes in, in one process: a new one takes ten times as
long."""

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(folder: Path) -> tuple[bool, str]:
    """What the program in JavaScript says of a run folder."""
    line = ["node", str(PROGRAM), str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode == 0, done.stdout


@contextmanager
def node_in_turn() -> Iterator[Callable[[Path], tuple[bool, str]]]:
    """The same in one process for many run folders."""
    command = ["node", "--input-type=module", "--eval", IN_TURN, str(PROGRAM)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        asked, answers = program.stdin, program.stdout

        def ask(folder: Path) -> tuple[bool, str]:
            asked.write(f"{folder}\n")
            asked.flush()
            is_in_order, said = json.loads(answers.readline())
            return is_in_order, said

        yield ask


def arena(files: Files, rules: Game[Any] | None = None) -> tuple[bool, str, list[str]]:
    """What `arena verify` says: what is wrong, or the head, and who disputes a record."""
    try:
        with by_these_rules(rules) if rules else nullcontext():
            found = verify_run(as_it_stands(files), is_signed, contradictions=contradictions)
    except RecordError as error:
        return False, str(error), []
    return True, say(found.head.sentence), found.disputed_by


def disputed_by(said: str) -> list[str]:
    """Who disputes a record by what the program said."""
    return sorted(set(re.findall("^disputed by ([a-z]+): ", said, re.MULTILINE)))


def write(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def compare(folder: Path, seeds: range) -> Counter[str]:
    """Both judge every forgery; returns how many of each kind were refused by verify.mjs, or disputed by a bot."""
    caught: Counter[str] = Counter()
    with node_in_turn() as ask:
        for seed in seeds:
            forged = forgery(seed)
            is_in_order, why, disputed = arena(forged.files, forged.rules)
            path = write(folder / str(seed), forged.files)
            found, said = ask(path)
            shutil.rmtree(path)
            told = f"seed {seed}, {forged.what}: arena verify: {why}; verify.mjs: {said}"
            assert not is_in_order or forged.who != "arena", told
            assert found == is_in_order or forged.who == "arena", told
            assert found >= is_in_order, f"a false alarm, {told}"
            assert not found or forged.who != "both", told
            if found and is_in_order:
                assert said.endswith(f"\nhead: {why}\n{LAST_LINE}"), told
                assert disputed_by(said) == disputed, told
                assert disputed or forged.who != "signers", told
            caught[forged.what.partition(",")[0]] += not found or bool(disputed)
    return caught


def test_a_run_in_order_is_in_order(tmp_path: Path) -> None:
    for number, (name, files) in enumerate([*originals().items(), ("another", another_history())]):
        found, said = node(write(tmp_path / str(number), files))
        assert found, f"{name}: {said}"
        assert said.endswith(f"\n{LAST_LINE}\n")


def test_both_agree_on_forgeries(tmp_path: Path) -> None:
    caught = compare(tmp_path, range(FAST))
    assert set(caught) == set(KINDS)


@pytest.mark.soak
def test_both_agree_on_a_thousand_forgeries(tmp_path: Path) -> None:
    """What is for both is always caught; a run that was rolled back as a whole is a run that goes on."""
    caught = compare(tmp_path, range(FAST, FAST + SLOW))
    of_each = SLOW // len(KINDS)
    assert all(
        caught[kind] >= of_each
        for kind in ("a die", "chosen dice", "a number", "a hash", "another spelling")
    )
    assert caught["rolled back"] < of_each


def test_every_field_of_a_record_is_known() -> None:
    """In an order that holds in every line: a field that is added to the records has to be added there."""
    order = (
        PROGRAM.read_text(encoding="utf-8")
        .partition("const ORDER = `")[2]
        .partition("`")[0]
        .split()
    )
    lines = [
        ["event", *kind.__struct_fields__]
        for kind in (*get_args(MatchLine), *get_args(TournamentFact))
    ]
    inside = [
        list(kind.__struct_fields__)
        for kind in (
            Terms,
            TimeControl,
            Entrant,
            FixedEvaluator,
            Measured,
            StandingRow,
            Player,
            EarlierDay,
        )
    ]
    result = [field.name for field in dataclasses.fields(Result)]
    for shape in (*lines, *inside, result, list(ruleset_record(VASA))):
        rest = iter(order)
        assert all(name in rest for name in shape), shape
    assert set(order) == {
        name for shape in (*lines, *inside, result, ruleset_record(VASA)) for name in shape
    }


def test_it_is_short() -> None:
    """At most 400 lines, so that somebody can read it."""
    assert len(PROGRAM.read_text(encoding="utf-8").splitlines()) <= 400
