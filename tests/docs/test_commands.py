"""The texts of README and docs: the commands they name are there with their options, and no ending lacks a word."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import get_args

import click
import pytest

from arena.cli import main
from arena.games.tables.endings import EndingName
from tests.fixtures.doc_pages import PAGES, ROOT, blocks, in_line


def commands(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Every command with its name in full, groups before what is in them."""
    yield name, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for each in command.list_commands(context):
            below = command.get_command(context, each)
            assert below is not None
            yield from commands(f"{name} {each}", below)


COMMANDS = dict(commands("arena", main))
CALL = re.compile(r"(?:^|(?<=[\s/`|]))arena (?=[a-z-])")
"""The name of the program where a command follows it."""


def calls() -> list[tuple[str, str]]:
    """Every call of the arena in code: where, and its words as a shell line."""
    found = []
    for page in PAGES:
        for block in blocks(page):
            lines = block.text.replace("\\\n", " ").splitlines()
            numbered = (
                enumerate(lines, block.line + 1)
                if block.language in ("sh", "console", "text")
                else ()
            )
            found += [(f"{page.name}:{at}", line) for at, line in numbered if CALL.search(line)]
        found += [(f"{page.name}:{at}", code) for at, code in in_line(page) if CALL.match(code)]
    return [(place, line[match.start() :]) for place, line in found if (match := CALL.search(line))]


def problem_with(line: str) -> str | None:
    """What is wrong with a call, or None.

    Words in capitals stand for others; those of other programs do not count.
    """
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;")
    lexer.whitespace_split = True
    name, command, arguments = "arena", COMMANDS["arena"], 0
    words = iter(list(lexer)[1:])
    for word in words:
        if (
            word == "--"
            or word[0] in "|>&;"
            or (isinstance(command, click.Group) and word.isupper())
        ):
            break
        options = {
            option: each for each in command.params for option in (*each.opts, *each.secondary_opts)
        }
        if isinstance(command, click.Group) and not word.startswith("-"):
            if arguments:
                arguments -= 1  # of the group itself, as in `arena admin venue invite`
                continue
            name = f"{name} {word}"
            if name not in COMMANDS:
                return f"there is no command `{name}`"
            command = COMMANDS[name]
            arguments = sum(isinstance(each, click.Argument) for each in command.params)
        elif word in options:
            if isinstance(option := options[word], click.Option) and not (
                option.is_flag or option.count
            ):
                next(words, None)
        elif word.startswith("-") and word not in ("-", "--help", "--version"):
            return f"`{name}` has no option `{word}`; it has {', '.join(sorted(options))}"
    return None


@pytest.mark.parametrize(("place", "line"), [pytest.param(*call, id=call[0]) for call in calls()])
def test_what_is_called_is_there(place: str, line: str) -> None:
    assert problem_with(line) is None, f"{place}: {line}"


def test_no_extra_replaces_a_checkout_by_a_copy_of_it() -> None:
    """`make` installs the arena with -e; without it pip puts a copy in its place, and says nothing."""
    code = [path for top in ("arena", "tests") for path in (ROOT / top).rglob("*.py")]
    texts = {path: path.read_text(encoding="utf-8") for path in (*PAGES, *code, ROOT / "Makefile")}
    copies = {
        str(path): re.findall(r"install [^-\n`]*'?\.\[[^\n]*", text) for path, text in texts.items()
    }
    assert {name: found for name, found in copies.items() if found} == {}


def test_a_slip_of_the_pen_is_found() -> None:
    assert problem_with("arena show my-run --gam 1") is not None
    assert problem_with("arena shwo my-run") is not None
    assert problem_with("arena admin venue invit") is not None
    assert problem_with("arena show my-run --game 1 | less --no-such") is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_page_begins_with_what_it_is_for(page) -> None:
    """A title, then a sentence: no page begins with a list, a table or a command."""
    title, empty, first, *_ = page.read_text(encoding="utf-8").splitlines()
    assert title.startswith("# ")
    assert empty == ""
    assert not first.startswith(("|", "#", "-", "<", "```")), f"begins with {first!r}"


def test_every_ending_of_the_records_is_in_the_glossary() -> None:
    named = {code for _, code in in_line(ROOT / "docs" / "glossary.md")}
    assert {*get_args(EndingName), "forfeit", "monk"} <= named
