"""Standard output that is not UTF-8, such as a pipe on Windows: no command ends because of it."""

import io
import json
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from arena.cli import COMMANDS, main
from arena.cli.shared.streams import guarded_streams
from arena.shipped import shipped
from tests.cli.test_streams import hostile_run
from tests.fixtures.asked_pages import write_run
from tests.fixtures.small_run import RECORD, small_run

ENCODINGS = ("ascii", "latin-1", "cp1252")
VERSION = "東京 ± Åsa \U0001f3b2"
NAMES = [name for names in COMMANDS.values() for name in names]
PAGES = sorted(path.stem for path in shipped("docs").glob("*.md"))
READING = (
    ("standings", "run"),
    ("stats", "run"),
    ("show", "run"),
    ("show", "named/" + RECORD),
    ("log", "run", "matches"),
    ("log", "named", "builds"),
    ("query", "named", "SELECT version FROM bots"),
    ("query", "named", "SELECT version FROM bots", "--csv"),
    ("verify", "run"),
    ("rules", "list"),
    ("rules", "show", "--help"),
    ("check", "--list"),
    ("docs",),
    ("--language", "sv", "standings", "run"),
    ("--language", "sv", "verify", "run"),
)


def printed(encoding: str, *words: str) -> Result:
    """Run a command whose standard output has an encoding; a crash fails the test."""
    result = CliRunner(charset=encoding).invoke(main, words, prog_name="arena")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code in (0, 1), result.output
    assert result.output
    return result


@pytest.fixture
def runs(here: Path) -> None:
    write_run(here / "run", small_run())
    write_run(here / "named", hostile_run(VERSION))


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("words", READING, ids=" ".join)
@pytest.mark.usefixtures("runs")
def test_what_cannot_be_written_is_replaced(encoding: str, words: tuple[str, ...]) -> None:
    printed(encoding, *words)


@pytest.mark.usefixtures("here")
def test_every_help_text_and_page_can_be_read() -> None:
    for words in [
        ("--help",),
        *((name, "--help") for name in NAMES),
        *(("docs", page) for page in PAGES),
    ]:
        printed("ascii", *words)


@pytest.mark.usefixtures("runs")
def test_text_keeps_what_the_encoding_has() -> None:
    words = "query", "named", "SELECT version FROM bots WHERE version LIKE '%sa%'", "--csv"
    assert "?? ± Åsa ?" in printed("latin-1", *words).stdout
    assert "?? ? ?sa ?" in printed("ascii", *words).stdout
    assert VERSION in printed("utf-8", *words).stdout


@pytest.mark.usefixtures("runs")
def test_json_loses_nothing() -> None:
    facts = printed("ascii", "show", "named/" + RECORD, "--json").stdout.splitlines()
    logins = [json.loads(line) for line in facts if "bot_ready" in line]
    assert [login["entrant"]["version"] for login in logins] == [VERSION, VERSION]
    rows = printed("ascii", "query", "named", "SELECT version FROM bots", "--json").stdout
    assert VERSION in {json.loads(row)["version"] for row in rows.splitlines()}


def test_click_writes_through_the_guard_where_the_encoding_is_ascii(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would take a stream of its own for such an output, past the guard."""
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    with guarded_streams():
        click.echo("\x07 Br\u00e4de")
    assert written.getvalue() == b"\\u0007 Br?de\n"
