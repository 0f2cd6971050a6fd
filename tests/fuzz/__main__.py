"""Fuzzing on the command line: `python -m tests.fuzz --frames 1000000 --seed 1`.

Most cases go to codec and connection (`wire.py`), the referee (`referee.py`) and the readers of evaluators
(`files.py`), the rest to the pages (`http.py`) and to run folders (`folders.py`), unless `--only` says otherwise. Ends
with 0 if nothing unexpected was raised and memory has not grown, else with a traceback or 1. The same seed gives the
same cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import trio
import trio.testing

from tests.fuzz.files import FileFuzz
from tests.fuzz.folders import FolderFuzz
from tests.fuzz.http import fuzzed
from tests.fuzz.referee import RefereeFuzz
from tests.fuzz.wire import WireFuzz

WARM_UP = 0.2
"""The part of the frames after which memory is measured for the first time: caches are full by then."""
GROWTH_KIB = 8 * 1024
"""More than this between then and the end is a leak."""


def resident_kib() -> int:
    """Memory of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("this system does not tell how much memory a process has")


class Watch:
    """Measures memory after the warm-up and at the end, and tells both."""

    def __init__(self, name: str, frames: int) -> None:
        self._name = name
        self._frames = frames
        self._began = time.monotonic()
        self._before: int | None = None

    def look(self, done: int) -> None:
        """So many frames are done."""
        if self._before is None and done >= WARM_UP * self._frames:
            self._before = resident_kib()

    def end(self, done: int, counts: Counter[str]) -> bool:
        """Tell the figures; whether memory has stayed."""
        seconds = time.monotonic() - self._began
        after = resident_kib()
        before = after if self._before is None else self._before
        sys.stdout.write(f"{self._name}: {done:,} in {seconds:.0f} s, {done / seconds:,.0f} a second; ")
        sys.stdout.write(f"memory {before / 1024:.1f} MiB after the warm-up, {after / 1024:.1f} MiB at the end\n")
        for what, number in sorted(counts.items()):
            sys.stdout.write(f"  {what:<24} {number:>10,}\n")
        return after - before <= GROWTH_KIB


def fuzz_wire(frames: int, seed: int) -> bool:
    """Codec and connection; whether memory has stayed."""
    fuzz, watch = WireFuzz(seed), Watch("wire", frames)
    while fuzz.frames < frames:
        fuzz.step()
        watch.look(fuzz.frames)
    return watch.end(fuzz.frames, fuzz.counts)


def fuzz_referee(frames: int, seed: int) -> bool:
    """Sessions, table, machines, rules and records; whether memory has stayed."""

    async def play() -> bool:
        watch = Watch("referee", frames)
        with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
            async with trio.open_nursery() as nursery:
                fuzz = RefereeFuzz(seed, Path(place), nursery)
                while fuzz.frames < frames:
                    await fuzz.match()
                    watch.look(fuzz.frames)
                nursery.cancel_scope.cancel()
        return watch.end(fuzz.frames, fuzz.counts)

    return trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))


def fuzz_files(cases: int, seed: int) -> bool:
    """Weights, tables of races and checkpoints; whether memory has stayed."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        fuzz, watch = FileFuzz(seed, Path(place)), Watch("files", cases)
        while fuzz.cases < cases:
            fuzz.step()
            watch.look(fuzz.cases)
        return watch.end(fuzz.cases, fuzz.counts)


def fuzz_http(cases: int, seed: int) -> bool:
    """Requests to the pages of a run and of a seat; whether memory has stayed."""

    async def ask() -> bool:
        watch = Watch("http", cases)
        with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
            async with fuzzed(seed, Path(place)) as fuzz:
                while fuzz.cases < cases:
                    await fuzz.step()
                    watch.look(fuzz.cases)
            return watch.end(fuzz.cases, fuzz.counts)

    return trio.run(ask)


def fuzz_folders(cases: int, seed: int) -> bool:
    """Run folders with something strange in them; whether memory has stayed."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        fuzz, watch = FolderFuzz(seed, Path(place)), Watch("folders", cases)
        while fuzz.cases < cases:
            fuzz.step()
            watch.look(fuzz.cases)
        return watch.end(fuzz.cases, fuzz.counts)


class Target(NamedTuple):
    """What is fuzzed."""

    fuzz: Callable[[int, int], bool]
    share: float
    """Of all cases: a request or a folder takes far longer than a frame."""


TARGETS = {
    "wire": Target(fuzz_wire, 0.4),
    "referee": Target(fuzz_referee, 0.29),
    "files": Target(fuzz_files, 0.28),
    "http": Target(fuzz_http, 0.02),
    "folders": Target(fuzz_folders, 0.01),
}


def main() -> None:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=100_000, help="how many cases, in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives others")
    parser.add_argument("--only", choices=TARGETS, help="all to one target")
    given = parser.parse_args()
    if given.only:
        stayed = [TARGETS[given.only].fuzz(given.frames, given.seed)]
    else:
        stayed = [fuzz(round(share * given.frames), given.seed) for fuzz, share in TARGETS.values()]
    if not all(stayed):
        sys.stdout.write(f"memory has grown by more than {GROWTH_KIB // 1024} MiB: a leak\n")
    sys.exit(0 if all(stayed) else 1)


if __name__ == "__main__":
    main()
