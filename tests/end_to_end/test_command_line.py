"""The commands as processes: exit status, where things are printed, and colour."""

import re
import subprocess
import sys
from typing import Final

import pytest

from tests.fixtures.arena_runs import (
    REPOSITORY,
    Run,
    arena_process,
    environment,
    honest,
    on_a_terminal,
    told,
)

COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38;[0-9;]+)m")


@pytest.fixture(scope="module")
def finished(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Run, subprocess.CompletedProcess[str]]:
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
    contained, *matches = told(result.stderr)
    assert len(contained) <= 120
    assert contained.endswith(": arena doctor")
    assert sorted(line.split()[0] for line in matches) == sorted(run.settled())
    assert "Standings" in result.stdout
    assert "Cross-table" in result.stdout
    assert "\x1b" not in result.stdout + result.stderr


@pytest.mark.slow
def test_colour_is_for_terminals_and_NO_COLOR_is_honoured(
    finished: tuple[Run, subprocess.CompletedProcess[str]],
) -> None:
    run, _ = finished
    assert COLOUR.search(on_a_terminal("verify", run.folder))
    assert not COLOUR.search(on_a_terminal("verify", run.folder, NO_COLOR="1"))
    assert not COLOUR.search(on_a_terminal("standings", run.folder, NO_COLOR="1"))


HEAVY: Final = {"arena.games", "cryptography", "networkx", "numpy", "rich", "starlette", "trio"}
"""What takes a tenth of a second to import, or a good part of it."""


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("import arena.cli; arena.cli.main(['-h'], standalone_mode=False)", set()),
        (
            "import arena.server.run.tournament",
            {"arena.games", "rich", "trio"},
        ),  # structlog loads rich
        ("import arena.games, protocol.client", {"arena.games"}),
    ],
    ids=["arena --help", "arena run", "a sample bot"],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(code: str, needed: set[str]) -> None:
    script = f"import sys; {code}; print(*sys.modules, file=sys.stderr)"
    result = subprocess.run(
        [sys.executable, "-c", script],
        cwd=REPOSITORY,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert HEAVY & {*result.stderr.split()} == needed
