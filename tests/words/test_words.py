"""Every word of the pages, and of the board on a terminal, is in the catalogue; and every code that is said."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

from arena.games import load_game
from arena.pages.serving.faults import FAILED
from arena.person.opponents import OPPONENTS
from arena.records import columns
from arena.records.analysed import MARKS
from arena.tournaments.formats import FORMATS, knockout
from arena.words import catalogue

ROOT = Path(__file__).parent.parent.parent
ASSETS = ROOT / "arena" / "pages" / "assets"
FILES = [path for kind in ("py", "js") for path in (ROOT / "arena").rglob(f"*.{kind}")]
SOURCE = "".join(path.read_text(encoding="utf-8") for path in FILES)
FAMILIES = set(re.findall(r"(?:f\"|`)(\w+\.)[{$]", SOURCE))
"""The beginnings of codes that are made of a name: `ending.`."""
PLACE = re.compile(r"\{(\w+)\}")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_CALL = re.compile(r"\b(say|term|counted)\(")


def scripts() -> list[Path]:
    """Every script, and the board on a terminal, which says its words in the same way."""
    return [*sorted(ASSETS.glob("*.js")), ROOT / "arena" / "cli" / "play" / "terminal.py"]


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
    """The words of the Swedish catalogue: what it has beside codes."""
    return {english: str(words) for english, words in catalogue("sv").items() if english not in catalogue("en")}


def in_scripts() -> set[str]:
    return {words for path in scripts() for words in said(path.read_text(encoding="utf-8"))}


def of_records() -> set[str]:
    """The words that come from records and from the arena's own names."""
    names = {*FORMATS, "won", "drawn", "lost", "match", "pair"}
    colours = set(load_game("brandubh-1").colours or ())
    sources = [Path(module.__file__).read_text(encoding="utf-8") for module in (knockout, columns)]
    headings = {heading for source in sources for heading in re.findall(r'heading="([^"]+)"', source)}
    others = {*MARKS, FAILED}
    strengths = {one.strength for one in OPPONENTS}
    return {name.replace("_", " ") for name in names} | strengths | colours | headings | others


def of_tables() -> set[str]:
    """The titles and headings of tables on a terminal."""
    files = (ast.parse(path.read_text(encoding="utf-8")) for path in (ROOT / "arena" / "cli").rglob("*.py"))
    nodes = (node for file in files for node in ast.walk(file))
    calls = (node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "plain_table")
    literals = (node.value for call in calls for node in ast.walk(call) if isinstance(node, ast.Constant))
    return {words for words in literals if isinstance(words, str) and re.search("[A-Za-z]", words)}


def test_no_word_is_missing_in_swedish() -> None:
    assert sorted((in_scripts() | of_records() | of_tables()) - set(swedish())) == []


def test_a_word_is_no_code() -> None:
    assert sorted((in_scripts() | of_records()) & catalogue("en").keys()) == []


def test_no_word_is_left_over() -> None:
    assert sorted(set(swedish()) - in_scripts() - of_records() - of_tables()) == []


def test_the_values_in_them_are_the_same() -> None:
    for english, words in swedish().items():
        assert words.strip()
        assert set(PLACE.findall(words)) == set(PLACE.findall(english)), english


def test_every_code_that_is_said_has_its_sentence() -> None:
    said = set(re.findall(r'(?:Said\(|told\(\[)\s*"([^"]+)"', SOURCE))
    assert sorted(said - catalogue("en").keys()) == []


def test_no_sentence_is_left_over() -> None:
    unused = {code for code in catalogue("en") if f'"{code}"' not in SOURCE}
    assert sorted(code for code in unused if f"{code.split('.')[0]}." not in FAMILIES) == []
