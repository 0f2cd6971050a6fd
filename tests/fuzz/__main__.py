"""Fuzzing on the command line: `python -m tests.fuzz --frames 1000000 --seed 1`.

Most cases go to codec and connection (`wire.py`), the referee (`referee.py`) and the readers of evaluators
(`files.py`), the rest to the pages (`http.py`), run folders (`folders.py`) and tournament files (`plans.py`), unless
`--only` says otherwise. Ends with 0 if nothing unexpected was raised and memory has not grown, else with a traceback or
1. The same seed gives the same cases.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio
import trio.testing

from tests.fuzz.files import FileFuzz
from tests.fuzz.folders import FolderFuzz
from tests.fuzz.http import asked
from tests.fuzz.plans import PlanFuzz
from tests.fuzz.referee import refereed
from tests.fuzz.wire import WireFuzz

WARM_UP = 0.2
"""The part of the cases after which memory is measured for the first time: caches are full by then."""
GROWTH_KIB = 8 * 1024
"""More than this between then and the end is a leak."""
SHARES = {
    "wire": 0.4,
    "referee": 0.29,
    "files": 0.278,
    "http": 0.02,
    "folders": 0.01,
    "plans": 0.002,
}
"""Of all cases: a request, a folder or a tournament file takes far longer than a frame."""


def fuzzed(
    target: str, cases: int, seed: int, look: Callable[[int], object] = lambda _: None
) -> Any:
    """Try so many cases of a target; gives its fuzzer. `look` hears after each how many are done."""
    with tempfile.TemporaryDirectory(prefix="arena-fuzz-") as place:
        folder = Path(place)
        if target in ("http", "referee"):
            opened = {"http": asked, "referee": refereed}[target](seed, folder)

            async def run() -> Any:
                async with opened as fuzz:
                    while fuzz.cases < cases:
                        await fuzz.step()
                        look(fuzz.cases)
                return fuzz

            return trio.run(
                run,
                clock=trio.testing.MockClock(autojump_threshold=0) if target == "referee" else None,
            )
        fuzz = {"wire": WireFuzz, "files": FileFuzz, "folders": FolderFuzz, "plans": PlanFuzz}[
            target
        ](seed, folder)
        while fuzz.cases < cases:
            fuzz.step()
            look(fuzz.cases)
        assert list(folder.iterdir()) == []
        return fuzz


def resident_kib() -> int:
    """Memory of this process."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise RuntimeError("this system does not tell how much memory a process has")


def memory_stays(target: str, cases: int, seed: int) -> bool:
    """Fuzz a target, and tell its figures; whether memory has not grown since the warm-up."""
    began, before = time.monotonic(), 0

    def look(done: int) -> None:
        nonlocal before
        if not before and done >= WARM_UP * cases:
            before = resident_kib()

    fuzz = fuzzed(target, cases, seed, look)
    seconds, after = time.monotonic() - began, resident_kib()
    sys.stdout.write(
        f"{target}: {fuzz.cases:,} in {seconds:.0f} s, {fuzz.cases / seconds:,.0f} a second; "
    )
    sys.stdout.write(
        f"memory {before / 1024:.1f} MiB after the warm-up, {after / 1024:.1f} MiB at the end\n"
    )
    for what, number in sorted(fuzz.counts.items()):
        sys.stdout.write(f"  {what:<24} {number:>10,}\n")
    return after - before <= GROWTH_KIB


def main() -> None:
    """Fuzz as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--frames", type=int, default=100_000, help="how many cases, in all")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives others")
    parser.add_argument("--only", choices=SHARES, help="all to one target")
    given = parser.parse_args()
    shares = {given.only: 1} if given.only else SHARES
    stayed = [
        memory_stays(target, round(share * given.frames), given.seed)
        for target, share in shares.items()
    ]
    if not all(stayed):
        sys.stdout.write(f"memory has grown by more than {GROWTH_KIB // 1024} MiB: a leak\n")
    sys.exit(0 if all(stayed) else 1)


if __name__ == "__main__":
    main()
