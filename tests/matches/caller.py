"""A game with a choice of dice, for tests of calls (B11.3): vasa, but the side with an odd number at home may call."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from arena.games import Game
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.games.tables.ruleset import VASA


class Caller(TablesGame):
    """A game in which the side to move may call for one die while an odd number of its checkers stand at home."""

    def dice_to_call(self, position: Position) -> tuple[int, ...]:
        """One or two, or no choice."""
        at_home: int = self.to_plain(position)["points"][0]
        return (1, 2) if at_home > 0 and at_home % 2 else ()


CALLER = Caller(VASA)


@contextmanager
def by_these_rules(rules: Game[Any]) -> Iterator[None]:
    """Have records replayed by this game, which no record can name."""
    timeline = mock.patch("arena.records.timeline.rules_on_record", return_value=rules)
    with timeline, mock.patch("arena.records.replay.rules_on_record", return_value=rules):
        yield
