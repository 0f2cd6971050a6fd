"""What is wrong with a ruleset is refused, with every problem named."""

import re

import pytest

from arena.games import GameError, load_game, ruleset_names
from tests.english import english

WORDS = {
    "facing": "same_wai",
    "opening": "lower_start",
    "stacking": "from_heat",
    "entry_strikes": "outnumber",
    "bearing_off": "rear",
    "handsome": "at_one",
}


def problems_of(ruleset):
    """Everything that is found wrong with a ruleset."""
    with pytest.raises(GameError) as caught:
        load_game(ruleset)
    return tuple(english(caught.value.problems))


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("vaza", "vasa"), ("Vasa", "vasa"), ("clasic", "classic"), ("classic ", "classic")],
)
def test_an_unknown_name_is_refused_naming_the_known_and_the_nearest(name, nearest):
    (problem,) = problems_of(name)
    assert problem.startswith(f"unknown ruleset {name!r}; known are {', '.join(ruleset_names())}")
    assert problem.endswith(f"did you mean {nearest!r}?")


@pytest.mark.parametrize("depth", [5, 800, 100_000])
@pytest.mark.parametrize("field", ["base", "name", "facing", "unknown"])
def test_lists_that_lie_too_deep_are_refused_before_anything_walks_through_them(field, depth):
    value = []
    for _ in range(depth):
        value = [value]
    (problem,) = problems_of({"base": "vasa", "name": "house", field: value})
    assert problem == f"lists of {field} are nested more than 4 deep"


@pytest.mark.parametrize(("field", "word"), WORDS.items())
def test_an_unknown_word_is_refused_naming_the_known_and_the_nearest(field, word):
    (problem,) = problems_of({"base": "vasa", "name": "house", field: word})
    assert problem.startswith(f"{field} = {word!r}; expected one of ")
    assert "; did you mean " in problem


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("jan", 1, "expected bool"),
        ("points_jan", True, "expected int"),
        ("points_jan", 4.0, "expected int"),
        ("points_jan", -1, "expected 0 or more"),
        ("points_jan", 1_000_001, "expected at most 1,000,000"),
        ("longest_prime", "five", "expected int or none"),
        ("longest_prime", -5, "expected 0 or more"),
        ("start", 15, "expected a list"),
        ("start", [[1, 15, 2]], "15 in all, such as [[1, 15]]"),
        ("start", [["home", 15]], "15 in all, such as [[1, 15]]"),
        ("name", 5, "expected str"),
        ("entry_strikes", ["never"], "expected one of 'never', 'no_free_point', 'outnumbered'"),
        ("handsome", None, "expected one of 'never', 'after_turn', 'at_once'"),
    ],
    ids=repr,
)
def test_a_value_of_the_wrong_kind_is_refused(field, value, expected):
    (problem,) = problems_of({"base": "vasa", "name": "house", field: value})
    assert problem.startswith(
        f"{field} = {value}" if isinstance(value, int) else f"{field} = {value!r}"
    )
    assert expected in problem


def test_all_problems_are_listed_at_once():
    """Nobody has to mend a tournament file one error at a time."""
    found = problems_of(
        {"base": "vasa", "name": "house", "jam": True, "points_jan": -4, "handsome": "later"}
    )
    assert [problem.split(" ")[0] for problem in found] == ["unknown", "handsome", "points_jan"]


@pytest.mark.parametrize("name", ["x" * 61, "red\x1b[31m", "two\nlines"])
def test_a_name_is_short_and_can_be_printed(name):
    [problem] = problems_of({"base": "vasa", "name": name})
    assert problem.startswith("a ruleset needs a name of at most 60 printable characters, found ")
    assert len(problem) < 200


def test_a_house_ruleset_needs_a_name_of_its_own():
    """`classic` with other fields is not classic."""
    expected = ("a house ruleset needs a name of its own; 'classic' is taken",)
    assert problems_of({"base": "classic", "jan": False}) == expected
    assert problems_of({"base": "vasa", "name": "classic", "jan": False}) == expected
    assert problems_of({})[0].startswith("missing ruleset fields: name, ")


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"throne_hostil": True},
            "unknown ruleset field 'throne_hostil'; known are name, family, throne_hostile, king_on",
        ),
        (
            {"points_jan": 5},
            "unknown ruleset field 'points_jan'; known are name, family, throne_hostile, king_on_throne",
        ),
        (
            {"start": [[1, 15]]},
            "unknown ruleset field 'start'; known are name, family, throne_hostile, king_on_throne",
        ),
        ({"throne_hostile": 1}, "throne_hostile = 1; expected bool"),
        (
            {"king_on_throne": "all"},
            "king_on_throne = 'all'; expected one of 'two_opposite', 'all_four'",
        ),
        ({"repetitions": -3}, "repetitions = -3; expected 0 or more"),
        (
            {"repetitions": 1},
            "repetitions = 1 would draw every game at its start; expected 2 or more, or 0 for never",
        ),
        (
            {"points_win": 0},
            "with points_win = 0 the win would pay nothing; expected 1 or more",
        ),
        (
            {"family": "tables"},
            "family = 'tables'; expected 'brandubh', the family of the base 'brandubh-2'",
        ),
        ({"name": "brandubh-1"}, "a house ruleset needs a name of its own; 'brandubh-1' is taken"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_the_fields_of_brandubh_are_checked_as_those_of_tables_games(fields, problem):
    (found,) = problems_of({"base": "brandubh-2", "name": "house", "points_win": 2} | fields)
    assert found.startswith(problem)


@pytest.mark.parametrize(
    "start",
    [
        [[1, 14]],
        [[1, 16]],
        [[30, 15]],
        [[-1, 15]],
        [["1", 15]],
        [[1, 15.9]],
        [[1, float("inf")]],
        [[0, 15], [1, 0]],
    ],
)
def test_a_start_that_is_no_position_is_refused(start):
    with pytest.raises(GameError):
        load_game({"base": "vasa", "name": "house", "start": start})


@pytest.mark.parametrize(
    ("base", "start", "shared"),
    [
        ("vasa", [[1, 5], [13, 10]], "my point 1 is the opponent's 13"),
        ("fiske", [[24, 10], [12, 5]], "my point 12 is the opponent's 24"),
        ("backgammon", [[1, 5], [24, 10]], "my point 1 is the opponent's 24"),
    ],
)
def test_a_start_with_both_sides_on_one_point_is_refused(base, start, shared):
    """The start is the same for both, each in its own numbering."""
    (problem,) = problems_of({"base": base, "name": "house", "start": start})
    assert problem == f"start = {start}; {shared}, and both would have checkers there"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"longest_prime": 0}, "start has a prime longer than longest_prime = 0 (B6.1)"),
        (
            {"longest_prime": 2, "start": [[24, 5], [1, 5], [2, 5]]},
            "start has a prime longer than longest_prime = 2 (B6.1)",
        ),
        ({"start": [[24, 15]]}, "start is a handsome game, the tower (B8.1)"),
    ],
    ids=["home", "neighbours", "tower"],
)
def test_a_start_that_is_won_or_forbidden_is_refused(fields, problem):
    """No game begins with what a turn may not lead to; the own 24 and 1 are neighbours for the opponent (B6.1)."""
    assert problems_of({"base": "vasa", "name": "house", **fields}) == (problem,)
    harmless = fields | {"longest_prime": 3, "handsome": "never"}
    assert load_game({"base": "vasa", "name": "house", **harmless}).name == "house"


@pytest.mark.parametrize(
    ("ruleset", "problem"),
    [
        ({"base": "clasic"}, r"unknown ruleset 'clasic'; known are .*did you mean 'classic'\?"),
        ({"base": 3}, "base must be the name of a ruleset, found 3"),
        (
            {"base": "vasa", "points_jam": 5},
            r"unknown ruleset field 'points_jam'; .*did you mean 'points_jan'\?",
        ),
        ({"base": "vasa", "throne_hostile": True}, "unknown ruleset field 'throne_hostile'; .*"),
        ({"family": "chess"}, "unknown family 'chess' of games; known are tables, brandubh"),
        (
            {"base": "backgammon", "one_die": True},
            r"one_die needs handsome games .*; handsome is 'never' \(B11.3\)",
        ),
        *(
            (
                {"base": "classic", "double_six": True} | change,
                r"double_six needs .*stacking from_head \(B11.1\)",
            )
            for change in (
                {"facing": "opposite_ways"},
                {"start": [[1, 14], [2, 1]]},
                {"stacking": "after_head"},
            )
        ),
    ],
    ids=str,
)
def test_a_house_ruleset_with_one_fault_is_refused_naming_it(ruleset, problem):
    (found,) = problems_of({"name": "house"} | ruleset)
    assert re.fullmatch(problem, found)
