"""Standings and cross-table of entrants with long names, on terminals of different widths."""

from __future__ import annotations

import io
import re

import pytest

from arena.cli.shared.consoles import SafeConsole
from arena.cli.shared.tables import print_standings
from arena.tournaments.crosstable import crosstable
from arena.tournaments.standings import standings
from tests.tournaments.builders import tournament

NAMES = {
    "asa": "Åsa Ek, Vasa 1628",
    "bo": "Bo Lundström, Norrköping",
    "carl": "Carl-Gustaf von Rosenstierna",
    "eskil": "Eskil Långström, Uppsala [kår]",
}
FIELD = """
asa-bo: asa jan, asa jan, asa jan
carl-eskil: carl jan, carl off, carl off
asa-carl: asa jan, asa jan, asa off
bo-eskil: bo jan, eskil off, bo off
asa-eskil: asa jan, asa jan, eskil off
bo-carl: bo jan, bo off, carl off
"""


def printed(width: int, *, is_terminal: bool = True) -> list[str]:
    entrants, schedule, results = tournament(FIELD)
    table = standings(entrants, schedule, results, names=NAMES)
    file = io.StringIO()
    console = SafeConsole(
        file=file, width=width, force_terminal=is_terminal, color_system=None, soft_wrap=True, highlight=False
    )
    print_standings(console, table, crosstable(table, results))
    return [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in file.getvalue().splitlines()]


@pytest.mark.parametrize("width", [80, 90, 100])
def test_a_table_that_does_not_fit_has_places_for_heads_and_shorter_names(width: int) -> None:
    """The terminal would break each line in its middle, and no column stood below another."""
    lines = printed(width)
    assert max(map(len, lines)) <= width
    assert [line.split()[1:] for line in lines if line.split()[:2] == ["#", "1"]] == [["1", "2", "3", "4"]]
    [first] = [line.split() for line in lines if line.startswith(" 1  Åsa") and "·" in line]
    assert sorted(first[-4:]) == ["12:0", "8:1", "9:0", "·"]


def test_names_are_cut_only_as_far_as_they_must_be() -> None:
    assert any(" 2  Bo Lundström, Norrköpi…  " in line for line in printed(80)), printed(80)
    narrow = printed(30)
    assert any("29:1" in line and "Åsa Ek," in line for line in narrow), narrow


@pytest.mark.parametrize(("width", "is_terminal"), [(200, True), (80, False)])
def test_a_wide_terminal_and_a_file_have_whole_names(width: int, *, is_terminal: bool) -> None:
    """Programs read them."""
    lines = printed(width, is_terminal=is_terminal)
    for name in NAMES.values():
        assert sum(name in line for line in lines) == 3, "standings, head and row of the cross-table"
