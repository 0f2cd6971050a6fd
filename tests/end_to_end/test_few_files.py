"""An arena that may open few files: a flood of connections does not take them away from the matches."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from protocol.client.stream import connect
from tests.end_to_end.runs import REPOSITORY, Run, assert_verified, environment, honest, write_plan


def start_limited(soft: int, hard: int, *arguments: object) -> subprocess.Popen[str]:
    """`arena` with a limit of open files."""
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard})); "
    program = f"{limit}from arena.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", program, *map(str, arguments)],
        cwd=REPOSITORY,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("hard", "warned"), [(4096, False), (150, False), (100, True)])
def test_a_flood_of_connections_leaves_the_matches_their_files(tmp_path: Path, hard: int, warned: bool) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 4096:
        pytest.skip("this system allows too few files for the test itself")
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": honest(), "cia": None})
    with start_limited(100, hard, "run", plan, "--out", run.folder) as process, ExitStack() as flood:
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
        known = environment(ARENA_ADDRESS=address, ARENA_NAME="cia", ARENA_TOKEN=token)
        with subprocess.Popen(honest(), env=known, stderr=subprocess.PIPE, text=True) as remote:
            complaints = remote.communicate(timeout=120)[1]
            remote_code = remote.returncode
        _, messages = process.communicate(timeout=120)
    assert (remote_code, process.returncode) == (0, 0), messages + complaints
    assert_verified(run.folder)
