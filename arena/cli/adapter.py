"""`arena adapter`: bots that stand in for programs which do not speak the protocol."""

from collections.abc import Callable
from functools import partial
from typing import NoReturn

import click

from arena.cli.shared.lazy import LazyGroup
from arena.cli.shared.output import CHECK_FAILED, fail, with_options
from arena.own_programs import with_own_programs


@click.group(cls=LazyGroup)
def command() -> None:
    """Play a program that does not speak the arena's protocol.

    An adapter is a bot: `arena run` can start it, or you give it the address, name and token of an arena that runs
    elsewhere. See docs/adapters.md. Examples:

    \b
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
    """


_seat_options = with_options(
    click.option("--address", envvar="ARENA_ADDRESS", help="unix:/path, tcp:host:port or tls:host:port."),
    click.option("--name", envvar="ARENA_NAME", help="Entrant to play as; or ARENA_NAME."),
    click.option("--token", envvar="ARENA_TOKEN", help="Secret that goes with the name; better as ARENA_TOKEN."),
)


@command.command(context_settings={"allow_interspersed_args": False})
@_seat_options
@click.option(
    "--window",
    type=click.IntRange(1, 256),
    default=1,
    help="How many turns the program may be asked before it has answered the first.",
)
@click.option("--calls", is_flag=True, help="Ask the program how many dice to roll, where the rules give the choice.")
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def stdio(*, program: tuple[str, ...], window: int, calls: bool, **seat: str | None) -> None:
    """Play a PROGRAM that reads and writes lines of JSON.

    It reads messages and writes answers. The least it has to do: for every line with "type":"turn" write
    {"choice": N}, the index of one of the turns under "legal", and flush its output. Other lines may be skipped. At the
    end its standard input is closed. What it writes to standard error is passed through.

    \b
    Examples:
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter stdio --address tcp:127.0.0.1:4711 --name me -- awk -W interactive -f bot.awk
    """
    from arena.adapters.stdio import play_lines

    _leave_after(partial(play_lines, with_own_programs(program), window=window, wants_calls=calls), **seat)


@command.command()
@_seat_options
@click.option(
    "--plies",
    type=click.IntRange(0, 4),
    default=2,
    help="How deep it looks; each ply takes ten to thirty times as long.",
)
@click.option("--gnubg", "path", metavar="PATH", help="The program, if it is not found by its name.")
def gnubg(*, plies: int, path: str | None, **seat: str | None) -> None:
    """Play GNU Backgammon in the ruleset backgammon, without a cube.

    The adapter starts it in a process of its own with an empty home folder, and asks for each turn through the socket
    of its external player. It plays every game by itself: for the win alone, or with the option gammons for gammons
    and backgammons, too.

    \b
    Example:
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
    """
    from arena.adapters.gnubg import play_gnubg

    _leave_after(partial(play_gnubg, path=path, plies=plies), **seat)


def _leave_after(play: Callable[[str, str, str], int], **seat: str | None) -> NoReturn:
    """Play, and exit with its code: 1 if the program behind the adapter fails, 2 for wrong use."""
    from arena.adapters.child import AdapterError, leave_in_order
    from protocol.client import HOW_TO_START

    address, name, token = seat["address"], seat["name"], seat["token"]
    if not (address and name and token):
        missing = [option for option in ("address", "name", "token") if not seat[option]]
        fail(f"no {' and no '.join(missing)} is given; {HOW_TO_START}")
    leave_in_order()
    try:
        code = play(address, name, token)
    except AdapterError as error:
        fail(str(error), code=CHECK_FAILED)
    raise SystemExit(code)
