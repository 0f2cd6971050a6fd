"""The sample bot in shell, without an adapter; tests/sample_bots plays it with one, as all sample bots."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tests.sample_bots.workshop import SAMPLES

SHELLS = [
    pytest.param(shell, marks=pytest.mark.skipif(shutil.which(shell[0]) is None, reason=f"{shell[0]} is not installed"))
    for shell in (["sh"], ["dash"], ["bash", "--posix"], ["busybox", "sh"])
]


@pytest.mark.parametrize("shell", SHELLS)
def test_any_shell_counts_the_legal_turns(shell: list[str]) -> None:
    """Whatever a turn looks like, every choice is one of them, and the last as likely as the first."""
    legals = ([[]], [[[1, 7]]], [[[1, 7], [1, 6]], [[1, 7], [7, 12]]], [[["d1", "d3"]]] * 3)
    lines = [
        json.dumps({"type": "turn", "game": 1, "last": {"moves": [[1, 2]]}, "legal": legal}, separators=(",", ":"))
        for legal in legals
        for _ in range(40)
    ]
    said = "\n".join(['{"type":"match_start"}', *lines, '{"type":"game_end"}', ""])
    done = subprocess.run(
        [*shell, SAMPLES / "shell" / "bot.sh"], input=said, capture_output=True, text=True, timeout=120, check=True
    )
    choices = [json.loads(line)["choice"] for line in done.stdout.splitlines()]
    assert done.stderr == ""
    assert [set(choices[at : at + 40]) for at in range(0, 160, 40)] == [set(range(len(legal))) for legal in legals]
