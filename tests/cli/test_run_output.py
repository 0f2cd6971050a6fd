"""What `arena run` prints for a run that needs no more playing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena.cli.run import where_bots_spoke
from tests.cli.conftest import Arena, lay_out
from tests.records.small_run import small_run
from tests.records.test_verify import strict_run


def test_a_finished_run_is_shown_and_not_changed(arena: Arena, run_folder: Path) -> None:
    before = {path: path.read_bytes() for path in run_folder.rglob("*.jsonl")}
    result = arena("run", run_folder)
    assert result.exit_code == 0
    assert "1 of 1 matches; records are in" in result.stdout
    assert f"arena verify {run_folder}" in result.stdout
    assert "12:0" in result.stdout
    assert {path: path.read_bytes() for path in run_folder.rglob("*.jsonl")} == before


def test_running_a_finished_run_again_says_that_nothing_was_played(arena: Arena, run_folder: Path) -> None:
    """Else the old standings look like those of a run that has just been played; scripts get it on standard output."""
    told = (
        f"{run_folder} is finished since 2023-11-14 22:13 UTC; nothing was played. "
        "For a new run give another folder with --out, or leave --out out"
    )
    for options in ((), ("--quiet",), ("--json",)):
        result = arena("run", run_folder, *options)
        assert result.stderr == f"[warning] {told}\n"
    assert list(map(json.loads, result.stdout.splitlines())) == [
        {"event": "run_begun", "folder": str(run_folder)},
        {"event": "message", "text": told},
    ]


def test_matches_that_withdrawals_prevent_are_counted(here: Path, arena: Arena) -> None:
    """Else one wonders where they are."""
    lay_out(here / "run", strict_run())
    told = "2 of 3 matches (1 not played, because anna and cia withdrew)"
    result = arena("run", "run")
    assert f"\n{told}; records are in run" in result.stdout, result.stdout
    assert f"{told.replace('matches', 'matches counted')}\n" in arena("standings", "run").stdout


def test_a_run_stopped_before_its_closing_line_is_closed(arena: Arena, run_folder: Path) -> None:
    path = run_folder / "tournament.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b'{"event":"record_closed"')])
    assert arena("run", run_folder).exit_code == 0
    assert path.read_bytes() == whole


def test_a_run_with_a_damaged_record_is_not_resumed(arena: Arena, run_folder: Path) -> None:
    path = run_folder / "tournament.jsonl"
    damaged = path.read_bytes().replace(b'"score":[12,0]', b'"score":[13,0]')
    path.write_bytes(damaged)
    result = arena("run", run_folder)
    assert result.exit_code in (1, 2)
    assert "tournament.jsonl:7" in result.stderr
    assert "Traceback" not in result.output
    assert path.read_bytes() == damaged


@pytest.mark.parametrize(
    ("spoke", "told"),
    [
        ((), ""),
        (("evidence",), "; what is known of them is in {}/evidence"),
        (("bots",), "; what they said is in {}/bots"),
        (("bots", "evidence"), "; what they said is in {}/bots"),
    ],
    ids=["nowhere", "lost-from-elsewhere", "launched", "both"],
)
def test_the_message_names_the_folder_that_says_why_bots_could_not_play(
    tmp_path: Path, spoke: tuple[str, ...], told: str
) -> None:
    """The output of launched bots, else the evidence; an empty folder is not named."""
    for folder in ("bots", "evidence"):
        (tmp_path / folder).mkdir()
    for folder in spoke:
        (tmp_path / folder / "r1-anna-v-bo.anna").write_text("words")
    assert where_bots_spoke(tmp_path) == told.format(tmp_path)


def test_a_run_without_a_folder_of_its_own_names_it_and_the_unfinished_one(here: Path, arena: Arena) -> None:
    """After a kill the same command begins another run."""
    files = small_run()
    data = files["tournament.jsonl"]
    files["tournament.jsonl"] = data[: data.index(b'{"event":"tournament_ended"')]
    (here / "small.toml").write_bytes(files["tournament.toml"])
    lay_out(here / "runs" / "small-1", files)
    told = "runs/small-1 of the same tournament is not finished; to go on with it: arena run runs/small-1\n"
    assert told in arena("run", "small.toml", "--anyway").stderr
    again = arena("run", "small.toml", "--anyway").stderr  # small-2 has come to its end, without a bot
    assert "is not finished" not in again
    assert "records go to runs/small-3; after an interruption: arena run runs/small-3\n" in again
