"""The words that the scripts of pages say, found in their text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
ASSETS = ROOT / "arena" / "pages" / "assets"
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALL = re.compile(r"\b(say|term|counted)\(")


def scripts() -> list[Path]:
    """Every script but the catalogues."""
    return [path for path in sorted(ASSETS.glob("*.js")) if not path.name.endswith("swedish.js")]


def arguments(text: str, start: int) -> list[str]:
    """The arguments of a call whose opening bracket is before `start`, as they are written."""
    found, depth, place, begun = [], 0, start, start
    while True:
        sign = text[place]
        if sign in "\"'`":
            place += 1
            while text[place] != sign:
                place += 2 if text[place] == "\\" else 1
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign in ")," and not depth:
            found.append(text[begun:place])
            begun = place + 1
            if sign == ")":
                return found
        place += 1


def said(text: str) -> Iterator[str]:
    """Every word that a script says."""
    for call in _CALL.finditer(text):
        if text[: call.start()].endswith("function "):
            continue
        given = arguments(text, call.end())
        if call[1] == "counted":
            words = [json.loads(f'"{one}"') for argument in given[1:] for one in _LITERAL.findall(argument)]
            yield from words
            if len(given) == 2:
                yield from (f"{one}s" for one in words)
        else:
            yield from (json.loads(f'"{one}"') for one in _LITERAL.findall(given[0]))


def swedish() -> dict[str, str]:
    """The Swedish catalogues, together: each script is JSON but for its first and last words."""
    found: dict[str, str] = {}
    for path in (ASSETS / "swedish.js", ASSETS / "hand_swedish.js"):
        text = path.read_text(encoding="utf-8")
        words = json.loads(text[text.index("{") : text.rindex("}") + 1])
        assert not found.keys() & words.keys(), "one catalogue has each word"
        found |= words
    return found
