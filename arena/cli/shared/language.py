"""The language of the terminal: that of `arena --language`, else that of the locale, in the commands that have it.

An output is in one language. So a command is in all languages as a whole, or in English as a whole.
"""

import os
import re
from collections.abc import Mapping
from typing import Any, Final

import click

from arena.words import DEFAULT, catalogue, say

IN_ALL_LANGUAGES: Final = frozenset({"run", "play", "standings", "watch", "report", "show"})
"""The commands of an organiser, a player and a spectator; every other one is English as a whole."""


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
    locale = next(
        (found for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (found := environment.get(name))),
        "",
    )
    return "sv" if re.match(r"sv(?![a-z])", locale, re.IGNORECASE) else "en"


def told(said: Any) -> str:
    """Return what the arena says, a `Said`, in the language of the terminal."""
    return say(said, language())


def in_words(heading: str) -> str:
    """Return a title or a heading in that language; one that no catalogue has, such as `#`, as it is."""
    return heading if language() == DEFAULT else str(catalogue(language()).get(heading, heading))


def counted(count: int, one: str, many: str = "") -> str:
    """Return the number and its English noun: "2 matches"; the plural ends in `s` unless it is given."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
