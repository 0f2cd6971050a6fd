"""docs/adapters.md: every line shown is a valid one, every field has its row. tests/docs runs the commands."""

from __future__ import annotations

import re

import msgspec

from arena.adapters.lines import Answer, format_line, read_answer
from protocol.messages import FromArena
from tests.end_to_end.runs import REPOSITORY
from tests.protocol.samples import REJECTED, TURN

PAGE = (REPOSITORY / "docs" / "adapters.md").read_text("utf-8")
LINES = [line for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL) for line in block.splitlines()]


def test_the_lines_are_lines() -> None:
    told = [line for line in LINES if '"type"' in line]
    assert told == [format_line(message).decode().strip() for message in (TURN, REJECTED)]
    assert [read_answer(line.encode()) for line in LINES if line not in told] == [
        Answer(choice=0),
        Answer(moves=[[1, 7], [7, 9]]),
        Answer(game=1, turn=1, choice=1, info={"note": "a hunch"}),
        Answer(dice=1),
    ]


def test_the_page_is_whole() -> None:
    answers = PAGE.partition("### What it answers")[2].partition("```")[0]
    assert set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|([^|]*)\|", answers, re.MULTILINE)))) == set(
        Answer.__struct_fields__
    )
    named = set(re.findall(r"`(\w+)`", PAGE.partition("It sends ")[2].partition(".")[0]))
    types = {msgspec.inspect.type_info(one).tag for one in FromArena.__args__}  # type: ignore[attr-defined]
    assert named == types - {"hello", "welcome", "match_reveal", "error", "ping", "pong", "bye"}
