"""What is printed and read: no text steers a terminal, a full disk is a sentence, no strange file upsets a command."""

import csv
import json
import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.cli.shared.streams import GuardedStream, csv_cells, visible
from arena.person.arena_run import RunError, plan_in
from arena.services.plans import TournamentFileError, given_text
from tests.fixtures.asked_pages import write_run
from tests.fixtures.command_line import Arena
from tests.fixtures.small_run import RECORD, Files, small_run
from tests.strange_files import KINDS, Strange, soon_over

C0 = [chr(code) for code in (*range(32), 127) if chr(code) not in "\n\t"]
C1 = [chr(code) for code in range(128, 160)]
BIDI = [
    chr(code) for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
]
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
    write_run(here / "run", hostile_run())
    result = arena(*command)
    assert result.output
    assert_harmless(result.output.replace("\n", ""))
    assert "a text holds a control character" in result.output


def test_no_name_of_a_file_steers_the_terminal(here: Path, arena: Arena) -> None:
    write_run(here / "run", small_run())
    name = CONTROLS.replace("\x00", "")[:60]
    (here / "run" / "matches" / f"{name}.jsonl").write_bytes(b"")
    result = arena("verify", "run")
    assert result.exit_code == 1
    assert "not in order: matches/\\u0001" in result.stdout
    assert_harmless(result.output.replace("\n", ""))


def test_an_export_to_csv_holds_no_formula(here: Path, arena: Arena) -> None:
    """Whoever opens it in a spreadsheet sees what the bot said."""
    write_run(here / "run", hostile_run("=cmd|"))
    assert arena("export", "run", "--to", "csv", "--out", "tables").exit_code == 0
    with (here / "tables" / "bots.csv").open(newline="", encoding="utf-8-sig") as file:
        [version] = {row["version"] for row in csv.DictReader(file)}
    assert version == "'=cmd|"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no full disk to try")
@pytest.mark.parametrize(
    ("command", "is_buffered"),
    [
        *((command, True) for command in ("--help", "standings RUN", "query RUN --csv")),
        *((command, False) for command in ("--help", "verify RUN")),
        *(
            pytest.param(command, is_buffered, marks=pytest.mark.slow)
            for command, is_buffered in (
                ("rules list", True),
                ("show RUN", True),
                ("log RUN slow-turns", False),
            )
        ),
    ],
)
def test_a_full_disk_ends_a_command_with_a_sentence(
    run_folder: Path, command: str, *, is_buffered: bool
) -> None:
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


def test_a_terminal_that_is_closed_ends_no_command_in_the_middle() -> None:
    """SIGHUP ends it, in good order."""
    ours, its = pty.openpty()
    with os.fdopen(its, "w", encoding="utf-8") as terminal:
        guarded = GuardedStream(terminal, is_result=True)
        os.close(ours)
        guarded.write("nobody sees this\n")
        guarded.flush()
        guarded.write("nor this\n")
        guarded.flush()


# Commands that read somebody else's run: whatever is in the place of its files, they end with a
# sentence


COMMANDS = {
    "standings": ("standings", "{run}"),
    "stats": ("stats", "{run}"),
    "show": ("show", "{run}"),
    "show-match": ("show", "{run}/" + RECORD, "--no-boards"),
    "log": ("log", "{run}", "slow-turns"),
    "log-match": ("log", "{run}/" + RECORD, "games", "--json"),
    "verify": ("verify", "{run}", "--dice"),
    "report": ("report", "{run}"),
    "query": ("query", "{run}", "SELECT count(*) FROM turns"),
    "export": ("export", "{run}", "--out", "{out}"),
    "analyse": ("analyse", "{run}"),
    "luck": ("standings", "{run}", "--luck-adjusted"),
}
PLACES = (
    "tournament.jsonl",
    "tournament.toml",
    "matches",
    RECORD,
    "analysis",
    RECORD.replace("matches", "analysis"),
)
OURS = {
    "report.html": ("verify", "report"),
    "report.html.new": ("verify", "report"),
    RECORD.replace("matches", "analysis") + ".new": ("verify", "report", "analyse", "luck"),
}
"""What commands write there themselves: what stands there is met by those, and by one that looks at
all files."""


@pytest.fixture
def strange(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Strange]:
    """A run that is in order, until something is put there."""
    folder = tmp_path_factory.mktemp("strange")
    found = Strange(folder)
    for name, data in small_run().items():
        (found.run / name).parent.mkdir(exist_ok=True)
        (found.run / name).write_bytes(data)
    yield found
    shutil.rmtree(folder)


HALVES = (KINDS[::2], KINDS[1::2])


def meetings() -> Iterator[Any]:
    """Return every place with every command, and half of the kinds in turn: the other half is for the soak.

    With every command, and at every place, all kinds are met.
    """
    for number, name in enumerate((*PLACES, *OURS)):
        for half, command in enumerate(OURS.get(name, COMMANDS), number):
            yield pytest.param(name, command, HALVES[half % 2], id=f"{name}-{command}")
            yield pytest.param(
                name,
                command,
                HALVES[1 - half % 2],
                id=f"{name}-{command}-rest",
                marks=pytest.mark.soak,
            )


@pytest.mark.parametrize(("name", "command", "kinds"), [*meetings()])
def test_they_end_with_a_sentence(
    strange: Strange, name: str, command: str, kinds: tuple[str, ...]
) -> None:
    was = strange.run.parent / "was"
    shutil.copytree(strange.run, was)
    for kind in kinds:
        strange.put(kind, name)
        words = [
            part.format(run=strange.run, out=strange.run.parent / "out.sqlite")
            for part in COMMANDS[command]
        ]
        with soon_over():
            result = CliRunner().invoke(main, words, env={"COLUMNS": "200"})
        told = f"{kind} in place of {name}: {result.output}"
        assert result.exception is None or isinstance(result.exception, SystemExit), (
            f"{told}{result.exception!r}"
        )
        assert result.exit_code in (0, 1, 2), told
        assert result.exit_code == 0 or result.output.strip(), told
        strange.assert_unharmed()
        for path in strange.run.parent.glob("*"):
            if path.name in ("run", "out.sqlite") or path.name.startswith("was-"):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        shutil.copytree(was, strange.run)


@pytest.mark.parametrize("read", [given_text, plan_in])
@pytest.mark.parametrize("kind", KINDS)
def test_a_run_goes_on_with_a_tournament_file_of_its_own_alone(
    strange: Strange, read, kind: str
) -> None:
    strange.put(kind, "tournament.toml")
    with soon_over(), pytest.raises((TournamentFileError, RunError)):
        read(strange.run)
