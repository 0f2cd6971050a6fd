"""Losses of every bot by its decisions, and its luck: sums over analyses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, get_args

from arena.records.analysed import Analysis
from arena.records.rows import GamePhase, Mark

PHASES: Final[tuple[GamePhase, ...]] = get_args(GamePhase)
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)


@dataclass(slots=True)
class BotLosses:
    """The decisions and rolls of one bot; attempts that are void do not count, nor what was forced."""

    bot: str
    games: int = 0
    """Games in which it rolled."""
    decisions: Counter[GamePhase] = field(default_factory=Counter)
    """How many, by phase."""
    lost: dict[GamePhase, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    """Thousandths of a point, by phase."""
    marks: Counter[Mark] = field(default_factory=Counter)
    rolls: int = 0
    luck: float = 0.0
    """Points that its own rolls brought it above the mean."""

    def mean_loss(self, *phases: GamePhase) -> float | None:
        """Thousandths of a point a decision, in these phases or in all; None without a decision."""
        phases = phases or PHASES
        number = sum(self.decisions[phase] for phase in phases)
        return sum(self.lost[phase] for phase in phases) / number if number else None

    @property
    def luck_per_game(self) -> float | None:
        """Points; None without a game."""
        return self.luck / self.games if self.games else None


class Losses:
    """Counts analyses one after the other."""

    def __init__(self) -> None:
        self._found: dict[str, BotLosses] = {}

    def take(self, analysis: Analysis) -> None:
        """One more match."""
        decisions, rolls = analysis.counted
        played: set[tuple[str, int]] = set()
        for roll in rolls:
            bot = self._of(roll.bot)
            bot.rolls += 1
            bot.luck += roll.luck
            bot.games += (roll.bot, roll.game) not in played
            played.add((roll.bot, roll.game))
        for one in decisions:
            bot = self._of(one.bot)
            if one.forced:
                continue
            bot.decisions[one.phase] += 1
            bot.lost[one.phase] += one.loss
            if one.mark:
                bot.marks[one.mark] += 1

    def _of(self, name: str) -> BotLosses:
        return self._found.setdefault(name, BotLosses(name))

    def ranked(self) -> list[BotLosses]:
        """Every bot that has rolled, the one that lost least a decision first; of equal ones by name."""

        def key(bot: BotLosses) -> tuple[bool, float, str]:
            mean = bot.mean_loss()
            return mean is None, mean or 0, bot.bot

        return sorted(self._found.values(), key=key)


def losses_of(analyses: Iterable[Analysis]) -> list[BotLosses]:
    """Every bot of these matches, ranked."""
    losses = Losses()
    for analysis in analyses:
        losses.take(analysis)
    return losses.ranked()
