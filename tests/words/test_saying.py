"""Sentences from the catalogues."""

import json
import shutil
import string
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

import pytest

from arena.cli.play.terminal import HELP
from arena.games.brandubh import explain as brandubh
from arena.games.result import Cause
from arena.games.tables import explain as tables
from arena.games.tables.endings import BorneOff, EndingName
from arena.matches import verdicts
from arena.person.lessons import LESSONS
from arena.person.opponents import OPPONENTS
from arena.person.sitting import Phase
from arena.records.facts import Way
from arena.tournaments.standings import Withdrawal
from arena.words import LANGUAGES, Said, capital, catalogue, catalogues_script, say
from arena.words.saying import Entry

WORDS = Path(__file__).parents[2] / "arena" / "pages" / "assets" / "words.js"
VALUES: list[Any] = [
    1,
    2,
    1234.5,
    "1/7*",
    Said("and", {"first": 0.25, "last": "bo"}),
    ["a", Said("ending.jan"), "c"],
    ["a"],
]

EXAMPLE = {
    "dice": {"one": "{count} die", "other": "{count} dice"},
    "moves": {"=0": "no move", "other": "{count:,} moves"},
    "says": "{name} has {what}",
    "and": "{first} and {last}",
}


@pytest.fixture
def example(monkeypatch) -> None:
    monkeypatch.setattr("arena.words.saying.catalogue", lambda _language: EXAMPLE)


@pytest.mark.usefixtures("example")
def test_values_stand_in_a_sentence_and_may_be_sentences() -> None:
    said = Said("says", {"name": "{bo}", "what": Said("dice", {"count": 2})})
    assert say(said) == say(json.loads(json.dumps(said))) == "{bo} has 2 dice"


@pytest.mark.usefixtures("example")
@pytest.mark.parametrize(
    ("said", "words"),
    [
        (Said("dice", {"count": 1}), "1 die"),
        (Said("dice", {"count": 0}), "0 dice"),
        (Said("moves", {"count": 0}), "no move"),
        (Said("moves", {"count": 1000}), "1,000 moves"),
        (Said("says", {"name": ["a"], "what": ["b", "c", Said("dice", {"count": 1})]}), "a has b, c and 1 die"),
        (Said("ending.forced_march"), "forced march"),
        ("its own words", "its own words"),
    ],
)
def test_a_number_chooses_and_several_are_listed(said: object, words: str) -> None:
    assert say(said) == words


def test_words_become_a_sentence() -> None:
    assert (capital("a turn"), capital("")) == ("A turn.", "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_names_the_same_values(language: str) -> None:
    for code, entry in catalogue("en").items():
        assert _names(catalogue(language)[code]) == _names(entry), code


OVER = ("king_escaped", "king_captured", "repetition", "no_move", "agreement", "turn_limit", "forfeit")
FAMILIES: dict[str, Iterable[str]] = {
    "ending": (*get_args(EndingName), *get_args(BorneOff), *OVER),
    "cause": get_args(Cause),
    "illegal": (*tables.CODES, *brandubh.CODES, *verdicts.CODES),
    "contained": get_args(Way),
    "not_due": set(get_args(Phase)),
    "withdrawn": set(Withdrawal) - {Withdrawal.NONE},
    "help": HELP,
    "lesson": [f"{one.name}.{part}" for one in LESSONS for part in ("title", "text", "done")],
    "opponent": [one.name for one in OPPONENTS],
}


@pytest.mark.parametrize("family", FAMILIES)
def test_every_name_of_a_family_has_its_sentence(family: str) -> None:
    assert sorted({f"{family}.{name}" for name in FAMILIES[family]} - catalogue("en").keys()) == []


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pages_say_the_same(language: str, tmp_path: Path) -> None:
    said = [
        Said(
            code,
            {
                **{
                    str(name): VALUES[(place + shift) % len(VALUES)]
                    for place, name in enumerate(sorted(_names(entry) - _names(entry, ",")))
                },
                **dict.fromkeys(map(str, _names(entry, ",")), 12345),
                "count": count,
            },
        )
        for code, entry in catalogue("en").items()
        for shift, count in enumerate((0, 1, 2, 12345, 1.5, 3, 4))
    ]
    given = (
        "const document = { documentElement: {} }, localStorage = null;"
        f'Object.defineProperty(globalThis, "navigator", {{ value: {{ languages: ["{language}"] }} }});'
    )
    ends = f"console.log(JSON.stringify({json.dumps(said)}.map(told)));"
    script = "\n".join([given, catalogues_script(), WORDS.read_text(encoding="utf-8"), ends])
    (tmp_path / "said.js").write_text(script, encoding="utf-8")
    found = subprocess.run(["node", str(tmp_path / "said.js")], capture_output=True, text=True, timeout=60, check=True)
    assert json.loads(found.stdout) == [say(one, language) for one in said]


def _names(entry: Entry, form: str = "") -> set[str | None]:
    """The values of a sentence; with a form those that are written in it."""
    texts = [entry] if isinstance(entry, str) else entry.values()
    parts = [part for text in texts for part in string.Formatter().parse(text)]
    return {name for _, name, found, _ in parts if (found or "").startswith(form)} - {None, "count"}
