"""What is printed: no text steers a terminal or a spreadsheet, and a full disk is told in a sentence."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from arena.cli.shared.streams import csv_cells, visible
from tests.cli.conftest import Arena, lay_out
from tests.records.small_run import RECORD, Files, small_run

C0 = [chr(code) for code in (*range(32), 127) if chr(code) not in "\n\t"]
C1 = [chr(code) for code in range(128, 160)]
BIDI = [chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))]
OTHERS = ["\u2028", "\u2029", "\ufeff", "\U000e0041", "\udc9b"]
CONTROLS = "".join([*C0, *C1, *BIDI, *OTHERS])


def hostile_run(text: str = CONTROLS.replace("\udc9b", "")) -> Files:
    """The small run in its first attempt, with this version of a bot."""
    files = small_run()
    version = msgspec.json.encode(text)
    begun = files[RECORD][: files[RECORD].index(b'{"event":"dice_revealed"')]
    files[RECORD] = begun.replace(b'"version":"1"', b'"version":' + version)
    files["tournament.jsonl"] = b"".join(files["tournament.jsonl"].splitlines(keepends=True)[:2])
    return files


def assert_harmless(text: str) -> None:
    assert [one for one in text if one in CONTROLS] == []


@pytest.mark.parametrize("control", CONTROLS, ids=ascii)
def test_every_control_is_shown_as_its_code(control: str) -> None:
    """As JSON writes it, so that a line of JSON still says the same."""
    shown = visible(f"a{control}b")
    assert shown.isprintable()
    assert json.loads(f'"{shown}"') == f"a{control}b"


def test_what_can_be_seen_stays() -> None:
    text = "Bräde \u265f 1\t2\nr\u00e9sum\u00e9 \U0001f3b2"
    assert visible(text) is text or visible(text) == text


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_of_csv_is_a_formula(begin: str) -> None:
    """A text that could be one begins with an apostrophe; numbers stay numbers."""
    [text, number, nothing] = csv_cells([f"{begin}cmd|{CONTROLS}", -5, None])
    assert text.startswith("'")
    assert text.isprintable()
    assert (number, nothing) == (-5, None)


@pytest.mark.parametrize(
    "command",
    [
        ("verify", "run"),
        ("log", "run", "builds"),
        ("show", f"run/{RECORD}"),
        ("query", "run", "SELECT version FROM bots"),
        ("query", "run", "SELECT version FROM bots", "--csv"),
    ],
    ids=" ".join,
)
def test_no_command_prints_a_control_that_stands_in_a_record(
    here: Path, arena: Arena, command: tuple[str, ...]
) -> None:
    """Of somebody who has edited it; the arena does not write any, and does not read it either."""
    lay_out(here / "run", hostile_run())
    result = arena(*command)
    assert result.output
    assert_harmless(result.output.replace("\n", ""))
    assert "a text holds a control character" in result.output


def test_no_name_of_a_file_steers_the_terminal(here: Path, arena: Arena) -> None:
    """A record may come from anybody, with any name."""
    lay_out(here / "run", small_run())
    name = CONTROLS.replace("\x00", "")[:60]
    (here / "run" / "matches" / f"{name}.jsonl").write_bytes(b"")
    result = arena("verify", "run")
    assert result.exit_code == 1
    assert "not in order: matches/\\u0001" in result.stdout
    assert_harmless(result.output.replace("\n", ""))


def test_an_export_to_csv_holds_no_formula(here: Path, arena: Arena) -> None:
    """Whoever opens it in a spreadsheet sees what the bot said."""
    lay_out(here / "run", hostile_run("=cmd|"))
    assert arena("export", "run", "--to", "csv", "--out", "tables").exit_code == 0
    with (here / "tables" / "bots.csv").open(newline="", encoding="utf-8-sig") as file:
        [version] = {row["version"] for row in csv.DictReader(file)}
    assert version == "'=cmd|"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full disk to try")
@pytest.mark.parametrize(
    "command",
    ["--help", "rules list", "standings RUN", "log RUN slow-turns", "query RUN --csv", "verify RUN", "show RUN"],
)
@pytest.mark.parametrize("is_buffered", [True, False])
def test_a_full_disk_ends_a_command_with_a_sentence(run_folder: Path, command: str, *, is_buffered: bool) -> None:
    words = command.replace("RUN", str(run_folder)).split()
    environment = os.environ | {"PYTHONUNBUFFERED": "" if is_buffered else "1"}
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-m", "arena", *words],
            cwd=Path(__file__).parents[2],
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )
    assert (result.returncode, result.stderr) == (
        1,
        "Error: standard output cannot be written: No space left on device; make room, or name another file\n",
    )
