"""Display names, and the plain ids that are made of them."""

import pytest
from msgspec.structs import replace

from arena.records.facts import BotsContained
from arena.records.state import state_of
from arena.tournaments.names import display_problems, entrant_problems, join_names, plain_id
from arena.tournaments.results import decide_match
from arena.tournaments.standings import standings
from arena.words import say
from tests.english import english
from tests.fixtures.small_run import opened_tournament
from tests.fixtures.tournament_builders import tournament


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Åsa Ek, Vasa 1628", "asa-ek"),
        ("Zoe\u0301", "zoe"),
        ("Straße 3", "strasse-3"),
        ("Søren Ærø", "soren-aero"),
        ("O'Brien & Co", "o-brien-co"),
        ("Anna", "anna"),
        ("x" * 60, "x" * 32),
        ("greedy_2", "greedy_2"),
        ("a-", "a-"),
        ("東京", ""),
        ("3-ply", "3-ply"),
        ("Anna V", "anna-v"),
        ("_x", "_x"),
    ],
)
def test_an_id_is_made_of_what_stands_before_a_comma(name: str, made: str) -> None:
    assert plain_id(name) == made
    is_rejected = name in ("東京", "3-ply", "Anna V", "_x")
    assert bool(entrant_problems([made])) == is_rejected


def test_names_that_cannot_be_shown_or_told_apart_are_refused() -> None:
    assert display_problems({"a": "Åsa", "b": "東京ボット", "c": "c"}) == []
    assert (
        len(display_problems({"a": "a\nb", "b": "", "c": "\u202eabc", "d": "x" * 61, "e": " e"}))
        == 5
    )
    assert english(display_problems({"a": "Zoé", "b": "ZOE\u0301"})) == [
        "a and b are both called 'ZOE\u0301'; give each a name of its own"
    ]


@pytest.mark.parametrize(
    "name",
    [
        "\u034f",
        "\ufe0f",
        "\u3164",
        "\u2800",
        "\u115f\u1160",
        "\U000e0100",
        "\u2800a",
        "a\u3164\u2800",
        "a\u2800\ufe0f",
    ],
)
def test_a_name_of_which_nothing_is_seen_or_that_ends_in_what_looks_blank_is_refused(
    name: str,
) -> None:
    [problem] = english(display_problems({"a": name}))
    assert problem.startswith(
        f"the name {name!a} cannot be shown: use 1 to 60 printable and visible characters, "
    )


def test_what_is_seen_may_be_anything() -> None:
    names = [
        "北京",
        "東京",
        "Иван",
        "Пётр",
        "Ελένη",
        "محمد",
        "♥\ufe0f",
        "A  b",
        "नेहा",
        "서울",
        "Zoé",
        "Zoe",
    ]
    assert display_problems({f"bot-{number}": name for number, name in enumerate(names)}) == []


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ("anna", "\u0430nna", "'\u0430nna' has CYRILLIC SMALL LETTER A (U+0430)"),
        (
            "BOB",
            "\u0412\u041e\u0412",
            "has CYRILLIC CAPITAL LETTER VE (U+0412), CYRILLIC CAPITAL LETTER O (U+041E)",
        ),
        ("Nina", "Nin\u03b1", "has GREEK SMALL LETTER ALPHA (U+03B1)"),
        (
            "\u041d\u0438\u043d\u0430",
            "H\u0438\u043d\u0430",
            "has CYRILLIC CAPITAL LETTER EN (U+041D)",
        ),
        ("anna", "an\u034fna", "has COMBINING GRAPHEME JOINER (U+034F)"),
        ("anna", "anna\ufe0f", "has VARIATION SELECTOR-16 (U+FE0F)"),
        ("a b", "a\u2800b", "has BRAILLE PATTERN BLANK (U+2800)"),
    ],
)
def test_two_names_that_look_alike_are_refused_with_both(first: str, second: str, why: str) -> None:
    [problem] = english(display_problems({"anna": first, "nna": second}))
    assert problem.startswith(f"{first!r} and {second!r} look alike (")
    assert problem.endswith(f"{why}); give each a name of its own")


def test_sentences_call_entrants_by_their_display_names() -> None:
    names = {"asa": "Åsa Ek", "bo": "Bo, Gävle"}
    entrants, fixtures, results = tournament("asa-bo: asa jan\nasa-bo: bo off")
    assert say(decide_match(results[0], names=names).reason).startswith("Åsa Ek won on points, ")
    table = standings(entrants, fixtures, results, names=names)
    [tie] = table.tie_breaks
    assert say(tie.sentence).startswith("Åsa Ek above Bo, Gävle: game points, ")
    assert (tie.above, table.name("asa")) == (("asa",), "Åsa Ek")
    withdrawn = standings(entrants, fixtures, results[:1], withdrawn={"bo"}, names=names)
    assert say(withdrawn.notes[0]).startswith("Bo, Gävle withdrew after 1 of 2 matches")


@pytest.mark.parametrize(
    ("names", "last", "told"),
    [
        ([], "", ""),
        (["bo"], " and ", "bo"),
        (["bo", "cia", "dag"], "", "bo, cia, dag"),
        (["bo", "cia", "dag"], " and ", "bo, cia and dag"),
        (["Åsa Ek, Vasa 1628", "bo", "cia"], "", "Åsa Ek, Vasa 1628; bo; cia"),
        (["Åsa Ek, Vasa 1628", "bo", "cia"], " and ", "Åsa Ek, Vasa 1628; bo and cia"),
    ],
)
def test_a_comma_in_a_name_does_not_part_it_from_itself(
    names: list[str], last: str, told: str
) -> None:
    assert join_names(names, last) == told


def test_a_list_of_containment_parts_names_that_have_commas() -> None:
    opened = replace(opened_tournament(), names={"anna": "Åsa Ek, Vasa 1628"})
    state = state_of(opened, [opened, BotsContained(at_ms=1, bots={"anna": "none", "bo": "none"})])
    assert [say(one) for one in state.containment()] == [
        "launched NOT CONTAINED, without a sandbox: Åsa Ek, Vasa 1628; bo"
    ]
