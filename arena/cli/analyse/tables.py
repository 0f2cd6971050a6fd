"""Losses and luck of bots, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from arena.cli.shared.tables import UNLIMITED, name_cell, plain_table
from arena.records.analysed import MARKS, PHASES, BotLosses

HEADINGS = (
    "games",
    "deci-\nsions",
    "mean\nloss",
    "in\ncontact",
    "in a\nrace",
    "doubt-\nful",
    "bad",
    "blun-\nders",
    "luck",
    "luck\na game",
)


def print_losses(console: Console, title: str, losses: Sequence[BotLosses], names: Mapping[str, str]) -> None:
    """One row for each bot, the one that lost least a decision first."""
    console.width = UNLIMITED
    shown = plain_table(title)
    shown.add_column("bot", no_wrap=True)
    for heading in HEADINGS:
        shown.add_column(heading, justify="right")
    for bot in losses:
        shown.add_row(
            name_cell(names.get(bot.bot, bot.bot)),
            str(bot.games),
            str(bot.decisions.total()),
            _mean(bot.mean_loss()),
            *(_mean(bot.mean_loss(phase)) for phase in PHASES),
            *(str(bot.marks[mark]) for mark in MARKS),
            f"{bot.luck:+.2f}",
            "-" if bot.luck_per_game is None else f"{bot.luck_per_game:+.3f}",
        )
    console.print(shown)
    console.print("  loss: thousandths of a point a decision; luck: points above what the rolls bring on average")


def _mean(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"
