"""All cases of the zoo, and how to run them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.torture import answers, deadlines, frames, launched, pace, strangers
from arena.torture.case import Case, Found, Result

CASES: Final = (
    *strangers.CASES,
    *frames.CASES,
    *answers.CASES,
    *pace.CASES,
    *deadlines.CASES,
    *launched.CASES,
)
"""Every case, in the order of the table."""

AT_ONCE: Final = 4 + 2 * (os.cpu_count() or 1)
"""How many cases run at the same time; most of the time they wait."""

Report = Callable[[Result], object]


async def run_cases(cases: Sequence[Case], report: Report = lambda _result: None) -> list[Result]:
    """Run cases, several at a time, each in an empty folder that is removed; returns the results in the same order."""
    found: dict[str, Found] = {}
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def run(case: Case, folder: Path) -> None:
        async with limiter:
            folder.mkdir(mode=0o700)  # an arena refuses to put a Unix socket where others can enter
            found[case.name] = await case.play(folder)
            report(Result(case=case, found=found[case.name]))

    with tempfile.TemporaryDirectory(prefix="arena-torture-") as place:
        async with trio.open_nursery() as nursery:
            for case in cases:
                nursery.start_soon(run, case, Path(place) / case.name)
    return [Result(case=case, found=found[case.name]) for case in cases]
