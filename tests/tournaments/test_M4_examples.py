"""M4 and M5: the worked examples of docs/tie-breaks.md are what the arena says."""
# ruff: noqa: N802 - clause ids keep their spelling in the names of tests

from __future__ import annotations

import re
from pathlib import Path

import pytest

from arena.tournaments.results import format_points
from arena.tournaments.standings import standings
from tests.tournaments.builders import tournament

PAGE = (Path(__file__).parents[2] / "docs" / "tie-breaks.md").read_text()
EXAMPLES = re.findall(r"```results\n(?:withdrawn: ([^\n]*)\n)?(.*?)```\n```standings\n(.*?)```", PAGE, flags=re.DOTALL)


def test_M4_every_example_of_the_page_is_found():
    assert len(EXAMPLES) == PAGE.count("```results") == PAGE.count("```standings") == 7


@pytest.mark.parametrize(("withdrawn", "results", "expected"), EXAMPLES)
def test_M4_the_worked_examples_are_what_the_arena_says(withdrawn, results, expected):
    table = standings(*tournament(results), withdrawn=withdrawn.split())
    lines = []
    for row in table.rows:
        place = "-" if row.place is None else f"{row.place}{'=' if row.is_shared else ''}"
        matches = f"{format_points(row.match_points)} match point{'' if row.match_points == 1 else 's'}"
        lines.append(
            f"{place} {row.entrant} {matches}, {row.points_for} game point{'' if row.points_for == 1 else 's'}"
        )
    lines += [tie.sentence for tie in table.tie_breaks]
    lines += table.notes
    assert "\n".join(lines) + "\n" == expected
