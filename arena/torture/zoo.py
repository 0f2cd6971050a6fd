"""All cases of the zoo, and how to run them."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import trio

from arena.torture import answers, deadlines, frames, launched, pace, sieges, stops, strangers
from arena.torture.case import Case, Found, PlayedCase

CASES: Final = (
    *strangers.CASES,
    *sieges.CASES,
    *frames.CASES,
    *answers.CASES,
    *pace.CASES,
    *deadlines.CASES,
    *stops.CASES,
    *launched.CASES,
)
"""Every case, in the order of the table."""

AT_ONCE: Final = 4 + 2 * (os.cpu_count() or 1)
"""How many cases run at the same time; most of the time they wait."""

Report = Callable[[PlayedCase], object]


async def run_cases(cases: Sequence[Case], report: Report = lambda _result: None) -> list[PlayedCase]:
    """Run cases, several at a time, each in an empty folder that is removed; gives the results in the same order.

    Those that must be alone follow, one after the other.
    """
    found: dict[str, Found] = {}
    limiter = trio.CapacityLimiter(AT_ONCE)

    async def run(case: Case, folder: Path) -> None:
        async with limiter:
            folder.mkdir(mode=0o700)  # an arena refuses to put a Unix socket where others can enter
            found[case.name] = await case.play(folder)
            report(PlayedCase(case=case, found=found[case.name]))

    with tempfile.TemporaryDirectory(prefix="arena-torture-") as place:
        async with trio.open_nursery() as nursery:
            for case in cases:
                if not case.is_alone:
                    nursery.start_soon(run, case, Path(place) / case.name)
        for case in cases:
            if case.is_alone:
                await run(case, Path(place) / case.name)
    return [PlayedCase(case=case, found=found[case.name]) for case in cases]
