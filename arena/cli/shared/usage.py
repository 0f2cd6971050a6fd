"""Wrong use of a command, in the language of the terminal; click has it only in English."""

import re
from functools import cache
from typing import Final, NoReturn

import click

from arena.cli.shared.output import fail, note
from arena.words import Said, say
from arena.words.recognizing import english_sentences, recognize

_OF_CLICK: Final = (
    "usage.takes_no_value",
    "usage.needs_value",
    "usage.unexpected",
    "usage.unexpected_more",
    "usage.not_a_choice",
    "usage.not_a_number",
    "usage.not_in_any_range",
    "usage.not_in_range",
    "usage.no_file",
    "usage.no_path",
    "usage.is_a_folder",
    "usage.not_readable",
)
"""Sentences whose English is that of click, so that its messages can be recognized."""


class BadValueError(click.BadParameter):
    """An unusable value of an option or argument; says what was expected."""

    def __init__(self, sentence: Said) -> None:
        self.said = sentence
        super().__init__(say(sentence))


def refuse(error: click.UsageError) -> NoReturn:
    """End the command: print its usage, and what was wrong."""
    context = error.ctx
    if context is not None:
        pieces = context.command.collect_usage_pieces(context)
        note(Said("usage.line", {"command": context.command_path, "pieces": " ".join(pieces[1:])}))
        note(Said("usage.help", {"command": context.command_path}))
        click.echo(err=True)
    fail(said_of(error), code=error.exit_code)


def said_of(error: click.UsageError) -> Said:
    """Return what is wrong."""
    match error:
        case click.NoSuchOption():
            meant: Said | str = ""
            if error.possibilities:
                meant = Said("usage.meant", {"options": ", ".join(sorted(error.possibilities))})
            return Said("usage.no_option", {"option": error.option_name, "meant": meant})
        case click.MissingParameter():
            code = "usage.option_missing"
            if isinstance(error.param, click.Argument):
                code = "usage.no_argument"
            return Said(code, {"name": _hint(error)})
        case BadValueError():
            return Said("usage.bad_value", {"name": _hint(error), "problem": error.said})
        case click.BadParameter():
            problem = said_by_click(error.message)
            return Said("usage.bad_value", {"name": _hint(error), "problem": problem})
    return said_by_click(error.message)


def said_by_click(message: str) -> Said:
    """Return a message of click as a sentence for every language; quote an unknown one."""
    return recognize(message, _sentences())


def _hint(error: click.BadParameter) -> str:
    if error.param_hint is not None:
        return str(error.param_hint)
    if error.param is None or error.ctx is None:
        return ""
    return str(error.param.get_error_hint(error.ctx))


@cache
def _sentences() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return a pattern for each sentence of click, which may end with a full stop, and its code."""
    return english_sentences(_OF_CLICK, ".*?", r"\.?")
