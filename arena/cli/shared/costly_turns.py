"""The costliest turns of a bot, each with the better turn on the board.

`arena exam` and `arena analyse` print them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from arena.cli.shared.boards import board_lines
from arena.cli.shared.streams import echo_coloured

if TYPE_CHECKING:
    from arena.games import Game
    from arena.records.analysed import Analysis
    from arena.records.rows import DecisionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class CostlyTurn:
    """A turn, or a call for dice (B11.3), that was not the best."""

    game: Game[Any]
    loss: float
    """Thousandths of a point."""
    phase: str
    position: Any
    """The position before the turn, from the side of the bot."""
    dice: Sequence[int]
    played: str
    better: str
    after: Any
    """The position after the better turn, from the same side; for a call it is `position`."""
    is_call: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the turn for JSON."""
        return {
            "position": self.game.to_plain(self.position),
            "dice": self.dice,
            "phase": self.phase,
            "played": self.played,
            "better": self.better,
            "loss": self.loss,
        }


def print_costly(number: int, turn: CostlyTurn, where: str = "") -> None:
    """Print a costly turn and the board after the better turn, with its changes in parentheses."""
    roll = ""
    if turn.dice:
        roll = f"with {'-'.join(map(str, turn.dice))} "
    does = "calls for" if turn.is_call else "plays"
    click.echo(
        f"\n{number}. {where}{turn.loss:g} thousandths, {turn.phase}: {roll}it {does} "
        f"{turn.played}; better {turn.better}, on the board:"
    )
    picture = turn.game.picture(turn.after, before=turn.position, dice=tuple(turn.dice))
    echo_coloured(board_lines(picture, "  "))


class CostliestDecisions:
    """The costliest decisions of every bot, over any number of matches.

    It keeps `number` decisions of each bot.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._by_bot: dict[str, list[DecisionRow]] = {}

    def take(self, analysis: Analysis) -> None:
        """Take the decisions of one more match; attempts that are void do not count."""
        decisions, _ = analysis.counted
        for bot in analysis.head.entrants:
            costly = self._by_bot.get(bot, [])
            costly += [row for row in decisions if row.bot == bot and row.loss > 0]
            self._by_bot[bot] = self._costliest(costly)

    def of(self, bot: str | None) -> list[DecisionRow]:
        """Return the decisions of a bot, or of all bots, the costliest first."""
        if bot is not None:
            return self._by_bot.get(bot, [])
        return self._costliest([*chain.from_iterable(self._by_bot.values())])

    def _costliest(self, rows: Sequence[DecisionRow]) -> list[DecisionRow]:
        return nsmallest(self._number, rows, lambda row: (-row.loss, row.file, row.line))


def costly_turns(files: Mapping[str, bytes], rows: Iterable[DecisionRow]) -> Iterator[CostlyTurn]:
    """Yield the turns of decisions with their positions, which a replay of the records finds."""
    from arena.records.lines import read_as_far_as_possible
    from arena.records.replay import find_turn

    for row in rows:
        attempts, _ = read_as_far_as_possible(row.file, files[row.file])
        by_number = {attempt.opened.attempt: attempt for attempt in attempts}
        attempt = by_number[row.attempt]
        setting, state = find_turn(attempt, row.game, row.turn)
        rules, position = setting.rules, state.position
        yield CostlyTurn(
            game=rules,
            loss=row.loss,
            phase=row.phase,
            position=position,
            dice=row.dice,
            played=row.played,
            better=row.best,
            after=_position_after(rules, position, row),
            is_call=row.kind == "call",
        )


def _position_after(rules: Game[Any], position: Any, row: DecisionRow) -> Any:
    if row.kind == "call":
        return position
    for turn in rules.legal_turns(position, tuple(row.dice)):
        if rules.format_turn(turn.moves, position, turn.ending) == row.best:
            return turn.position
    raise AssertionError(f"{row.file}:{row.line}: {row.best} is one of the legal turns")
