"""The commands that show a run as pages, `arena report` and `arena watch`: what they write, refuse, say."""

import socket
from pathlib import Path

import pytest

from arena.cli.shared.pages import Serving, open_place
from arena.cli.watch import _delay, _pages_for
from arena.services.sources import SourceError
from tests.fixtures.command_line import Arena
from tests.fixtures.small_run import RECORD


def test_the_report_is_written_into_the_run_folder(arena: Arena, run_folder: Path) -> None:
    found = arena("report", run_folder)
    assert found.exit_code == 0
    assert found.stdout.startswith(f"{run_folder / 'report.html'}  (")
    assert found.stderr == ""
    assert (run_folder / "report.html").read_text().startswith("<!doctype html>")
    assert arena("verify", run_folder).exit_code == 0, "a report in the folder is no record"


def test_a_report_is_written_again_and_nothing_else_is_written_over(
    arena: Arena, run_folder: Path
) -> None:
    target = run_folder.parent / "page.html"
    assert arena("report", run_folder, "--out", target).exit_code == 0
    assert arena("report", run_folder, "--out", target).exit_code == 0
    target.write_text("<!doctype html>my own page")
    found = arena("report", run_folder, "--out", target)
    assert found.exit_code == 2
    assert found.stderr == (
        f"Error: {target} exists and is not a report; give --out another name, or --force to write over it\n"
    )
    assert target.read_text() == "<!doctype html>my own page"
    assert arena("report", run_folder, "--out", target, "--force").exit_code == 0
    assert 'content="arena report"' in target.read_text()


def test_the_command_says_which_games_are_left_out(arena: Arena, run_folder: Path) -> None:
    assert arena("report", run_folder, "--games", "2").stderr == (
        "2 of 4 games can be played through in the report; --games all includes all, --games N another number\n"
    )
    for choice in ("none", "forfeits", "all"):
        assert arena("report", run_folder, "--games", choice).stderr == ""


def test_the_report_of_a_run_that_is_not_in_order_says_so(arena: Arena, run_folder: Path) -> None:
    record = run_folder / RECORD
    record.write_bytes(record.read_bytes().replace(b'"spent_ms":150', b'"spent_ms":151'))
    assert arena("report", run_folder).exit_code == 1
    record.write_bytes(record.read_bytes().rstrip(b"\n").rpartition(b"\n")[0] + b"\n")
    found = arena("report", run_folder)
    assert found.exit_code == 1
    assert "the records are not in order, as the report says too: matches/" in found.stderr
    assert "not in order" in (run_folder / "report.html").read_text()
    assert arena("report", run_folder, "--no-audit").exit_code == 0


def test_unreadable_records_are_named_without_the_audit_too(arena: Arena, run_folder: Path) -> None:
    (run_folder / RECORD).unlink()
    found = arena("report", run_folder, "--no-audit")
    assert (
        found.exit_code,
        f"{RECORD}: the record of a settled match is missing" in found.stderr,
    ) == (1, True)


def test_without_a_tournament_record_there_is_no_report(arena: Arena, run_folder: Path) -> None:
    (run_folder / "tournament.jsonl").write_bytes(b"nonsense\n")
    found = arena("report", run_folder)
    assert (found.exit_code, "tournament.jsonl:1: not a line of this record" in found.stderr) == (
        1,
        True,
    )
    assert not (run_folder / "report.html").exists()


def test_a_port_in_use_is_refused(arena: Arena, run_folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        result = arena("watch", run_folder, "--listen", f"127.0.0.1:{taken.getsockname()[1]}")
    assert (result.exit_code, "Address already in use; give another port" in result.stderr) == (
        2,
        True,
    )


def test_a_port_of_persons_that_is_taken_is_told_before_anything_begins(
    here: Path, arena: Arena
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        pages = f"127.0.0.1:{taken.getsockname()[1]}"
        fields = ("--set", "clock.bank_ms=900000", "--set", f"listen.pages={pages}")
        result = arena("run", "--person", "Anna", "--person", "Bo", *fields, "--out", "run")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: [listen] pages: cannot serve pages on 127.0.0.1 port ")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("serving", "is_warned"),
    [
        ({"listen": "127.0.0.1:0"}, True),
        ({"listen": "127.0.0.1:0", "hosts": ("arena.example",)}, False),
        ({"listen": "127.0.0.1:0", "is_behind_proxy": False}, False),
        ({"listen": "0.0.0.0:0"}, False),
    ],
)
def test_a_proxy_in_front_of_loopback_needs_names(serving, is_warned: bool, capsys) -> None:
    """Without them a page of the web could read the pages under a name of its own."""
    given = {"is_behind_proxy": True, "hosts": (), "is_opened": False}
    with open_place(Serving(**{**given, **serving})):
        pass
    assert (
        "warning: behind a proxy the pages answer under every name" in capsys.readouterr().err
    ) is is_warned


@pytest.mark.parametrize(
    ("text", "ms"),
    [("60s", 60_000), ("90", 90_000), ("5m", 300_000), ("1h", 3_600_000), ("250ms", 250)],
)
def test_delays(text: str, ms: int) -> None:
    assert _delay(None, None, text) == ms


def test_a_folder_of_runs_is_told_from_a_run(run_folder: Path, tmp_path: Path) -> None:
    """A folder without runs is refused, as what is no folder: it was meant otherwise."""
    club = tmp_path / "club"
    club.mkdir()
    assert _pages_for(run_folder).__name__ == "watch"
    assert _pages_for(run_folder.parent).__name__ == "watch_folder"
    for other in (club, club / "nothing", run_folder / RECORD):
        with pytest.raises(SourceError):
            _pages_for(other)
