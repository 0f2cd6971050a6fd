"""`arena rules` on streams: constant memory, however long they are and whatever rulesets they bring."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from arena.games import load_game

MEASURED = """
import resource, sys
from arena.cli import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
"""`arena`, which says at its end how much memory it had at most (in KiB, on macOS in bytes)."""


def lines(number: int) -> Iterator[str]:
    """Questions about one position; every second line brings a house ruleset of its own."""
    vasa = load_game("vasa")
    position = vasa.to_plain(vasa.start())
    for index in range(number):
        ruleset = {"base": "classic", "name": f"house-{index}", "longest_prime": 6} if index % 2 else "vasa"
        yield json.dumps({"ruleset": ruleset, "position": position, "dice": [6, 5], "moves": [[1, 7], [7, 12]]})


def memory_of(number: int) -> int:
    """The most memory that `arena rules judge` had for a stream of so many lines, all of which it answers."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "rules", "judge"],
        input="\n".join(lines(number)),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.count('"legal":true') == number
    return int(done.stderr)


@pytest.mark.slow
def test_a_stream_of_20_000_lines_takes_no_more_memory_than_a_short_one():
    assert memory_of(20_000) < 1.1 * memory_of(1_000)
