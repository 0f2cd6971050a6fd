"""Every word of the pages is in the catalogue."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from arena.games import load_game
from arena.games.result import Cause
from arena.person.lessons import LESSONS
from arena.person.opponents import OPPONENTS
from arena.records import columns
from arena.records.dice_figures import figures_of
from arena.records.losses import MARKS
from arena.records.reasons import ENDINGS
from arena.tournaments.formats import knockout
from arena.tournaments.formats.registry import FORMATS
from tests.pages.live.words import said, scripts, swedish

PLACE = re.compile(r"\{(\w+)\}")


def in_scripts() -> set[str]:
    return {words for path in scripts() for words in said(path.read_text(encoding="utf-8"))}


def of_records() -> set[str]:
    """The words that come from records and from the arena's own names."""
    names = {*ENDINGS, *get_args(Cause), *FORMATS, "forfeit", "turn_limit", "won", "drawn", "lost", "match", "pair"}
    tests = {test.name for test in figures_of([bytes([1, 2, 3, 4, 5, 6] * 400)]).tests}
    colours = set(load_game("brandubh-1").colours or ())
    sources = [Path(module.__file__).read_text(encoding="utf-8") for module in (knockout, columns)]
    headings = {heading for source in sources for heading in re.findall(r'heading="([^"]+)"', source)}
    lessons = {words for one in LESSONS for words in (one.title, one.text, one.done)}
    opponents = {words for one in OPPONENTS for words in (one.strength, one.plays)}
    return (
        {name.replace("_", " ") for name in names}
        | {"monk"}
        | lessons
        | opponents
        | tests
        | colours
        | headings
        | set(MARKS)
    )


def test_no_word_is_missing_in_swedish() -> None:
    """Neither one of the scripts nor one that records say."""
    assert sorted((in_scripts() | of_records()) - set(swedish())) == []


def test_no_word_is_left_over() -> None:
    """What is not said any more is not in the catalogue."""
    assert sorted(set(swedish()) - in_scripts() - of_records()) == []


def test_the_values_in_them_are_the_same() -> None:
    """`{name}` stands on both sides."""
    for english, words in swedish().items():
        assert words.strip()
        assert set(PLACE.findall(words)) == set(PLACE.findall(english)), english
