"""`arena adapter gnubg`: GNU Backgammon as a bot."""

from __future__ import annotations

import click

from arena.cli.adapter.seat import leave_after, seat_options


@click.command()
@seat_options
@click.option(
    "--plies",
    type=click.IntRange(0, 4),
    default=2,
    show_default=True,
    help="How deep it looks; each ply takes ten to thirty times as long.",
)
@click.option("--gnubg", "path", metavar="PATH", help="The program, if it is not found by its name.")
def command(*, plies: int, path: str | None, address: str | None, name: str | None, token: str | None) -> None:
    """Play GNU Backgammon in the ruleset backgammon, without a cube.

    The adapter starts it in a process of its own with an empty home folder, and asks for each turn through the socket
    of its external player. It plays every game by itself: for the win alone, or with the option gammons for gammons
    and backgammons, too.

    \b
    Example:
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.adapters.gnubg import play_gnubg

    def play(address: str, name: str, token: str) -> int:
        return play_gnubg(address, name, token, path=path, plies=plies)

    leave_after(play, address=address, name=name, token=token)
