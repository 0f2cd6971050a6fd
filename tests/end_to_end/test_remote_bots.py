"""Bots that connect from elsewhere with a token, and beside a flood of connections."""

import json
import resource
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from protocol.client import connect
from tests.fixtures import arena_runs as runs
from tests.processes import ended


def start_remote(address: str, name: str, token: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        runs.honest("--address", address, "--name", name, "--token", token),
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_a_remote_bot_with_its_token_plays_the_whole_tournament_on_one_connection(
    tmp_path: Path,
) -> None:
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(tmp_path, {"anna": runs.honest(), "bo": runs.honest(), "cia": None})
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        address = runs.address_told_by(process)
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["cia"]
        with start_remote(address, "cia", "not the token") as wrong:
            _, complaint = wrong.communicate(timeout=120)
        with start_remote(address, "cia", token) as remote:
            results, messages = process.communicate(timeout=120)
            assert remote.wait(timeout=120) == 0
    assert (wrong.returncode, "bad_login" in complaint) == (1, True)
    assert process.returncode == 0, messages
    assert "3 of 3 matches" in results
    assert len(run.forfeits("cia")) == 2
    assert {cause for games in run.forfeits("cia").values() for _, cause in games} == {None}
    assert (run.folder / "secrets.json").stat().st_mode & 0o777 == 0o600
    holding = [
        path.name
        for path in run.folder.rglob("*")
        if path.is_file() and token.encode() in path.read_bytes()
    ]
    assert holding == ["secrets.json"]
    assert token not in results + messages
    lines = messages.splitlines()
    assert lines.index("[warning] a login as cia was refused: wrong token") < lines.index(
        "cia is here (1 of 1)"
    )
    assert "lost its connection" not in messages
    runs.assert_verified(run.folder)


# An arena that may open few files: a flood of connections does not take them away from the matches


def start_limited(soft: int, hard: int, *arguments: object) -> subprocess.Popen[str]:
    """`arena` with a limit of open files."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
    program = f"{limit}from arena.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=runs.REPOSITORY,
        env=runs.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("hard", "warned"), [(4096, False), (150, False), (100, True)])
def test_a_flood_of_connections_leaves_the_matches_their_files(
    tmp_path: Path, hard: int, warned: bool
) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096:
        pytest.skip("this system allows too few files for the test itself")
    run = runs.Run(tmp_path / "run")
    plan = runs.write_plan(tmp_path, {"anna": runs.honest(), "cia": None})
    with (
        start_limited(100, hard, "run", plan, "--out", run.folder) as process,
        ExitStack() as flood,
    ):
        assert process.stderr is not None
        lines = [process.stderr.readline()]
        while not lines[-1].startswith("waiting at "):
            assert lines[-1], "the arena has ended"
            lines.append(process.stderr.readline())
        address = lines[-1].split()[2]
        assert any("open files" in line for line in lines) is warned
        for _ in range(300):
            with suppress(ConnectionError):  # hung up on at once
                flood.enter_context(connect(address))
        token = json.loads((run.folder / "secrets.json").read_text())["tokens"]["cia"]
        known = runs.environment(ARENA_ADDRESS=address, ARENA_NAME="cia", ARENA_TOKEN=token)
        remote = subprocess.Popen(runs.honest(), env=known, stderr=subprocess.PIPE, text=True)
        with ended(remote):
            complaints = remote.communicate(timeout=120)[1]
            remote_code = remote.returncode
        _, messages = process.communicate(timeout=120)
    assert (remote_code, process.returncode) == (0, 0), messages + complaints
    runs.assert_verified(run.folder)
