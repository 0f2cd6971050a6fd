"""docs/inspecting.md: every command is run, every column is told."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from arena.records.rows import ANALYSED, TABLES, VIEWS, Row, columns_of
from tests.cli.conftest import Arena

PAGE = (Path(__file__).parents[2] / "docs" / "inspecting.md").read_text(encoding="utf-8")
COMMANDS = [found.replace("\\|", "|") for found in re.findall(r"^\| .* \| `(arena .*)` \|$", PAGE, re.MULTILINE)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_question_has_an_answer(arena: Arena, run_folder: Path, command: str) -> None:
    words = shlex.split(command)
    result = arena(*words[1:])
    assert result.exit_code == 0, result.stderr
    assert result.stdout


def test_the_questions_everybody_asks_are_there() -> None:
    assert len(COMMANDS) >= 15
    for words in ("rejection-counts", "slow-turns --limit 1", "--ending forced_jan", "win-rates"):
        assert any(words in command for command in COMMANDS)


def test_the_page_tells_every_column() -> None:
    _, tables = PAGE.split("\n## Tables\n")
    for table in (*TABLES, *ANALYSED, *VIEWS):
        [part] = re.findall(rf"^### {table}\n(.*?)(?=^### |\Z)", tables, re.MULTILINE | re.DOTALL)
        common = () if table == "matches" else Row.__struct_fields__
        rows = [
            f"| `{one.name}` | {one.kind} | {one.description} |" for one in columns_of(table) if one.name not in common
        ]
        assert [line for line in part.splitlines() if line.startswith("| `")] == rows
