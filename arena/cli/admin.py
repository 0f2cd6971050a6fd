"""`arena admin`: the operator's orders to a venue that is open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import A_PATH, echo_json, json_option, note
from arena.words import Said

if TYPE_CHECKING:
    from arena.server.series.admin_orders import Answer, AnyOrder

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
@json_option("Print one JSON object.")
@click.pass_obj
def invite(folder: Path, days: int | None, *, as_json: bool) -> None:
    """Print an invite for one bot. It can be used once."""
    from arena.server.series.admin_orders import MakeInvite

    answer = _given(folder, MakeInvite(days=days))
    if as_json:
        echo_json({"invite": answer.invite, "until_ms": answer.until_ms})
        return
    note(answer.said)
    click.echo(answer.invite)


@command.command()
@click.argument("bot")
@click.option("--hours", type=click.FloatRange(0, 8784), default=1.0, help="0 ends its rest.")
@click.option("--why", default="", help="What everybody is told.")
@click.pass_obj
def rest(folder: Path, bot: str, hours: float, why: str) -> None:
    """Pair BOT with none for a time. Its open matches go on."""
    from arena.server.series.admin_orders import GiveRest

    minutes = round(hours * _MINUTES_AN_HOUR)
    note(_given(folder, GiveRest(bot=bot, minutes=minutes, why=why)).said)


@command.command()
@click.argument("bot")
@click.option("--why", default="", help="What everybody is told.")
@click.option("--lift", is_flag=True, help="Let it play again.")
@click.pass_obj
def ban(folder: Path, bot: str, why: str, *, lift: bool) -> None:
    """Let BOT play no more, and close its connection."""
    from arena.server.series.admin_orders import Ban

    note(_given(folder, Ban(bot=bot, why=why, lift=lift)).said)


@command.command()
@click.argument("text")
@click.pass_obj
def announce(folder: Path, text: str) -> None:
    """Show TEXT on all pages; an empty one takes back what was said before."""
    from arena.server.series.admin_orders import Announce

    note(_given(folder, Announce(text=text)).said)


@command.command()
@json_option("Print one JSON object.")
@click.pass_obj
def reload(folder: Path, *, as_json: bool) -> None:
    """Read `venue.toml` and the certificate again, and say what has changed."""
    from arena.server.series.admin_orders import Reload

    answer = _given(folder, Reload())
    if as_json:
        changes = [change._asdict() for change in answer.changes]
        echo_json({"changes": changes})
        return
    note(answer.said)
    for change in answer.changes:
        note(Said(f"reloaded.{change.when}", {"field": change.field}))


def _given(folder: Path, order: AnyOrder) -> Answer:
    """Give an order; returns the answer of the referee."""
    from arena.services.administering import give_order

    return give_order(folder, order)
