"""Writes docs/api.md: the names of the bot kit and of the rules, from their docstrings.

`python -m tests.generators.make_api`; tests/docs/test_api.py says whether the page is fresh.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Final

import arena.games
import protocol.client

PATH: Final = Path(__file__).parents[2] / "docs" / "api.md"
MODULES: Final = (protocol.client, arena.games)
LONGEST: Final = 60
"""The most characters of a constant or an alias that the page shows."""
TOP: Final = """\
# The names of the kit and of the rules

This page lists what a bot or a tool in Python may import, with the first sentence of each docstring.
`help(Bot)` in Python prints the rest. [writing-a-bot.md](writing-a-bot.md) and
[rules-library.md](rules-library.md) show how these names work together.

The page is made from the code by `python -m tests.generators.make_api`.
"""


def page() -> str:
    """Return the whole page."""
    parts = [TOP]
    for module in MODULES:
        parts.append(f"## {module.__name__}\n\n{first_sentence(module)}\n")
        names = sorted(module.__all__, key=str.lower)
        parts.extend("\n".join(entry(module, name)) + "\n" for name in names)
    return "\n".join(parts)


def entry(module: ModuleType, name: str) -> Iterator[str]:
    """Yield the lines about one name of a module."""
    thing = getattr(module, name)
    if inspect.isclass(thing):
        yield f"### {name}\n\n{first_sentence(thing)}"
        methods = list(public_methods(thing))
        if methods:
            yield ""
        yield from methods
    elif inspect.isroutine(inspect.unwrap(thing)):
        yield f"### {name}\n\n`{name}{signature(thing)}`: {first_sentence(thing)}"
    else:
        yield f"### {name}\n\n{described(name, thing)}"


def public_methods(kind: type) -> Iterator[str]:
    """Yield a line for each public method and property that the class itself defines."""
    for name, member in vars(kind).items():
        if name.startswith("_") or issubclass(kind, enum.Enum):
            continue
        if isinstance(member, property):
            yield f"- `{name}`: {first_sentence(member)}"
        elif inspect.isfunction(member) and member.__doc__:
            yield f"- `{name}{signature(member)}`: {first_sentence(member)}"


def first_sentence(thing: object) -> str:
    """Return the first line of a docstring."""
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def signature(thing: object) -> str:
    """Return the parameters of a function by name, without `self` and without types."""
    names = []
    for parameter in inspect.signature(thing).parameters.values():  # type: ignore[arg-type]
        if parameter.name == "self":
            continue
        default = parameter.default
        if inspect.isclass(default) and default is not parameter.empty:
            names.append(f"{parameter.name}={default.__name__}")
        else:
            names.append(str(parameter.replace(annotation=parameter.empty)))
    return f"({', '.join(names)})"


def described(name: str, thing: object) -> str:
    """Return a constant as it is, or the form of a type alias, if it is short enough to help."""
    text = repr(thing).replace("collections.abc.", "").replace("arena.games.interface.", "")
    if len(text) > LONGEST:
        return "A text for people." if isinstance(thing, str) else "A type alias."
    return f"`{name}` is `{text}`."


if __name__ == "__main__":
    PATH.write_text(page(), encoding="utf-8")
