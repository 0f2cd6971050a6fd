"""Writes docs/commands*.md from the commands themselves: `python -m tests.generators.make_commands`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import click

from arena.cli import main

DOCS: Final = Path(__file__).parents[2] / "docs"
_HEAD: Final = """\
# Commands

Every command of the arena, for those who know what they want to do; its link leads to its options. The tutorials for
[bot authors](your-first-bot.md) and [organisers](your-first-tournament.md) say what to do when. `arena help COMMAND`
prints the same as these pages, which are written by `python -m tests.generators.make_commands`.

Results go to standard output, progress and complaints to standard error. Exit status 0 is good; 1 says that what was
checked or played did not come out well, 2 that the command was used wrongly and nothing has happened, 130 that it was
interrupted. A terminal gets colour; set `NO_COLOR=1` for none.
Every command also takes `--help`.

"""
_PAGES: Final = {
    "commands-play.md": (
        "Commands that play",
        "Here are the commands that write, check and try bots, and play tournaments, with every option.",
        ("new", "check", "run", "play", "compare", "adapter"),
    ),
    "commands-read.md": (
        "Commands that read runs",
        "Here are the commands that show, check and export what was played, with every option.",
        ("standings", "watch", "stats", "analyse", "report", "log", "show", "replay", "verify", "query", "export"),
    ),
    "commands-rules.md": (
        "Commands about the rules",
        "Here are the commands that ask the rule book about positions and turns, with every option.",
        ("rules",),
    ),
    "commands-help.md": (
        "Commands about the arena",
        "Here are the commands that try your machine, train evaluators, make keys and explain the arena.",
        ("doctor", "train", "key", "help", "docs", "version", "completion"),
    ),
}
"""Title, first sentence and commands of each page."""


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Every command with its name in full, groups before what is in them."""
    yield from _below("arena", main, None)


def _below(
    name: str, command: click.Command, parent: click.Context | None
) -> Iterator[tuple[str, click.Command, click.Context]]:
    context = click.Context(command, info_name=name.rsplit(maxsplit=1)[-1], parent=parent)
    yield name, command, context
    if isinstance(command, click.Group):
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from _below(f"{name} {each}", below, context)


def pages() -> dict[str, str]:
    """Every page by its name."""
    listed = "\n".join(_list_of_commands())
    return {"commands.md": f"{_HEAD}{listed}\n"} | {
        name: f"# {title}\n\n{sentence} [All commands](commands.md).\n\n" + "\n".join(_sections(own))
        for name, (title, sentence, own) in _PAGES.items()
    }


def _list_of_commands() -> Iterator[str]:
    yield "| command | does |"
    yield "|---|---|"
    for name, command, _ in commands():
        if not isinstance(command, click.Group):
            [page] = [page for page, (_, _, own) in _PAGES.items() if name.split()[1] in own]
            yield f"| [{name}]({page}#{name.replace(' ', '-')}) | {_first_sentence(command)} |"


def _sections(names: Collection[str]) -> Iterator[str]:
    """Commands of these names, with what is below them."""
    for name, command, context in commands():
        if command is not main and name.split()[1] in names:
            yield _section(name, command, context)


def _section(name: str, command: click.Command, context: click.Context) -> str:
    usage = " ".join([name, *(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")])
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    rows = [_row(option, context) for option in options if not option.hidden]
    table = ["| option | says |", "|---|---|", *rows, ""] if rows else []
    level = "#" * len(name.split())
    return "\n".join([f"{level} {name}", "", f"`{usage.strip()}`", "", *_told(command), *table])


def _told(command: click.Command) -> Iterator[str]:
    """The help text: paragraphs as they are, what keeps its lines as a block."""
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        if paragraph.startswith("\b\n"):
            yield from ("```text", paragraph.removeprefix("\b\n"), "```", "")
        else:
            yield from (_plain(paragraph), "")


def _row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None, option
    takes, says = (" ".join(part.split()) for part in record)
    takes = takes.replace("INTEGER RANGE", "N").replace("FLOAT", "X").replace("|", "\\|")
    return f"| `{takes}` | {_plain(says)} |"


def _first_sentence(command: click.Command) -> str:
    return _plain(command.get_short_help_str(limit=1000))


def _plain(text: str) -> str:
    """Text that Markdown leaves alone, with links to the pages that are named."""
    quiet = re.sub(r"[|<*]", r"\\\g<0>", text)
    return re.sub(r"\bdocs/([\w-]+\.md)", r"[\1](\1)", quiet)


if __name__ == "__main__":
    for name, text in pages().items():
        (DOCS / name).write_text(text, encoding="utf-8")
