"""The containment of launched programs: none outlives the arena, and a sandbox keeps them from the machine.

Programs that exceed their limits, or do not end, are cases of the fault zoo (tests/zoo).
"""

import os
import re
import shutil
import signal
import socket
import sys
from pathlib import Path

import pytest

from tests.fixtures import arena_runs as runs
from tests.fixtures.arena_runs import HONEST
from tests.fixtures.sandboxes import SANDBOX
from tests.processes import await_true, is_running, parent_of, pids_marked

MATCH = "r1-anna-v-rogue"
REACHES_OUT = Path(__file__).parent / "bots" / "reaches_out.py"


WAYS = ["off", SANDBOX]
"""What is ended with the arena is ended without a sandbox and within one."""


@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("fault", ["daemon", "stays"])
def test_an_arena_that_is_killed_leaves_no_process_of_any_bot(
    fault: str, sandbox: str, tmp_path: Path
) -> None:
    anna, bo = f"anna-{tmp_path}", f"rogue-{tmp_path}"
    bots = {
        "anna": runs.honest("--think-ms", 20, "--mark", anna),
        "rogue": runs.rogue(fault, bo, at_turn=1),
    }
    plan = runs.write_plan(tmp_path, bots, limits={"sandbox": sandbox})
    run = runs.Run(tmp_path / "run")
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: len(run.match(MATCH, "turn_played")) >= 3)
        assert len(pids_marked(bo)) >= 2
        assert len(pids_marked(anna)) >= 1
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
        await_true(lambda: pids_marked(bo) == [] and pids_marked(anna) == [])


@pytest.mark.parametrize("sandbox", WAYS)
def test_a_sandbox_keeps_a_program_from_the_network_the_secrets_and_the_disk(
    sandbox: str, tmp_path: Path
) -> None:
    """In it nothing is reached but the arena and an own /tmp; without it all of it is, and the run says so loudly."""
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        words = [str(port), str(tmp_path / "run"), str(open_folder)]
        bots = {"anna": runs.honest(), "rogue": [sys.executable, str(REACHES_OUT), *words]}
        run = runs.play(tmp_path, bots, limits={"sandbox": sandbox})
    assert {cause for _, cause in run.forfeits("rogue")[MATCH]} == {None}
    said = dict(
        line.split() for line in run.output_of(MATCH, "rogue", "stdout").decode().splitlines()
    )
    told = " ".join(run.stderr.split())
    is_open = str(sandbox == "off")
    assert said == {
        **dict.fromkeys(("network", "secrets", "write", "others"), is_open),
        "temporary": "True",
    }
    assert ("NO SANDBOX" in told) == (sandbox == "off")
    assert ("in a sandbox (bubblewrap)" in told) == (sandbox == "require")
    assert "1024 MiB of memory, 64 processes" in (run.folder / "operator.jsonl").read_text()


def test_a_sandbox_that_is_required_and_not_there_starts_nothing(tmp_path: Path) -> None:
    plan = runs.write_plan(
        tmp_path, {name: runs.honest() for name in ("anna", "bo")}, limits={"sandbox": "require"}
    )
    result = runs.arena_process("run", plan, "--out", tmp_path / "run", PATH=str(tmp_path))
    assert result.returncode == 2
    assert '[limits] sandbox = "require": bubblewrap (bwrap) is not installed' in result.stderr
    assert not (tmp_path / "run").exists()


def test_killing_a_supervisor_ends_its_program(tmp_path: Path) -> None:
    word = str(tmp_path)
    plan = runs.write_plan(
        tmp_path, {"anna": runs.honest(), "rogue": runs.honest("--think-ms", 20, "--mark", word)}
    )
    run = runs.Run(tmp_path / "run")
    with runs.start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: len(run.match(MATCH, "turn_played")) >= 3)
        program = set(pids_marked(word))
        parents = {parent_of(pid) for pid in program}
        [supervisor] = parents - program
        os.kill(supervisor, signal.SIGKILL)
        await_true(lambda: not any(map(is_running, program)))
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert run.forfeits("rogue")[MATCH][0] == ("anna", "disconnect")


MANY = [f"a-file-with-a-long-name-{number}.txt" for number in range(600)]


BESIDE_BOTH, BESIDE_ONE = (
    (["anna.py", "bo.py"], ""),
    (["anna/bot.py", "bo/bot.py", "eve/bot.py"], "eve"),
)


@pytest.mark.parametrize(
    ("scripts", "place", "times"),
    [
        pytest.param(*BESIDE_BOTH, 5, id="beside both"),
        pytest.param(*BESIDE_ONE, 2, id="beside one"),
        pytest.param(*BESIDE_BOTH, 100, id="beside both, long", marks=pytest.mark.soak),
        pytest.param(*BESIDE_ONE, 100, id="beside one, long", marks=pytest.mark.soak),
    ],
)
def test_many_files_beside_a_bot_cost_nobody_a_game(
    scripts: list[str], place: str, times: int, tmp_path: Path
) -> None:
    """Not its own author, nor, if that is an attack, the authors of others."""
    bots = {re.split("[./]", script)[0]: [sys.executable, script] for script in scripts}
    for script in scripts:
        (tmp_path / script).parent.mkdir(exist_ok=True)
        shutil.copy(HONEST, tmp_path / script)
    for name in (*MANY, "a.key"):
        (tmp_path / place / name).touch()
    for number in range(times):
        folder = tmp_path / "runs" / str(number)
        plan = runs.write_plan(
            tmp_path, bots, limits={"sandbox": "auto"}, tournament={"at_once": 3}
        )
        result = runs.arena("run", plan, "--out", folder, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
        run = runs.Run(folder)
        assert {
            cause for name in bots for games in run.forfeits(name).values() for _, cause in games
        } == {None}
        assert run.facts("fixture_voided") == []
