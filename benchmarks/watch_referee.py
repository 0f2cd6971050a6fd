"""Is the referee slower while somebody watches? The processor time of a turn with the pages running, and stopped.

    python benchmarks/watch_referee.py                 100 pairs of blocks, a minute or two

One process plays 64 games at once, as turns.py does; one process of `arena watch` follows its records, with a viewer of
the first page, which has the board of every match. After every block of turns the pages are stopped (SIGSTOP) or go on
(SIGCONT). So both kinds of block are played by the same process, side by side in time, and whatever else the machine
does meets both alike. Of each pair of neighbours it takes the ratio of the processor time of `Session.received`, user
and system, and prints the median of these ratios with an interval in which it lies 95 times of 100 (bootstrap). Pages
that go on read what was written while they were stopped, so their blocks have twice the work of pages that always run.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from random import Random
from statistics import fmean, median, quantiles

import trio
import turns
from machine import scratch_folder
from watched_runs import Pages, pages, run_log

GAMES = 64
BLOCK = 40
"""Batches in a block, each with a turn of every game: some 0.1 s of processor time."""
SETTLING = 4
"""The first batches of a block do not count: the pages begin or end with what they are doing."""
READ = "import sys, urllib.request as u\nanswer = u.urlopen(sys.argv[1])\nwhile answer.read1(1 << 16): pass"


class Blocks(list[float]):
    """The microseconds a turn of each batch; stops the pages and lets them go on as blocks end."""

    def __init__(self, web: Pages) -> None:
        super().__init__()
        self._web = web

    def append(self, us: float) -> None:
        super().append(us)
        if len(self) % BLOCK == 0:
            is_watched = (len(self) // BLOCK + 1) // 2 % 2  # stopped, runs, runs, stopped: so that no trend counts
            self._web.process.send_signal(signal.SIGCONT if is_watched else signal.SIGSTOP)

    def ratios(self) -> list[float]:
        """Watched to not watched, of each pair of neighbours."""
        means = [fmean(self[at + SETTLING : at + BLOCK]) for at in range(0, len(self) - BLOCK + 1, BLOCK)]
        pairs = [*pairwise(means)][::2]
        return [two / one if number % 2 == 0 else one / two for number, (one, two) in enumerate(pairs)]


def interval(ratios: Sequence[float]) -> tuple[float, float]:
    """Where the median lies 95 times of 100."""
    chance = Random(1)
    cuts = quantiles([median(chance.choices(ratios, k=len(ratios))) for _ in range(4000)], n=40)
    return cuts[0], cuts[-1]


def measure(pairs: int) -> None:
    turns.BATCHES = turns.WARM_UP + BLOCK * pairs
    names = [f"r{number}-anna-v-bo" for number in range(1, GAMES + 1)]
    with scratch_folder() as folder:
        run_log(folder, ["anna", "bo"], GAMES, names)
        with pages(folder) as web:
            times = Blocks(web)
            first = subprocess.Popen([sys.executable, "-c", READ, f"{web.address}events/run"])
            try:
                web.process.send_signal(signal.SIGSTOP)  # as the first block is not watched
                trio.run(turns.play, folder / "matches", GAMES, times)
            finally:
                web.process.send_signal(signal.SIGCONT)
                first.kill()
                first.wait()
            cpu = web.cpu_seconds
    ratios = times.ratios()
    low, high = interval(ratios)
    print(f"{len(ratios)} pairs of blocks, {len(times) * GAMES} turns, median {median(times):.1f} us a turn")
    print(f"watched / not watched: median {median(ratios):.4f}, 95 of 100 times from {low:.4f} to {high:.4f}")
    print(f"the pages used {cpu:.0f} s of processor time meanwhile")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100)
    measure(parser.parse_args().pairs)
