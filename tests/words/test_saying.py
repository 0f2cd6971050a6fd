"""Sentences from the catalogues."""

import json
import string

import pytest

from arena.words import LANGUAGES, Said, capital, catalogue, say
from arena.words.saying import Entry

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


def _names(entry: Entry) -> set[str | None]:
    texts = [entry] if isinstance(entry, str) else entry.values()
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text)} - {None, "count"}
