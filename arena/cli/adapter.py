"""`arena adapter`: bots that stand in for programs which do not speak the protocol."""

import socket
import sys
from collections.abc import Callable
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NoReturn

import click

from arena.cli.shared.lazy import LazyGroup
from arena.cli.shared.output import CHECK_FAILED, fail, with_options
from arena.own_programs import find_program

ENGINES: Final = (
    ("gnubg", "arena adapter gnubg", "apt-get install gnubg (Debian, Ubuntu)"),
    (
        "bgci",
        "arena adapter ubgi -- bgci engine pubeval",
        "cargo install --path . in a clone of github.com/bungogood/bgci, beside bungogood/bkgm",
    ),
)
"""Engines that work with the adapters: program, command to play it, how to install it."""
SETTLE_SECONDS: Final = 10.0
"""Time for the arena to complete the record of a match that is over."""


def _list_engines(
    context: click.Context,
    _: click.Parameter,
    is_wanted: bool,  # noqa: FBT001 - click's signature
) -> None:
    """Print the engines that can play here, and end the command."""
    if not is_wanted or context.resilient_parsing:
        return
    for program, line, how in ENGINES:
        path = find_program(program)
        state = f"is not installed; to install it: {how}"
        if path:
            state = f"is at {path}; play it by: {line}"
        click.echo(f"{program:5}  {state}")
    click.echo("\nany other engine that speaks UBGI plays by: arena adapter ubgi -- PROGRAM")
    click.echo("one that answers a board of FIBS by:       arena adapter fibs -- PROGRAM")
    click.echo("a program that reads lines of JSON by:     arena adapter stdio -- PROGRAM")
    context.exit()


@click.group(cls=LazyGroup)
@click.option(
    "--list",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_engines,
    help="List engines and leave.",
)
def command() -> None:
    """Play a program that does not speak the arena's protocol.

    An adapter is a bot: `arena run` can start it, or you give it the address, name and token of an
    arena that runs elsewhere. See docs/adapters.md. Examples:

    \b
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter --list
    """


_seat_options = with_options(
    click.option(
        "--address",
        envvar="ARENA_ADDRESS",
        help="unix:/path, tcp:host:port or tls:host:port.",
    ),
    click.option("--name", envvar="ARENA_NAME", help="Entrant to play as; or ARENA_NAME."),
    click.option(
        "--token",
        envvar="ARENA_TOKEN",
        help="Secret that goes with the name; better as ARENA_TOKEN.",
    ),
)

_program_options = with_options(
    _seat_options, click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
)
"""Options of an adapter that starts a program; the words after them are its command."""
_WORDS_OF_PROGRAM: Final = {"allow_interspersed_args": False}


@command.command(context_settings=_WORDS_OF_PROGRAM)
@_program_options
@click.option(
    "--window",
    type=click.IntRange(1, 256),
    default=1,
    help="Turns that the program may get before it has answered the first.",
)
@click.option(
    "--calls",
    is_flag=True,
    help="Ask the program how many dice to roll, where the rules give the choice.",
)
def stdio(*, program: tuple[str, ...], window: int, calls: bool, **seat: str | None) -> None:
    """Play a PROGRAM that reads and writes lines of JSON.

    It reads messages and writes answers. At least, for every line with "type":"turn", it must
    write {"choice": N}, the index of one of the turns under "legal", and flush its output. It may
    skip other lines. At the end its standard input is closed. Its standard error is passed
    through.

    \b
    Examples:
      arena run --bot lines="arena adapter stdio -- sh sample_bots/shell/bot.sh" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter stdio --address tcp:127.0.0.1:4711 --name me -- awk -W interactive -f bot.awk
    """
    from arena.adapters.stdio import LineBot, LineSession, play_program

    bot_of = partial(LineBot, window=window, wants_calls=calls)
    _leave_after(partial(play_program, program, bot_of, session_of=LineSession), **seat)


@command.command()
@_seat_options
@click.option(
    "--plies",
    type=click.IntRange(0, 4),
    default=2,
    help="Plies to look ahead; each one takes ten to thirty times as long.",
)
@click.option(
    "--gnubg",
    "path",
    metavar="PATH",
    help="The program, if it is not found by its name.",
)
def gnubg(*, plies: int, path: str | None, **seat: str | None) -> None:
    """Play GNU Backgammon in the ruleset backgammon, without a cube.

    The adapter starts it in a process of its own with an empty home folder, and asks for each turn
    through the socket of its external player. It plays every game by itself: for gammons and
    backgammons, too, or with the option no_gammons for the win alone.

    \b
    Example:
      arena run --ruleset backgammon --bot gnubg="arena adapter gnubg" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
    """
    from arena.adapters.gnubg import play_gnubg

    _leave_after(partial(play_gnubg, path=path, plies=plies), **seat)


@command.command(context_settings=_WORDS_OF_PROGRAM)
@_program_options
@click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="OPTION=VALUE",
    help="An option of the engine; may be repeated.",
)
def ubgi(*, program: tuple[str, ...], settings: tuple[str, ...], **seat: str | None) -> None:
    """Play an engine that speaks UBGI, in the ruleset backgammon, without a cube.

    PROGRAM is started with its arguments, and asked for each turn by the Universal Backgammon
    Interface.

    \b
    Examples:
      arena run --ruleset backgammon \\
                --bot engine="arena adapter ubgi -- python sample_bots/engine/engine.py" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter ubgi --address tcp:127.0.0.1:4711 --name me --set engine.ply=1 -- gnubg --ubgi
    """
    from arena.adapters.engines import UbgiEngine
    from arena.adapters.stdio import play_program

    pairs = []
    for assignment in settings:
        option, _, setting = assignment.partition("=")
        if not option or not setting:
            fail(f"--set {assignment!r}: expected OPTION=VALUE, such as --set engine.ply=1")
        pairs.append((option, setting))
    bot_of = partial(UbgiEngine, settings=pairs)
    _leave_after(partial(play_program, program, bot_of), **seat)


@command.command(context_settings=_WORDS_OF_PROGRAM)
@_program_options
@click.option(
    "--answer-word",
    metavar="WORD",
    default="",
    show_default=False,
    help="Skip lines that do not begin with this word.",
)
def fibs(*, program: tuple[str, ...], answer_word: str, **seat: str | None) -> None:
    """Play an engine that answers a board of FIBS, in the ruleset backgammon, without a cube.

    PROGRAM gets a line board:me:other:... for each turn, and answers with a line of moves, such as
    8/5 6/5.

    \b
    Examples:
      arena run --ruleset backgammon \\
                --bot engine="arena adapter fibs -- python sample_bots/engine/engine.py" \\
                --bot random="python sample_bots/random/bot.py" --out my-run
      arena adapter fibs --address tcp:127.0.0.1:4711 --name me --answer-word move -- ./my-engine
    """
    from arena.adapters.engines import LineEngine
    from arena.adapters.stdio import play_program

    bot_of = partial(LineEngine, answer_word=answer_word)
    _leave_after(partial(play_program, program, bot_of), **seat)


@command.command()
@_seat_options
@click.option(
    "--against",
    metavar="BOT",
    help="Play a match of its own against this sample bot, without an arena elsewhere.",
)
@click.option("--ruleset", default="vasa", help="Ruleset of the match of its own.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default="runs",
    help="Folder for the records of such matches.",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(1, 65535),
    help="Serve HTTP at this port of 127.0.0.1, not standard input; the address is printed.",
)
def mcp(
    *, against: str | None, ruleset: str, out: Path, port: int | None, **seat: str | None
) -> None:
    """Let a language model play, by the Model Context Protocol.

    The program of the model starts this command as a server, or connects to it by HTTP. The tools
    show the rules, the table and the legal turns, play a turn, wait and leave. The record marks the
    seat as that of an agent. Needs the extra `agents`.

    \b
    Examples:
      arena adapter mcp --against greedy
      arena adapter mcp --address tcp:127.0.0.1:4711 --name me --http 8019
    """
    if find_spec("mcp") is None:
        fail(
            "an agent plays by the library mcp, the extra `agents`; "
            f"install it with: {sys.executable} -m pip install 'mcp>=2,<3'"
        )
    from arena.cli import play
    from arena.person.agent import AgentSeat, serve_agent
    from arena.person.arena_run import OwnArena, Wanted, free_folder
    from arena.server.io.secret_values import new_token

    path = ""
    if port is not None:
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError as error:
            fail(f"port {port} of 127.0.0.1: {error.strerror}; give --http another port")
        path = f"/{new_token()}/mcp"
        click.echo(f"http://127.0.0.1:{port}{path}", err=True)
    if against is None:
        needed = _needed(**seat)
        agent = AgentSeat(lambda: None)
        agent.begin(*needed)
        serve_agent(agent, port, path)
        return
    with closing(OwnArena()) as arena:
        wanted = play.against(
            against, Wanted(opponent="", command="", ruleset=ruleset, name="agent", by_hand=False)
        )
        if wanted.command is None:
            fail("--against person: a person has no page here; use `arena run --person --remote`")
        run = arena.play(free_folder(out, against), wanted)
        agent = AgentSeat(lambda: None)
        agent.begin(run.address, run.entrant, run.tokens[run.entrant], run.folder)
        serve_agent(agent, port, path)
        if agent.sitting.phase in ("over", "left"):
            run.wait(SETTLE_SECONDS)


def _needed(**seat: str | None) -> tuple[str, str, str]:
    """Return address, name and token; end the command if one is missing."""
    from protocol.client import HOW_TO_START

    address, name, token = seat["address"], seat["name"], seat["token"]
    if not (address and name and token):
        missing = [option for option in seat if not seat[option]]
        fail(f"no {' and no '.join(missing)} is given; {HOW_TO_START}")
    return address, name, token


def _leave_after(play: Callable[[str, str, str], int], **seat: str | None) -> NoReturn:
    """Play, and exit with the code of the game: 1 if the program fails, 2 for wrong use."""
    from arena.adapters.child import AdapterError, leave_in_order

    leave_in_order()
    try:
        code = play(*_needed(**seat))
    except AdapterError as error:
        fail(str(error), code=CHECK_FAILED)
    raise SystemExit(code)
