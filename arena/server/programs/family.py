"""The processes of a launched program, found in /proc: all that descend from its supervisor, and what they hold.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap
to import.
"""

import os
import resource
import sys
from collections.abc import Iterator

FORGET_LOOKS = 50
"""After so many looks foreign processes are looked at again: their numbers may have been given to
others."""
HAS_PROC = sys.platform == "linux" and os.path.exists("/proc/self/stat")

STATE, PARENT, SESSION, CPU_FROM, CPU_TO, NICE, THREADS, RESIDENT = 0, 1, 3, 11, 15, 16, 17, 21
"""Places in the fields of /proc/PID/stat after the name; CPU time is four of them, all in ticks."""

PAGE_BYTES = resource.getpagesize()
BLOCK_BYTES = 512
"""The unit of `st_blocks`."""
ENTRY_BYTES = 1024
"""About what the system itself needs for a file in memory, even an empty one."""
IN_MEMORY = ("tmpfs", "ramfs")
"""File systems that are kept in memory; the second has no bounds and tells nothing, so nobody may
have one."""

Object = tuple[int, int]
"""A file in memory: its device and its number there."""


class ProcessFamily:
    """All living descendants of this process, found in /proc."""

    def __init__(self) -> None:
        self._me = os.getpid()
        self._foreign: set[int] = set()
        self._looks = 0

    def look(self) -> dict[int, list[str]]:
        """The descendants, parents before children, each with the fields of its `stat` from the state on.

        Every look has them in the same order: which of them are beyond the cores must not change
        from look to look. Processes known not to belong here are not read again: who is no
        descendant never becomes one.
        """
        if not HAS_PROC:
            return {}
        self._looks += 1
        if self._looks % FORGET_LOOKS == 0:
            self._foreign.clear()
        found: dict[int, list[str]] = {}
        numbers = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        self._foreign &= numbers
        for pid in sorted(numbers - self._foreign):
            if fields := stat_fields(pid):
                found[pid] = fields
        children: dict[int, list[int]] = {}
        for pid, fields in found.items():
            children.setdefault(int(fields[PARENT]), []).append(pid)
        mine = list(children.get(self._me, ()))
        for pid in mine:  # grows while it is gone through
            mine += children.get(pid, ())
        # Foreign is only who comes from a foreign process: an orphan whose parent has ended in
        # mid-look may be ours.
        others = [
            pid
            for parent in {0, 1} | self._foreign
            for pid in children.get(parent, ())
            if pid != self._me
        ]
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


def stands_still(pid: int) -> bool:
    """Return whether a process was stopped, by a signal or a debugger; False where the system does not tell."""
    fields = stat_fields(pid) if HAS_PROC else []
    return bool(fields) and fields[STATE] in "Tt"


def send_signal(pids: list[int], number: int) -> None:
    """Send a signal to processes, of which some may have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended by itself


class HiddenError(Exception):
    """A process does not let its supervisor see what it holds."""


class HeldMemory:
    """Measures the memory that a program holds with all it has started, however it holds it.

    Resident pages, files in memory that are open but mapped nowhere (memfd, shared memory), and
    what lies in the folders that the sandbox keeps in memory. What several processes hold counts
    once.
    """

    def __init__(self, wrappers: int, *, is_contained: bool) -> None:
        """The first processes of a family are the `wrappers` of the sandbox.

        One that is not contained may have programs of other rights, which nobody can look into.
        """
        self._wrappers = wrappers
        self._is_contained = is_contained
        probe = os.memfd_create("probe") if hasattr(os, "memfd_create") else -1
        self._shared = os.fstat(probe).st_dev if probe >= 0 else -1
        """The device of memfds and of all shared memory without a name."""
        if probe >= 0:
            os.close(probe)
        self._everybodys = {device for device, _, _ in _mounts("self")}
        """The devices of files that others see as well."""

    def measure(self, family: dict[int, list[str]], limit_bytes: int) -> int:
        """The bytes held; exact if they are more than the limit. Raises `HiddenError`.

        First pages that processes share are counted several times, which costs less to find out.
        """
        resident = {pid: int(fields[RESIDENT]) * PAGE_BYTES for pid, fields in family.items()}
        opened: dict[Object, int] = {}
        namespaces: dict[int, int] = {}
        for pid in list(family)[self._wrappers :]:
            self._look_into(pid, opened, namespaces)
        folders = sum(self._in_folders(pid, limit_bytes) for pid in namespaces.values())
        held = folders + sum(opened.values()) + sum(resident.values())
        for _ in range(
            2
        ):  # twice, as what an ending process held is for a moment counted among those that shared it
            if held > limit_bytes:
                held = folders + self._exact(resident, opened)
        return held

    def _look_into(self, pid: int, opened: dict[Object, int], namespaces: dict[int, int]) -> None:
        """Find the nameless files in memory that a process has open, and its world of mounted folders."""
        try:
            for name in os.listdir(f"/proc/{pid}/fd"):
                try:
                    found = os.stat(f"/proc/{pid}/fd/{name}")
                except FileNotFoundError:
                    continue  # closed meanwhile
                if found.st_dev == self._shared:
                    opened[found.st_dev, found.st_ino] = found.st_blocks * BLOCK_BYTES
            namespaces.setdefault(os.stat(f"/proc/{pid}/ns/mnt").st_ino, pid)
        except (FileNotFoundError, ProcessLookupError):
            pass  # it has ended
        except PermissionError as error:
            if self._is_contained:
                raise HiddenError from error

    def _in_folders(self, pid: int, limit_bytes: int) -> int:
        """Return the bytes in folders in memory that this process sees and we do not."""
        used = {}
        for device, kind, place in _mounts(str(pid)):
            if device in self._everybodys or kind not in IN_MEMORY:
                continue
            try:
                found = os.statvfs(f"/proc/{pid}/root{place}")
            except OSError:
                continue  # it has ended, or something else lies over it
            files = found.f_files - found.f_ffree
            used[device] = (found.f_blocks - found.f_bfree) * found.f_frsize + files * ENTRY_BYTES
            if kind == "ramfs":
                used[device] = limit_bytes + 1
        return sum(used.values())

    def _exact(self, resident: dict[int, int], opened: dict[Object, int]) -> int:
        """Every page once: those of nameless files in memory are mapped, or open, or both."""
        private = 0
        mapped: dict[Object, int] = {}
        for pid, size in resident.items():
            try:
                pages, shared = _shares(pid)
                private += pages
                if shared:
                    self._add_mapped(pid, mapped)
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended
            except PermissionError:
                private += size  # the system does not tell: then all it holds is its own
        return private + sum(
            max(mapped.get(one, 0), opened.get(one, 0)) for one in mapped.keys() | opened.keys()
        )

    def _add_mapped(self, pid: int, mapped: dict[Object, int]) -> None:
        """Add what a process has mapped of nameless files in memory, its share of each page."""
        with open(f"/proc/{pid}/smaps", "rb") as file:
            for line in file:
                words = line.split()
                if b"-" in words[0]:
                    major, _, minor = words[3].partition(b":")
                    one = (os.makedev(int(major, 16), int(minor, 16)), int(words[4]))
                elif words[0] == b"Pss:" and one[0] == self._shared:
                    mapped[one] = mapped.get(one, 0) + int(words[1]) * 1024


def _shares(pid: int) -> tuple[int, int]:
    """The pages of a process but those of files in memory, and those; what is shared is divided among the sharers."""
    sizes = {b"Pss_Anon:": 0, b"Pss_File:": 0, b"Pss_Shmem:": 0, b"SwapPss:": 0}
    with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        for line in file:
            words = line.split()
            if words[0] in sizes:
                sizes[words[0]] = int(words[1]) * 1024
    shared = sizes.pop(b"Pss_Shmem:")
    return sum(sizes.values()), shared


def _mounts(pid: str) -> Iterator[tuple[int, str, str]]:
    """Yield the mounts of a process: the device, the kind of file system, the place; nothing if it has ended."""
    try:
        with open(f"/proc/{pid}/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                words, _, kind = line.partition(" - ")
                _, _, device, _, place, *_ = words.split(" ")
                major, _, minor = device.partition(":")
                place = (
                    place.replace("\\040", " ")
                    .replace("\\011", "\t")
                    .replace("\\012", "\n")
                    .replace("\\134", "\\")
                )
                yield os.makedev(int(major), int(minor)), kind.split(" ")[0], place
    except OSError:
        pass
