"""The processes of a launched program: all that descend from its supervisor, found in /proc, and signals to them.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap to import.
"""

from __future__ import annotations

import os
import sys

FORGET_LOOKS = 50
"""After so many looks foreign processes are looked at again: their numbers may have been given to others."""
HAS_PROC = sys.platform == "linux" and os.path.exists("/proc/self/stat")

STATE, PARENT, SESSION, CPU_FROM, CPU_TO, NICE, THREADS, RESIDENT = 0, 1, 3, 11, 15, 16, 17, 21
"""Places in the fields of /proc/PID/stat after the name; CPU time is four of them, all in ticks."""


class ProcessFamily:
    """All living descendants of this process, found in /proc."""

    def __init__(self) -> None:
        self._me = os.getpid()
        self._foreign: set[int] = set()
        self._looks = 0

    def look(self) -> dict[int, list[str]]:
        """The descendants, parents before children, each with the fields of its `stat` from the state on.

        Processes known not to belong here are not read again: who is no descendant never becomes one.
        """
        if not HAS_PROC:
            return {}
        self._looks += 1
        if self._looks % FORGET_LOOKS == 0:
            self._foreign.clear()
        found: dict[int, list[str]] = {}
        numbers = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        self._foreign &= numbers
        for pid in numbers - self._foreign:
            if fields := stat_fields(pid):
                found[pid] = fields
        children: dict[int, list[int]] = {}
        for pid, fields in found.items():
            children.setdefault(int(fields[PARENT]), []).append(pid)
        mine = list(children.get(self._me, ()))
        for pid in mine:  # grows while it is gone through
            mine += children.get(pid, ())
        # Foreign is only who comes from a foreign process: an orphan whose parent has ended in mid-look may be ours.
        others = [pid for parent in {0, 1} | self._foreign for pid in children.get(parent, ()) if pid != self._me]
        for pid in others:
            others += (child for child in children.get(pid, ()) if child != self._me)
        self._foreign.update(others)
        return {pid: found[pid] for pid in mine if found[pid][STATE] != "Z"}


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat after the name; empty for a process that has just ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].decode("ascii").split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def send_signal(pids: list[int], number: int) -> None:
    """Send a signal to processes, of which some may have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended by itself
