"""`arena doctor`: a line for each thing that this machine gives, and exit status 1 if nothing would contain bots."""

import json
from pathlib import Path

import pytest

from arena.records.facts import Way
from arena.server.programs import containment, landlock
from arena.server.programs.containment import Containment, SandboxError
from arena.server.run import machine
from tests.fixtures.command_line import Arena

LACKING = ["disk space", "fsync", "clock"]
NAMES = [
    "Python",
    "sandbox",
    "limits",
    "control groups",
    "open files",
    "loopback port",
    "Unix socket",
    *LACKING,
]


@pytest.fixture
def no_bubblewrap(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def find() -> None:
        raise SandboxError("bubblewrap (bwrap) is not installed")

    monkeypatch.setattr(containment, "find_bwrap", find)  # it remembers what it found on the PATH
    monkeypatch.setenv("PATH", str(tmp_path))


def checks_of(arena: Arena, *, status: int) -> dict[str, dict[str, str]]:
    result = arena("doctor", "--json")
    assert result.exit_code == status, result.output
    found = json.loads(result.stdout)
    assert found["is_contained"] == (status == 0)
    assert [check["name"] for check in found["checks"]] == NAMES
    assert all(bool(check["advice"]) == (check["state"] != "ok") for check in found["checks"])
    return {check["name"]: check for check in found["checks"]}


@pytest.mark.usefixtures("no_bubblewrap")
@pytest.mark.skipif(landlock.version() == 0, reason="this system has no Landlock")
def test_without_bubblewrap_a_program_is_tried_under_landlock(arena: Arena) -> None:
    sandbox = checks_of(arena, status=0)["sandbox"]
    assert sandbox["state"] == "warning"
    assert f"partly: Landlock {landlock.version()}" in sandbox["found"]
    assert "apt install bubblewrap" in sandbox["advice"]


@pytest.mark.usefixtures("no_bubblewrap")
def test_with_nothing_that_contains_bots_it_fails(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    result = arena("doctor")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert [line[8:].partition(":")[0] for line in lines] == NAMES
    assert lines[1] == (
        "problem sandbox: nothing contains bots: bubblewrap (bwrap) is not installed; launch only programs you trust, "
        "or install bubblewrap (apt install bubblewrap)"
    )


class Sieve(Containment):
    """Calls itself a sandbox, and keeps nothing from programs."""

    @property
    def way(self) -> Way:
        return "bubblewrap"


def test_a_sandbox_that_keeps_nothing_is_found_out(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not enough that bubblewrap is there: a program is launched in it, and says what it can reach."""
    monkeypatch.setattr(machine, "find_containment", lambda plan, **_: Sieve(limits=plan.limits))
    assert "reached files and network of yours" in checks_of(arena, status=1)["sandbox"]["found"]


def test_a_folder_that_takes_nothing_is_a_problem() -> None:
    *_, last = machine._disk(Path("/proc"))
    assert (last.name, last.state) == ("fsync", "problem")
    assert last.found.startswith("nothing can be written to /proc: ")


def test_what_the_machine_lacks_is_a_warning(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "allow_files", lambda _: 100)
    monkeypatch.setattr(containment, "_groups", lambda: "")
    monkeypatch.setattr(machine, "FREE_MIB", 1 << 60)
    monkeypatch.setattr(machine, "SYNC_MS", -1)
    monkeypatch.setattr(machine, "LATE_MS", -1)
    checks = checks_of(arena, status=0)
    warned = {name for name, check in checks.items() if check["state"] == "warning"}
    assert warned >= {"control groups", "open files", *LACKING}
