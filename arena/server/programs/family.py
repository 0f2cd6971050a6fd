"""The processes of a launched program, found in /proc, and the memory that they hold.

The supervisor loads this file by itself: it needs only the standard library, and only what is cheap
to import.
"""

import os
import resource
import sys
from collections.abc import Iterator

FORGET_LOOKS = 50
"""Looks until foreign processes are read again: their numbers may belong to others by then."""
HAS_PROC = sys.platform == "linux" and os.path.exists("/proc/self/stat")

STATE, PARENT, SESSION, CPU_FROM, CPU_TO, NICE, THREADS, RESIDENT = 0, 1, 3, 11, 15, 16, 17, 21
"""Places in the fields of /proc/PID/stat after the name; CPU time is four of them, all in ticks."""

PAGE_BYTES = resource.getpagesize()
BLOCK_BYTES = 512
"""The unit of `st_blocks`."""
ENTRY_BYTES = 1024
"""Memory that the system itself needs for a file in memory, even for an empty one."""
IN_MEMORY = ("tmpfs", "ramfs")
"""File systems that are kept in memory; the second has no bounds, so no bot may have one."""

Object = tuple[int, int]
"""A file in memory: its device and its number there."""


class ProcessFamily:
    """All living descendants of this process, found in /proc."""

    def __init__(self) -> None:
        self._me = os.getpid()
        self._foreign: set[int] = set()
        self._looks = 0

    def look(self) -> dict[int, list[str]]:
        """Return the descendants, parents before children, each with its `stat_fields`.

        Each look has them in the same order: which of them are beyond the cores must not change
        from look to look. Processes known to be foreign are not read again: they never become
        descendants.
        """
        if not HAS_PROC:
            return {}
        self._looks += 1
        if self._looks % FORGET_LOOKS == 0:
            self._foreign.clear()
        numbers = {int(name) for name in os.listdir("/proc") if name.isdecimal()}
        self._foreign &= numbers
        stats: dict[int, list[str]] = {}
        children: dict[int, list[int]] = {}
        for pid in sorted(numbers - self._foreign):
            fields = stat_fields(pid)
            if fields:
                stats[pid] = fields
                if pid != self._me:
                    children.setdefault(int(fields[PARENT]), []).append(pid)
        descendants = _descendants({self._me}, children)
        # Only a process below a foreign one is foreign: an orphan may be ours, if its parent has
        # ended during this look.
        self._foreign.update(_descendants({0, 1} | self._foreign, children))
        return {pid: stats[pid] for pid in descendants if stats[pid][STATE] != "Z"}


def _descendants(parents: set[int], children: dict[int, list[int]]) -> list[int]:
    """Return the processes below these parents, parents before children."""
    descendants: list[int] = []
    for parent in parents:
        descendants += children.get(parent, ())
    for pid in descendants:  # grows during the loop
        descendants += children.get(pid, ())
    return descendants


def stat_fields(pid: int) -> list[str]:
    """Return the fields of /proc/PID/stat after the name; empty for a process that has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            _, _, fields = file.read().rpartition(b")")
    except (FileNotFoundError, ProcessLookupError):
        return []
    return fields.decode("ascii").split()


def stands_still(pid: int) -> bool:
    """Return whether a process was stopped, by a signal or a debugger; False if unknown."""
    if not HAS_PROC:
        return False
    fields = stat_fields(pid)
    return bool(fields) and fields[STATE] in "Tt"


def send_signal(pids: list[int], number: int) -> None:
    """Send a signal to processes; some of them may have ended."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it has ended by itself


class HiddenError(Exception):
    """A process does not let its supervisor see what it holds."""


class HeldMemory:
    """Measures all memory that a program holds together with the processes it has started.

    It counts resident pages, files in memory that are open but not mapped (memfd, shared memory),
    and files in the folders that the sandbox keeps in memory. Memory of several processes counts
    once.
    """

    def __init__(
        self,
        wrappers: int,
        *,
        is_contained: bool,
    ) -> None:
        """Begin; the first processes of a family are the `wrappers` of the sandbox.

        A family that is not contained may have programs of other users, which cannot be read.
        """
        self._wrappers = wrappers
        self._is_contained = is_contained
        self._shared = -1
        """The device of memfds and of all shared memory without a name."""
        if hasattr(os, "memfd_create"):
            probe = os.memfd_create("probe")
            self._shared = os.fstat(probe).st_dev
            os.close(probe)
        self._everybodys = {device for device, _, _ in _mounts("self")}
        """The devices of files that others see as well."""

    def measure(
        self,
        family: dict[int, list[str]],
        limit_bytes: int,
    ) -> int:
        """Return the bytes held; exact if they are more than the limit. Raises `HiddenError`.

        The quick sum comes first. It counts shared pages once for each process, so it is too large
        or right. The exact sum may be too large at one moment: if a process ends between two looks,
        its share of common pages is counted, and then counts for those that share them. A second
        exact sum confirms the first.
        """
        resident = {pid: int(fields[RESIDENT]) * PAGE_BYTES for pid, fields in family.items()}
        bytes_by_open_file, folders = self._files_in_memory(family, limit_bytes)
        total = folders + sum(bytes_by_open_file.values()) + sum(resident.values())
        for _ in range(2):
            if total > limit_bytes:
                total = folders + self._exact(resident, bytes_by_open_file)
        return total

    def _files_in_memory(
        self,
        family: dict[int, list[str]],
        limit_bytes: int,
    ) -> tuple[dict[Object, int], int]:
        """Return the bytes of nameless files that are open, and those in folders in memory.

        Raises `HiddenError`.
        """
        bytes_by_open_file: dict[Object, int] = {}
        pid_by_namespace: dict[int, int] = {}
        for pid in list(family)[self._wrappers :]:
            try:
                bytes_by_open_file.update(self._open_files(pid))
                namespace = os.stat(f"/proc/{pid}/ns/mnt").st_ino
                pid_by_namespace.setdefault(namespace, pid)
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended
            except PermissionError as error:
                if self._is_contained:
                    raise HiddenError from error
        folders = sum(self._in_folders(pid, limit_bytes) for pid in pid_by_namespace.values())
        return bytes_by_open_file, folders

    def _open_files(self, pid: int) -> Iterator[tuple[Object, int]]:
        """Yield the nameless files in memory that a process has open, with their bytes."""
        for name in os.listdir(f"/proc/{pid}/fd"):
            try:
                status = os.stat(f"/proc/{pid}/fd/{name}")
            except FileNotFoundError:
                continue  # closed meanwhile
            if status.st_dev == self._shared:
                yield (status.st_dev, status.st_ino), status.st_blocks * BLOCK_BYTES

    def _in_folders(self, pid: int, limit_bytes: int) -> int:
        """Return the bytes in folders in memory that this process sees and we do not."""
        used = {}
        for device, kind, place in _mounts(str(pid)):
            if device in self._everybodys or kind not in IN_MEMORY:
                continue
            try:
                status = os.statvfs(f"/proc/{pid}/root{place}")
            except OSError:
                continue  # it has ended, or another mount covers this one
            if kind == "ramfs":
                used[device] = limit_bytes + 1
                continue
            files = status.f_files - status.f_ffree
            blocks = status.f_blocks - status.f_bfree
            used[device] = blocks * status.f_frsize + files * ENTRY_BYTES
        return sum(used.values())

    def _exact(
        self,
        resident: dict[int, int],
        bytes_by_open_file: dict[Object, int],
    ) -> int:
        """Count each page once: those of nameless files in memory are mapped, or open, or both."""
        private = 0
        mapped: dict[Object, int] = {}
        for pid, size in resident.items():
            try:
                pages, shared = _shares(pid)
                private += pages
                if shared:
                    for file, share in self._mapped_by(pid):
                        mapped[file] = mapped.get(file, 0) + share
            except (FileNotFoundError, ProcessLookupError):
                pass  # it has ended
            except PermissionError:
                private += size  # unknown: all its pages count as private
        total = private
        for file in mapped.keys() | bytes_by_open_file.keys():
            total += max(mapped.get(file, 0), bytes_by_open_file.get(file, 0))
        return total

    def _mapped_by(self, pid: int) -> Iterator[tuple[Object, int]]:
        """Yield nameless files in memory that a process has mapped, with its share in bytes."""
        with open(f"/proc/{pid}/smaps", "rb") as maps:
            for line in maps:
                words = line.split()
                if b"-" in words[0]:
                    major, _, minor = words[3].partition(b":")
                    device = os.makedev(int(major, 16), int(minor, 16))
                    file = (device, int(words[4]))
                elif words[0] == b"Pss:" and device == self._shared:
                    yield file, int(words[1]) * 1024


def _shares(pid: int) -> tuple[int, int]:
    """Return the bytes of a process without files in memory, and those of files in memory.

    Shared pages are divided among the processes that share them.
    """
    sizes = {
        b"Pss_Anon:": 0,
        b"Pss_File:": 0,
        b"Pss_Shmem:": 0,
        b"SwapPss:": 0,
    }
    with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
        for line in file:
            words = line.split()
            if words[0] in sizes:
                sizes[words[0]] = int(words[1]) * 1024
    shared = sizes.pop(b"Pss_Shmem:")
    return sum(sizes.values()), shared


def _mounts(pid: str) -> Iterator[tuple[int, str, str]]:
    """Yield device, kind of file system and place of each mount of a process that has not ended."""
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
