"""Landlock: which rights a rule gives in every version, and which files a restricted program can open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.server.programs import landlock
from arena.server.programs.readable import system_files

NEEDS = pytest.mark.skipif(landlock.version() == 0, reason="this kernel has no Landlock")


@pytest.mark.parametrize(
    ("abi", "files", "network", "scopes"),
    [
        (1, 0x1FFF, 0, 0),
        (2, 0x3FFF, 0, 0),
        (3, 0x7FFF, 0, 0),
        (4, 0x7FFF, 3, 0),
        (5, 0xFFFF, 3, 0),
        (6, 0xFFFF, 3, 3),
        (7, 0xFFFF, 3, 3),
    ],
)
def test_a_ruleset_forbids_all_that_the_version_can_forbid(abi: int, files: int, network: int, scopes: int) -> None:
    """The kernel refuses a ruleset with a right that it does not know."""
    assert landlock.handled(abi) == (files, network, scopes)


@pytest.mark.parametrize("abi", range(1, 8))
def test_rules_give_no_more_than_their_kind(abi: int) -> None:
    everything = landlock.handled(abi)[0]
    writes = landlock.WRITE_FILE | landlock.TRUNCATE | landlock.CHANGE_FOLDERS
    assert landlock.rights("r", abi, is_folder=True) == 0b1101
    assert landlock.rights("r", abi, is_folder=False) == 0b101
    assert landlock.rights("l", abi, is_folder=True) == landlock.READ_DIR
    assert landlock.rights("w", abi, is_folder=True) & writes == writes & everything
    assert not landlock.rights("w", abi, is_folder=True) & landlock.EXECUTE
    for kind in "rwdl":
        for is_folder in (True, False):
            assert not landlock.rights(kind, abi, is_folder=is_folder) & ~everything
        assert not landlock.rights(kind, abi, is_folder=False) & landlock.READ_DIR


LAUNCH = """
import os, sys
from arena.server.programs import landlock
landlock.restrict(sys.argv[3:])
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", *sys.argv[1:3]])
"""
SCRIPT = """
import os, socket, sys
def can(act):
    try:
        act()
    except OSError:
        return False
    return True
place = sys.argv[1]
print(can(lambda: open(place + "/own/bot.py").read()))
print(can(lambda: open(place + "/scratch/new", "w").write("x")))
print(can(lambda: open("/dev/null", "w").write("x")))
print(can(lambda: open(place + "/key").read()))
print(can(lambda: open(place + "/own/bot.py", "w")))
print(can(lambda: os.truncate(place + "/key", 0)))
print(can(lambda: os.listdir(place)))
print(can(lambda: open(f"/proc/{os.getppid()}/environ").read()))
print(can(lambda: os.kill(os.getppid(), 0)))
print(can(lambda: socket.create_server(("127.0.0.1", 0))))
print(open("/proc/self/status").read().split("CapBnd:")[1].split()[0])
"""


@NEEDS
def test_a_program_opens_only_what_the_rules_name(tmp_path: Path) -> None:
    for name in ("own", "scratch"):
        (tmp_path / name).mkdir()
    (tmp_path / "own/bot.py").touch()
    (tmp_path / "key").write_text("secret")
    runtime = [f"r{path}" for path in (*system_files(), sys.base_prefix, sys.prefix)]
    rules = [*runtime, f"r{tmp_path}/own", f"w{tmp_path}/scratch", "d/dev/null", "r/proc", "r/no/such/path"]
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, SCRIPT, str(tmp_path), *rules],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    *could, capabilities = done.stdout.split()
    abi = landlock.version()
    may_truncate, may_signal, may_listen = (
        abi < landlock.ABI_TRUNCATE,
        abi < landlock.ABI_SCOPES,
        abi < landlock.ABI_TCP,
    )
    expected = [True, True, True, False, False, may_truncate, False, False, may_signal, may_listen]
    assert could == [str(one) for one in expected]
    assert capabilities == "0" * 16 or os.getuid() != 0
    assert (tmp_path / "key").read_text() == "secret" or may_truncate


def test_a_system_without_landlock_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The call is missing: an old kernel, or one with Landlock switched off."""

    def fails(*_: object) -> int:
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(landlock, "_call", fails)
    assert landlock.version() == 0
