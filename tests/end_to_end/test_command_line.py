"""The commands as processes: exit status, where things are printed, and colour."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.end_to_end.runs import REPOSITORY, Run, arena_process, environment, honest

COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38;[0-9;]+)m")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, subprocess.CompletedProcess[str]]:
    """A small tournament that was played with bots on the command line."""
    folder = tmp_path_factory.mktemp("finished")
    bots = [f"{name}={' '.join(honest())}" for name in ("anna", "bo", "cia")]
    options = [part for bot in bots for part in ("--bot", bot)]
    result = arena_process("run", *options, "--games", "3", "--out", folder / "my run")
    return Run(folder / "my run"), result


def test_a_run_prints_its_result_on_standard_output_and_its_progress_on_standard_error(
    finished: tuple[Run, subprocess.CompletedProcess[str]],
) -> None:
    run, result = finished
    assert result.returncode == 0
    limits, *matches = result.stderr.splitlines()
    assert limits.startswith("launched bots are limited to 1024 MiB of memory")
    assert sorted(line.split()[0] for line in matches) == sorted(run.settled())
    assert "Standings" in result.stdout
    assert "Cross-table" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr


def test_the_standings_of_a_run_are_those_it_ended_with(
    finished: tuple[Run, subprocess.CompletedProcess[str]],
) -> None:
    run, result = finished
    shown = arena_process("standings", run.folder)
    tables = result.stdout.rpartition("\n3 of 3 matches")[0]
    assert (shown.returncode, tables in shown.stdout) == (0, True)
    [ended] = run.facts("tournament_ended")
    rows = run.standings()
    for row in ended["standings"]:
        found = rows[row["entrant"]]
        assert (found["place"], found["points"], found["match_points"]) == (
            row["place"],
            row["points"],
            row["match_points"],
        )


def test_a_run_verifies_as_a_process_and_as_json(finished: tuple[Run, subprocess.CompletedProcess[str]]) -> None:
    run, _ = finished
    found = json.loads(arena_process("verify", "--json", run.folder).stdout)
    assert found.pop("claims")[0]["what"] == "dice"
    assert found.pop("disputed_by") == []
    record = (run.folder / "tournament.jsonl").read_bytes()
    assert found.pop("head") == {"lines": record.count(b"\n"), "sha256": hashlib.sha256(record).hexdigest()}
    turns = sum(end["turns"] for fixture in run.settled() for end in run.match(fixture, "game_ended"))
    assert found == {"verified": True, "finished": True, "fixtures": 3, "scheduled": 3, "games": 9, "turns": turns}


def test_one_changed_die_in_a_whole_run_is_found(
    finished: tuple[Run, subprocess.CompletedProcess[str]], tmp_path: Path
) -> None:
    run, _ = finished
    copy = tmp_path / "copy"
    subprocess.run(["cp", "-r", run.folder, copy], check=True)
    path = copy / "matches" / "r1-bo-v-cia.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(number for number, line in enumerate(lines) if b'"turn_played"' in line)
    lines[number] = re.sub(rb'"dice":\[(\d)', lambda found: b'"dice":[%d' % (int(found[1]) % 6 + 1), lines[number])
    path.write_bytes(b"".join(lines))
    result = arena_process("verify", copy)
    assert (result.returncode, "matches/r1-bo-v-cia.jsonl" in result.stdout) == (1, True)


def on_a_terminal(*arguments: object, **more: str) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [sys.executable, "-m", "arena", *map(str, arguments)],
            cwd=REPOSITORY,
            env=environment(TERM="xterm-256color", **more),
            stdin=subprocess.DEVNULL,
            stdout=theirs,
            stderr=theirs,
            timeout=120,
            check=False,
        )
    finally:
        os.close(theirs)
    shown = b""
    try:
        while data := os.read(ours, 65536):
            shown += data
    except OSError:
        pass  # a terminal without a writer ends with an error on Linux
    os.close(ours)
    return shown.decode()


def test_colour_is_for_terminals_and_NO_COLOR_is_honoured(  # noqa: N802 - a variable's name
    finished: tuple[Run, subprocess.CompletedProcess[str]],
) -> None:
    run, _ = finished
    assert COLOUR.search(on_a_terminal("verify", run.folder))
    assert not COLOUR.search(on_a_terminal("verify", run.folder, NO_COLOR="1"))
    assert not COLOUR.search(on_a_terminal("standings", run.folder, NO_COLOR="1"))


HEAVY: Final = {"arena.games", "cryptography", "hypercorn", "networkx", "numpy", "rich", "starlette", "trio"}
"""What takes a tenth of a second to import, or a good part of it."""


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("import arena.cli; arena.cli.main(['-h'], standalone_mode=False)", set()),
        ("import arena.server.run.tournament", {"arena.games", "rich", "trio"}),  # structlog loads rich
        ("import arena.games, protocol.client", {"arena.games"}),
    ],
    ids=["arena --help", "arena run", "a sample bot"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str, needed: set[str]) -> None:
    told = f"import sys; {code}; print(*sys.modules, file=sys.stderr)"
    result = subprocess.run(
        [sys.executable, "-c", told], cwd=REPOSITORY, env=environment(), capture_output=True, text=True, check=True
    )
    assert HEAVY & {*result.stderr.split()} == needed


def test_the_version_is_told() -> None:
    assert arena_process("--version").stdout.startswith("arena")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--bot", "anna=true", "--bot", "bo=true", "--ruleset", "wasa"), "did you mean 'vasa'?"),
        (("--bot", "anna=true", "--bot", "anna=true"), "'anna' is entered 2 times"),
        (("--bot", "anna=none-such", "--bot", "bo=true"), "there is no program 'none-such'"),
    ],
)
def test_wrong_use_exits_2_with_a_message_and_no_traceback(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = arena_process("run", *arguments, "--out", tmp_path / "run")
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "run").exists()
