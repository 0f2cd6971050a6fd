"""docs/verify.mjs knows no rules, and finds every forgery of hashes, signatures and dice that `arena verify` finds."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from arena.records.lines import RecordError
from arena.records.snapshot import as_it_stands
from arena.records.verify import verify_run
from arena.server.setup.signing import is_signed
from tests.records.signed_run import LEDGER, another_history, signed_run, with_heads
from tests.records.small_run import RECORD, Files, forge

pytest.importorskip("cryptography", reason="the extra signing is not installed")
PROGRAM = Path(__file__).parents[2] / "docs" / "verify.mjs"
FAST, SLOW = 80, 1000
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
"""Runs the program anew for each folder that comes in, in one process: a new one takes ten times as long."""

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(folder: Path) -> tuple[bool, str]:
    """What the program in JavaScript says of a run folder."""
    line = ["node", str(PROGRAM), str(folder)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=False)
    assert done.stderr == ""
    return done.returncode == 0, done.stdout


def arena(files: Files) -> tuple[bool, str]:
    """What `arena verify` says: what is wrong, or the head."""
    try:
        return True, verify_run(as_it_stands(files), is_signed).head.sentence
    except RecordError as error:
        return False, str(error)


def write(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def edited(chance: random.Random, value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1, 7))
    if isinstance(value, str) and value:
        at = chance.randrange(len(value))
        return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], edited(chance, value[at]), *value[at + 1 :]]
    if isinstance(value, dict) and value:
        key = chance.choice(sorted(value))
        return value | {key: edited(chance, value[key])}
    return value


def forgery(chance: random.Random) -> tuple[str, Files]:
    """One forgery of a signed run, and what it is."""
    files = signed_run()
    name = chance.choice((RECORD, RECORD, LEDGER))
    lines = files[name].splitlines(keepends=True)
    one, two = chance.randrange(len(lines)), chance.randrange(len(lines))

    def edit(found: list[dict[str, Any]]) -> None:
        line = found[one]
        key = chance.choice(sorted(line.keys() - {"event", "v", "at_ms"}))
        line[key] = edited(chance, line[key])

    match chance.randrange(10):
        case 0:
            at = chance.randrange(len(files[name]))
            flipped = files[name][at] ^ chance.choice((1, 2, 4, 16))
            return "a byte", files | {name: files[name][:at] + bytes([flipped]) + files[name][at + 1 :]}
        case 1:
            changed = json.loads(lines[one])
            found = [changed]
            one = 0
            edit(found)
            lines[lines.index(files[name].splitlines(keepends=True)[two])] = (
                json.dumps(found[0], separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            )
            return "a line for another, edited", files | {name: b"".join(lines)}
        case 2:
            return "an edit, all hashes made to fit", forge(files, name, edit)
        case 3:
            one %= len(files[RECORD].splitlines())
            return "an edit of a match, signed with another key", with_heads(forge(files, RECORD, edit), "forger")
        case 4:
            kept = [*lines[:one], *lines[one + 1 :]]
            return "a line left out", files | {name: b"".join(kept)}
        case 5:
            lines[one], lines[two] = lines[two], lines[one]
            return "two lines the other way round", files | {name: b"".join(lines)}
        case 6:
            return "a file rolled back", files | {name: b"".join(lines[: max(1, one)])}
        case 7:
            ledger = files[LEDGER].splitlines(keepends=True)
            kept = ledger[: max(1, chance.randrange(len(ledger)))]
            cut = chance.randrange(len(files[RECORD]) + 1)
            return "both rolled back", files | {LEDGER: b"".join(kept), RECORD: files[RECORD][:cut]}
        case 8:
            return "the operator went on without the key", with_heads(files, heads=chance.randrange(3))
        case _:
            other = another_history()
            names = chance.choice(((RECORD,), (LEDGER,), (RECORD, LEDGER)))
            return "two histories of one match", files | {name: other[name] for name in names}


def compare(folder: Path, seeds: range) -> dict[bool, int]:
    """Both judge every forgery, and come to the same verdict; returns how many each is."""
    verdicts = {True: 0, False: 0}
    command = ["node", "--input-type=module", "--eval", IN_TURN, str(PROGRAM)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for seed in seeds:
            what, files = forgery(random.Random(seed))
            expected, why = arena(files)
            path = write(folder / str(seed), files)
            program.stdin.write(f"{path}\n")
            program.stdin.flush()
            found, said = json.loads(program.stdout.readline())
            assert found == expected, f"seed {seed}, {what}: arena verify: {why}; verify.mjs: {said}"
            assert not found or said.endswith(f"\nhead: {why}"), f"seed {seed}, {what}: {said}, expected: {why}"
            verdicts[found] += 1
            shutil.rmtree(path)
        program.stdin.close()
    return verdicts


def test_a_run_in_order_is_in_order(tmp_path: Path) -> None:
    """With all its hashes, signatures and rolls; and so is the other history."""
    for number, files in enumerate((signed_run(), another_history())):
        found, said = node(write(tmp_path / str(number), files))
        assert found, said
        assert "signatures" in said


def test_both_agree_on_forgeries(tmp_path: Path) -> None:
    """Edits, deletions, reorderings, rollbacks, two histories of one match."""
    verdicts = compare(tmp_path, range(FAST))
    assert verdicts[False] > FAST / 2


@pytest.mark.slow
def test_both_agree_on_a_thousand_forgeries(tmp_path: Path) -> None:
    """Some are in order: a run that was rolled back as a whole is a run that goes on."""
    verdicts = compare(tmp_path, range(FAST, FAST + SLOW))
    assert verdicts[False] > SLOW / 2
    assert verdicts[True] > 10


def test_it_is_short() -> None:
    """At most 200 lines, so that somebody can read it."""
    assert len(PROGRAM.read_text(encoding="utf-8").splitlines()) <= 200
