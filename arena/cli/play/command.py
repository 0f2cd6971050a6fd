"""`arena play`: a person against a bot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.cli.shared.playing import command_words, name_and_command

if TYPE_CHECKING:
    from arena.cli.play.words import Language
    from arena.person.arena_run import Wanted


@click.command()
@click.argument("bot", required=False)
@click.option("--ruleset", default="vasa", show_default=True, help="Name of the ruleset.")
@click.option("--option", "options", multiple=True, help="An option of the ruleset, such as one_die.")
@click.option("--games", type=click.Choice(["3", "5", "7"]), default="3", show_default=True, help="Games of the match.")
@click.option("--name", default="you", show_default=True, help="What you are called in the record.")
@click.option("--terminal", is_flag=True, help="Play here, by typing moves, and not in a browser.")
@click.option("--language", type=click.Choice(["en", "sv"]), help="Language of --terminal.  [default: your locale's]")
@click.option("--delay-ms", type=click.IntRange(0), default=1000, show_default=True, help="Free time for every turn.")
@click.option(
    "--bank-ms", type=click.IntRange(0), default=86_400_000, show_default="a day", help="Time for a game beyond it."
)
@click.option("--out", type=click.Path(path_type=Path), help="The run folder.  [default: runs/play-BOT-NUMBER]")
@click.option(
    "--listen",
    metavar="HOST:PORT",
    default="127.0.0.1:0",
    show_default=True,
    help="Where to serve the page; port 0 takes a free one.",
)
@click.option(
    "--certificate",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A TLS certificate, for an address that other machines reach.",
)
@click.option("--key", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="The key of the certificate.")
@click.option("--behind-proxy", is_flag=True, help="A reverse proxy in front of the page does the encryption.")
@click.option("--open/--no-open", "is_opened", default=None, help="Open the browser.  [default: where there is one]")
def command(
    bot: str | None,
    ruleset: str,
    options: tuple[str, ...],
    games: str,
    name: str,
    language: Language | None,
    delay_ms: int,
    bank_ms: int,
    out: Path | None,
    listen: str,
    certificate: Path | None,
    key: Path | None,
    *,
    terminal: bool,
    behind_proxy: bool,
    is_opened: bool | None,
) -> None:
    """Play a match by hand against BOT: in the browser, or with --terminal by typing.

    BOT is the name of a sample bot (random, greedy, lookahead, neural; brandubh-easy and brandubh for Brandubh),
    NAME=COMMAND or the command of a bot of yours, or the folder of a match that you have interrupted. Without it you
    choose on the page; in the terminal you get the one for beginners. The match is an ordinary run, with verifiable
    dice, the referee and a record, in which you are marked as a person. docs/playing.md explains everything. The page
    needs the extra `web`; hints and the costliest turns need the extra `analysis`.

    \b
    Examples:
      arena play
      arena play greedy --terminal
      arena play neural --ruleset backgammon
      arena play "python my-bot/bot.py"
      arena play runs/play-greedy-1
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.person.arena_run import RunError, Wanted
    from arena.person.opponents import default_opponent

    folder = Path(bot) if bot is not None and (Path(bot) / "tournament.toml").is_file() else None
    if folder is None:
        chosen = bot if bot is not None or not terminal else default_opponent(_known(ruleset, options)).name
        wanted = None if chosen is None else _wanted(chosen, ruleset, options, games, name, delay_ms, bank_ms)
    else:
        wanted = None
    try:
        if terminal:
            from arena.cli.play.terminal import play
            from arena.cli.play.words import Words, language_of

            play(folder or out or _free(wanted), None if folder else wanted, Words(language or language_of(os.environ)))
        else:
            from arena.cli.play.browser import serve_page
            from arena.cli.shared.pages import need_web

            need_web()
            default = Wanted(
                opponent="",
                command="",
                ruleset=_known(ruleset, options),
                options=options,
                games=cast("Any", int(games)),
                name=name,
                delay_ms=delay_ms,
                bank_ms=bank_ms,
            )
            place: dict[str, Any] = {"certificate": certificate, "key": key, "is_behind_proxy": behind_proxy}
            serve_page(default, folder, wanted, listen, place, out=out, is_opened=is_opened)
    except RunError as error:
        fail(str(error).removeprefix("Error: "), code=CHECK_FAILED)


def _free(wanted: Wanted | None) -> Path:
    from arena.person.arena_run import free_folder
    from arena.tournaments.names import plain_id

    assert wanted is not None, "the terminal always has an opponent"
    return free_folder(Path("runs"), plain_id(wanted.opponent))


def _known(ruleset: str, options: tuple[str, ...]) -> str:
    """The name of the ruleset; ends the command if it cannot be played."""
    from arena.games import GameError, load_game

    try:
        load_game(ruleset, options)
    except GameError as error:
        fail(f"--ruleset {ruleset}: {error}")
    return ruleset


def _wanted(
    bot: str, ruleset: str, options: tuple[str, ...], games: str, name: str, delay_ms: int, bank_ms: int
) -> Wanted:
    """The match that was asked for; ends the command if there is no such bot, or if it plays another game."""
    from arena.person.arena_run import Wanted
    from arena.person.opponents import opponent_named, opponents_for

    _known(ruleset, options)
    playing, known = opponents_for(ruleset), opponent_named(bot)
    names = ", ".join(one.name for one in playing)
    if known is not None:
        if known not in playing:
            fail(f"{bot} does not play {ruleset}; choose one of {names}")
        if not known.is_ready:
            from arena.extras import install_command

            fail(f"{bot} needs NumPy, the extra `analysis`; install it with: {install_command('analysis')}")
        called, line = known.name, known.command()
    else:
        given, line = name_and_command(bot)
        called = given or "bot"
        if " " not in bot and "=" not in bot and not Path(bot).exists():
            fail(f"there is no bot {bot!r}; choose one of {names}, or give a command or the folder of a match")
        if not command_words(line):
            fail(f'{bot!r} has no command; give NAME=COMMAND, such as anna="python anna.py"')
    return Wanted(
        opponent=called,
        command=line,
        ruleset=ruleset,
        options=options,
        games=cast("Any", int(games)),
        name=name,
        delay_ms=delay_ms,
        bank_ms=bank_ms,
    )
