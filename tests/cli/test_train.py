"""`arena train` refuses what it cannot train with in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.lab.plan import TrainingPlan, rulesets_with_options
from tests.cli.conftest import Arena


@pytest.mark.parametrize("widths", ["", "1", "0,4", "4097", "9" * 5000, "²", "2,,2", ",".join(["2"] * 9), "-4"])
def test_widths_that_no_network_has(arena: Arena, here: Path, widths: str) -> None:
    """The network for races is half as wide, so 1 is too few."""
    found = arena("train", "vasa", "--hidden", widths, "--out", "mine")
    assert (found.exit_code, found.stdout) == (2, "")
    assert "expected at most 8 whole numbers from 2 to 4096 with commas, such as 128,32" in found.stderr
    assert not (here / "mine").exists()


def test_a_training_does_not_go_on_from_a_damaged_checkpoint(arena: Arena, here: Path) -> None:
    (here / "mine").mkdir()
    plan = TrainingPlan(name="mine", rulesets=rulesets_with_options("vasa"), games=100, hidden=(4,))
    (here / "mine" / "plan.json").write_text(plan.text())
    (here / "mine" / "checkpoint").write_bytes(b"PK\x03\x04" + bytes(100))
    found = arena("train", "vasa", "--name", "mine", "--games", "100", "--deeper", "0", "--hidden", "4")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith("Error: mine/checkpoint is no checkpoint of a training: its first line cannot be")
    assert found.stderr.endswith("remove it to begin again, or give another --out\n")
