"""`arena admin`: the operator's orders to a venue that is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import A_PATH, note

if TYPE_CHECKING:
    from arena.server.series.admin_orders import AnyOrder

_MINUTES_AN_HOUR = 60


@click.group
@click.argument("folder", type=A_PATH)
@click.pass_context
def command(context: click.Context, folder: Path) -> None:
    """Give an order to the venue in FOLDER, which `arena serve` has opened.

    Each order is a line of the venue's log.

    \b
    Examples:
      arena admin venue invite
      arena admin venue rest bo --hours 2 --why "its author mends it"
      arena admin venue ban bo --why "it plays for another"
      arena admin venue announce "The cup begins at 20:00"
      arena admin venue reload
    """
    context.obj = folder


@command.command()
@click.option("--days", type=click.IntRange(1, 365), help="How long it can be used.  [default: 7]")
@click.pass_obj
def invite(folder: Path, days: int | None) -> None:
    """Print an invite for one bot. It can be used once."""
    from arena.server.series.admin_orders import MakeInvite

    click.echo(_give(folder, MakeInvite(days=days)))


@command.command()
@click.argument("bot")
@click.option("--hours", type=click.FloatRange(0, 8784), default=1.0, help="0 ends its rest.")
@click.option("--why", default="", help="What everybody is told.")
@click.pass_obj
def rest(folder: Path, bot: str, hours: float, why: str) -> None:
    """Pair BOT with none for a time. Its open matches go on."""
    from arena.server.series.admin_orders import GiveRest

    minutes = round(hours * _MINUTES_AN_HOUR)
    _give(folder, GiveRest(bot=bot, minutes=minutes, why=why))


@command.command()
@click.argument("bot")
@click.option("--why", default="", help="What everybody is told.")
@click.option("--lift", is_flag=True, help="Let it play again.")
@click.pass_obj
def ban(folder: Path, bot: str, why: str, *, lift: bool) -> None:
    """Let BOT play no more, and close its connection."""
    from arena.server.series.admin_orders import Ban

    _give(folder, Ban(bot=bot, why=why, lift=lift))


@command.command()
@click.argument("text")
@click.pass_obj
def announce(folder: Path, text: str) -> None:
    """Show TEXT on all pages; an empty one takes back what was said before."""
    from arena.server.series.admin_orders import Announce

    _give(folder, Announce(text=text))


@command.command()
@click.pass_obj
def reload(folder: Path) -> None:
    """Read `venue.toml` and the certificate again, and say what has changed."""
    from arena.server.series.admin_orders import Reload

    _give(folder, Reload())


def _give(folder: Path, order: AnyOrder) -> str:
    """Give an order, and print what was done; returns the code of a new invite."""
    from arena.services.administering import give_order

    answer = give_order(folder, order)
    for sentence in answer.sentences:
        note(sentence)
    return answer.invite
