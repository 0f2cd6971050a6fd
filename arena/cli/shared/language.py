"""The language of the terminal: from `arena --language`, else from the locale.

A command prints in one language: either all of it is translated, or all of it is in English.
"""

import os
import re
from collections.abc import Mapping
from typing import Any, Final

import click

from arena.words import DEFAULT, catalogue, say

IN_ALL_LANGUAGES: Final = frozenset(
    {"admin", "join", "play", "report", "run", "show", "standings", "watch"}
)
"""Translated commands: those of an organiser, a player and a spectator. All others are English."""


def language() -> str:
    """Return the language in which the command that is running speaks."""
    context = click.get_current_context(silent=True)
    if context is None:
        return DEFAULT
    root = context.find_root()
    if root.invoked_subcommand not in IN_ALL_LANGUAGES:
        return DEFAULT
    return str(root.obj or language_of(os.environ))


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that the environment asks for: Swedish if its locale is Swedish."""
    locale = ""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        locale = environment.get(name, "")
        if locale:
            break
    return "sv" if re.match(r"sv(?![a-z])", locale, re.IGNORECASE) else "en"


def translate(sentence: Any) -> str:
    """Return a sentence, a `Said`, in the language of the terminal."""
    return say(sentence, language())


def in_words(heading: str) -> str:
    """Return a title or a heading in that language.

    One that no catalogue has, such as `#`, stays as it is.
    """
    if language() == DEFAULT:
        return heading
    return str(catalogue(language()).get(heading, heading))


def with_noun(count: int, singular: str, plural: str = "") -> str:
    """Return a number and its English noun: "2 matches"; the default plural ends in `s`."""
    if count == 1:
        return f"{count} {singular}"
    return f"{count} {plural or f'{singular}s'}"
