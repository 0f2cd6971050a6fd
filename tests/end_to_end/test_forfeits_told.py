"""Why a game was forfeited stands where one looks: in the progress of a run, its summary and its standings."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.end_to_end.runs import arena, honest, scripted, write_plan


def test_every_cause_is_told_with_its_figures(tmp_path: Path) -> None:
    bots = {
        "anna": honest(),
        "wild": scripted(tmp_path / "wild.py", "return [[1, 24]]"),
        "late": scripted(tmp_path / "late.py", "import time; time.sleep(9)"),
        "cat": ["cat"],
    }
    clock = {"delay_ms": 400, "bank_ms": 0}
    plan = write_plan(tmp_path, bots, clock=clock, tournament={"format": "gauntlet-1", "challengers": ["anna"]})
    result = arena("run", plan, "--out", tmp_path / "run")
    assert result.returncode == 1
    told = re.search(r"FORFEITS: illegal turn: 1/24 [^;]*? \(B[0-9.]+\), 3 games by wild", result.stderr)
    assert told, result.stderr
    assert re.search(r"FORFEITS: time: 4\d\d ms of 400 \+ 0, 3 games by late", result.stderr)
    assert "FORFEITS: no show: its program ended with exit status 0, 3 games by cat" in result.stderr
    assert "Error: cat never came to a match, and forfeited every game; what they said is in " in result.stderr
    sentence = re.compile(r"late forfeited 3 games by time: 4\d\d ms of 400 \+ 0 \(first in r2-late-v-anna, game 1\)")
    standings = arena("standings", tmp_path / "run").stdout
    for shown in (result.stdout, standings):
        assert sentence.search(shown), shown
        assert "wild forfeited 3 games by illegal turn: 1/24 " in shown
    as_json = json.loads(arena("standings", tmp_path / "run", "--json").stdout)
    assert any(sentence.fullmatch(one) for one in as_json["forfeits"])
