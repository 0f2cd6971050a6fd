"""`arena adapter stdio`: a program that reads and writes JSON lines as a bot."""

from __future__ import annotations

import click

from arena.cli.adapter.seat import leave_after, seat_options
from arena.own_programs import with_own_programs


@click.command(context_settings={"allow_interspersed_args": False})
@seat_options
@click.option(
    "--window",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many turns the program may be asked before it has answered the first.",
)
@click.option("--calls", is_flag=True, help="Ask the program how many dice to roll, where the rules give the choice.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def command(
    *, program: tuple[str, ...], window: int, calls: bool, address: str | None, name: str | None, token: str | None
) -> None:
    """Play a PROGRAM that reads and writes lines of JSON.

    It reads messages and writes answers. The least it has to do: for every line with "type":"turn" write
    {"choice": N}, the index of one of the turns under "legal", and flush its output. Other lines may be skipped. At the
    end its standard input is closed. What it writes to standard error is passed through.

    \b
    Examples:
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter stdio --address tcp:127.0.0.1:4711 --name me -- awk -W interactive -f bot.awk
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.adapters.stdio import play_lines

    def play(address: str, name: str, token: str) -> int:
        return play_lines(with_own_programs(program), address, name, token, window=window, wants_calls=calls)

    leave_after(play, address=address, name=name, token=token)
