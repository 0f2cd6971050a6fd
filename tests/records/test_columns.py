"""The columns of the standings as people read them."""

import pytest

from arena.records.columns import shown_columns
from arena.tournaments.standings import standings
from tests.fixtures.tournament_builders import tournament


@pytest.mark.parametrize(("won", "text"), [(0, "-"), (1, "4"), (3, "4 4 4"), (4, "4 4 4 …")])
def test_best_games_end_with_dots_only_if_some_are_not_shown(won: int, text: str) -> None:
    games = ", ".join(["anna jan"] * won)
    table = standings(*tournament(f"anna-bo: {games}"))
    [column] = [column for column in shown_columns(table, {}) if column.key == "best_games"]
    assert column.cell(table.rows[0]) == text
