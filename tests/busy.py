"""Runs tests while six processes keep this machine busy, as other programs of a laptop do.

    python -m tests.busy                               every test, once
    python -m tests.busy --times 20 tests/x.py::test_y  a test that has failed, by itself, twenty times

All other arguments are pytest's. The busy processes end with this one.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUSY_PROCESSES = 6
BUSY = "import os\nparent = os.getppid()\nwhile os.getppid() == parent:\n    for _ in range(1_000_000): pass"
"""A program that uses all of a core, and ends when the process that started it is gone."""


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep the machine busy."""
    others = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(BUSY_PROCESSES)]
    try:
        yield
    finally:
        for process in others:
            process.kill()
            process.wait()


def main() -> int:
    """Run pytest as often as asked for; returns how many runs failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=1, help="how often the tests are run")
    options, arguments = parser.parse_known_args()
    failed = 0
    with busy_machine():
        for number in range(1, options.times + 1):
            done = subprocess.run([sys.executable, "-m", "pytest", *arguments], check=False)
            failed += done.returncode != 0
            print(f"run {number} of {options.times}; {failed} failed", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
