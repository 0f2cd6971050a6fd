"""`arena new`: a bot to start from, in a language of your choice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.shared.output import CHECK_FAILED, fail
from arena.nearest import nearest

if TYPE_CHECKING:
    from arena.cli.new.starters import Starter


@click.command()
@click.argument("language")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--name", help="The bot's name in a tournament; the folder's name by default.")
def command(language: str, folder: Path, name: str | None) -> None:
    """Write a bot that already plays, to start from.

    LANGUAGE is c, go, java, javascript, python, rust or shell, or the name of a sample bot that plays to win: greedy,
    lookahead, neural or brandubh. FOLDER is where the bot is written; it must not exist
    yet, or be empty. The command writes the sample bot, with a README. Then it prints the commands
    that build the bot and let it play three games against a second copy of itself.

    \b
    Examples:
      arena new python my-bot
      arena new neural rival
    """  # noqa: D301 - click's mark for a block that keeps its lines
    from arena.cli.new.starters import LANGUAGES, TWIN, this_arena
    from arena.tournaments.names import display_problems, entrant_problems, plain_id

    starter = _starter(language)
    given = folder.absolute().name if name is None else name
    entrant = plain_id(given)
    if entrant_problems([entrant]):
        fail(f"no id can be made of the name {given!r}; give another one with --name, such as --name anna")
    called = entrant if name is None else name
    if problems := (*entrant_problems((entrant, TWIN)), *display_problems({entrant: called})):
        fail("; ".join(problems))
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            found = "a folder with something in it" if folder.is_dir() else "a file"
            fail(f"{folder} is {found}, and nothing is ever overwritten; name a new or an empty folder")
        starter.copy(folder, called)
    except OSError as error:
        fail(f"{error.filename or folder} cannot be written: {error.strerror or error}", code=CHECK_FAILED)
    build = starter.build_in(str(folder))
    what = f"A bot in {language}" if language in LANGUAGES else f"A copy of {language}"
    click.echo(f"{what} is in {folder}; its README.md says what it needs and where to put your own ideas.")
    if build:
        click.echo(f"\nBuild it:\n  {build}")
    play = starter.play_in(str(folder), called, arena=this_arena())
    click.echo(f"\nHave it play three games against a second copy of itself:\n  {play}")


def _starter(language: str) -> Starter:
    """The sample bot of a language; ends the command if there is none."""
    from arena.cli.new.starters import LANGUAGES, PLAYERS, STARTERS, Starter
    from arena.shipped import shipped

    if language not in STARTERS:
        hint = nearest(language.lower(), STARTERS) or "; for another one, docs/protocol.md says all a bot needs"
        fail(
            f"there is no starter in {language!r}; "
            f"there are some in {', '.join(LANGUAGES)}, and {', '.join(PLAYERS)}{hint}"
        )
    path = shipped("sample_bots") / STARTERS[language]
    if not path.is_dir():
        fail(f"the starters are not installed: there is no {path}; install the arena again", code=CHECK_FAILED)
    return Starter(path)
