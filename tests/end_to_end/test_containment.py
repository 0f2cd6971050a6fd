"""Launched programs that take more than they may, or do not go: each is ended with an exact verdict."""

from __future__ import annotations

import os
import signal
import socket
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arena.server.programs.sandbox import SandboxError, find_bwrap
from tests.end_to_end.runs import (
    Run,
    arena,
    assert_verified,
    await_true,
    command,
    is_running,
    pids_marked,
    start_arena,
    write_plan,
)

MATCH = "r1-anna-v-rogue"


def why_no_sandbox() -> str:
    """Why there is none on this machine; empty if there is."""
    try:
        find_bwrap()
    except SandboxError as error:
        return str(error)
    return ""


SANDBOX = pytest.param("require", marks=pytest.mark.skipif(bool(why_no_sandbox()), reason=why_no_sandbox() or "works"))
WAYS = ["off", SANDBOX]
"""Limits hold without a sandbox and within one."""


@dataclass(frozen=True, kw_only=True)
class Fault:
    """A program that goes too far, and what must become of it."""

    script: str
    reason: str
    """What the record says of its leaving."""
    cause: str = "disconnect"
    limits: Mapping[str, int] = field(default_factory=dict)


FAULTS = {
    "takes-2-GiB": Fault(
        script="takes_memory", reason="its program was ended: more than 512 MiB of memory", limits={"memory_mib": 512}
    ),
    "starts-200-children": Fault(
        script="starts_children", reason="its program was ended: more than 64 processes", limits={"processes": 64}
    ),
    "burns-cpu": Fault(
        script="burns_cpu", reason="its program was ended: more than 600 ms of CPU time", limits={"cpu_ms": 600}
    ),
    "writes-a-huge-file": Fault(script="writes_huge_file", reason="it hung up", limits={"file_mib": 8}),
    "prints-for-ever": Fault(script="prints_for_ever", reason="", cause="time"),
}
SLOW = ("burns-cpu", "prints-for-ever")
CASES = [
    pytest.param(fault, id=name, marks=[pytest.mark.slow] if name in SLOW else []) for name, fault in FAULTS.items()
]


def marked(script: str, *arguments: object) -> tuple[str, list[str]]:
    """A bot whose processes can be found by a word in their command line, after the word itself."""
    word = f"mark-{uuid.uuid4().hex}"
    return word, [*command(script, *arguments), word]


@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("fault", CASES)
def test_a_program_that_goes_too_far_forfeits_its_games_and_leaves_nothing_behind(
    fault: Fault, sandbox: str, tmp_path: Path
) -> None:
    """Every game is forfeited with the exact reason, the opponent has no strike, no process is left."""
    word, rogue = marked(fault.script)
    limits: dict[str, Any] = {"sandbox": sandbox, **fault.limits}
    # Time is short where it decides; elsewhere a busy machine must not make the flag fall before the limit is passed.
    clock = {"delay_ms": 2000, "bank_ms": 0} if fault.cause == "time" else {"bank_ms": 20_000}
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": rogue}, limits=limits, clock=clock)
    run = Run(tmp_path / "run")

    result = arena("run", plan, "--out", run.folder)

    assert result.returncode == 0, result.stderr
    assert run.forfeits("rogue") == {MATCH: [("anna", fault.cause)] * 3}
    assert run.settled()[MATCH]["strikes"] == [0, 3]
    gone = run.match(MATCH, "bot_left")
    assert [(fact["seat"], fact["reason"]) for fact in gone] == [(2, fault.reason)] * (3 if fault.reason else 0)
    assert pids_marked(word) == []
    for stream in ("stdout", "stderr"):
        assert len(run.output_of(MATCH, "rogue", stream)) < 1_049_000
    assert_verified(run.folder)


@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("script", ["leaves_daemons", "stays"])
def test_what_a_program_leaves_behind_is_ended_with_it(script: str, sandbox: str, tmp_path: Path) -> None:
    """Its games stand, for it plays well; children that left its group and session, or ignore SIGTERM, are gone."""
    word, rogue = marked(script)
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": rogue}, limits={"sandbox": sandbox})
    run = Run(tmp_path / "run")
    result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert {cause for _, cause in run.forfeits("rogue")[MATCH]} == {None}
    assert pids_marked(word) == []


@pytest.mark.parametrize("sandbox", WAYS)
def test_a_program_that_fills_the_hall_keeps_nobody_out(sandbox: str, tmp_path: Path) -> None:
    """Hundreds of connections from many sessions of processes; whoever comes after them plays all his games."""
    word, rogue = marked("fills_the_hall")
    plan = write_plan(tmp_path, {"anna": command("comes_late"), "rogue": rogue}, limits={"sandbox": sandbox})
    run = Run(tmp_path / "run")
    result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert {cause for _, cause in run.forfeits("rogue")[MATCH]} == {None}
    assert run.settled()[MATCH]["strikes"] == [0, 0]
    assert pids_marked(word) == []


@pytest.mark.parametrize("sandbox", WAYS)
@pytest.mark.parametrize("script", ["leaves_daemons", "stays"])
def test_an_arena_that_is_killed_leaves_no_process_of_any_bot(script: str, sandbox: str, tmp_path: Path) -> None:
    """SIGKILL of the arena in mid-game: a moment later neither programs nor their runaway children are there."""
    anna, slow = marked("slow", 20)
    word, rogue = marked(script)
    plan = write_plan(tmp_path, {"anna": slow, "rogue": rogue}, limits={"sandbox": sandbox})
    run = Run(tmp_path / "run")
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: len(run.match(MATCH, "turn_played")) >= 3)
        assert len(pids_marked(word)) >= 2
        assert len(pids_marked(anna)) >= 1
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=120)
        await_true(lambda: pids_marked(word) == [] and pids_marked(anna) == [])


@pytest.mark.parametrize("sandbox", WAYS)
def test_a_sandbox_keeps_a_program_from_the_network_the_secrets_and_the_disk(sandbox: str, tmp_path: Path) -> None:
    """In it nothing is reached but the arena and an own /tmp; without it all of it is, and the run says so loudly."""
    open_folder = tmp_path / "open"
    open_folder.mkdir()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        run = Run(tmp_path / "run")
        words = [str(port), str(run.folder), str(open_folder)]
        plan = write_plan(
            tmp_path,
            {"anna": command("honest"), "rogue": [*command("reaches_out"), *words]},
            limits={"sandbox": sandbox},
        )
        result = arena("run", plan, "--out", run.folder)
    assert result.returncode == 0, result.stderr
    assert {cause for _, cause in run.forfeits("rogue")[MATCH]} == {None}
    said = dict(line.split() for line in run.output_of(MATCH, "rogue", "stdout").decode().splitlines())
    told = " ".join(result.stderr.split())
    is_open = str(sandbox == "off")
    assert said == {
        **dict.fromkeys(("network", "secrets", "write", "others"), is_open),
        "temporary": "True",
    }
    assert ("NO SANDBOX" in told) == (sandbox == "off")
    assert ("sandbox: no network" in told) == (sandbox == "require")
    assert "1024 MiB of memory, 64 processes" in told


def test_a_sandbox_that_is_required_and_not_there_starts_nothing(tmp_path: Path) -> None:
    """Exit status 2, why, and what to do; no run folder."""
    plan = write_plan(tmp_path, {name: command("honest") for name in ("anna", "bo")}, limits={"sandbox": "require"})
    result = arena("run", plan, "--out", tmp_path / "run", PATH=str(tmp_path))
    assert result.returncode == 2
    assert '[limits] sandbox = "require": bubblewrap (bwrap) is not installed' in result.stderr
    assert not (tmp_path / "run").exists()


def test_a_program_that_cannot_be_started_says_so(tmp_path: Path) -> None:
    """A file that is executable, but no program, is found out when it is started; its author learns why."""
    (tmp_path / "no-program").write_bytes(b"\x00\x01")
    (tmp_path / "no-program").chmod(0o755)
    run = Run(tmp_path / "run")
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": [str(tmp_path / "no-program")]})
    assert arena("run", plan, "--out", run.folder).returncode == 0
    [missing] = run.match(MATCH, "bot_missing")
    assert missing["reason"] == "its program could not be started: Exec format error"


def test_killing_a_supervisor_ends_its_program(tmp_path: Path) -> None:
    """Also the last one who watches may be killed; its program goes with it and forfeits, and the run goes on."""
    word, rogue = marked("slow", 20)
    plan = write_plan(tmp_path, {"anna": command("honest"), "rogue": rogue})
    run = Run(tmp_path / "run")
    with start_arena("run", plan, "--out", run.folder) as process:
        await_true(lambda: len(run.match(MATCH, "turn_played")) >= 3)
        [supervisor] = [pid for pid in pids_marked(word) if b"supervisor.py" in cmdline(pid)]
        program = [pid for pid in pids_marked(word) if pid != supervisor]
        os.kill(supervisor, signal.SIGKILL)
        await_true(lambda: not any(map(is_running, program)))
        process.communicate(timeout=120)
    assert process.returncode == 0
    assert run.forfeits("rogue")[MATCH][0] == ("anna", "disconnect")


def cmdline(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
