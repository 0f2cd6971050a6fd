"""Rulesets by name, house rulesets, and the form in which records keep them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from arena.games import DEFAULT, GameError, Illegal, Legal, game_of_record, load_game, ruleset_names, ruleset_record
from arena.games.brandubh import ruleset as brandubh
from arena.games.tables import ruleset as tables
from tests.games.boards import CLASSIC, EASY_REENTRY, FISKE, VASA

HOUSE = {"base": "classic", "name": "house", "longest_prime": 6, "points_jan": 5}
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
    return caught.value.problems


def documented_fields(caption):
    """Field, form and value of each row of a table in docs/rulesets.md, below its caption."""
    page = (Path(__file__).parents[2] / "docs/rulesets.md").read_text()
    table = page.split("### Fields of a ruleset\n")[1].split(f"\n{caption} (")[1].split("\n\n")[1]
    return [[cell.strip() for cell in line.strip("|").split("|")][:3] for line in table.splitlines()[2:]]


@pytest.mark.parametrize(
    ("caption", "name", "ruleset"),
    [("Tables games", "vasa", tables.Ruleset), ("Brandubh", "brandubh-1", brandubh.Ruleset)],
    ids=["tables", "brandubh"],
)
def test_the_rule_book_explains_every_field_of_a_ruleset(caption, name, ruleset):
    """With all words that a field knows, and with the value it has in the first ruleset."""
    hints = get_type_hints(ruleset)
    rows = documented_fields(caption)
    fields = ruleset_record(load_game(name))["fields"]
    values = {field.strip("`"): loosely_read(value.strip("`")) for field, _, value in rows}
    assert values == json.loads(json.dumps(fields))
    for field, form, _ in rows:
        hint = hints[field.strip("`")]
        if get_origin(hint) is Literal:
            assert re.findall(r"`(\w+)`", form) == list(get_args(hint)), field


def loosely_read(value):
    """JSON, or else a word."""
    try:
        return json.loads(value)
    except json.JSONDecodeError:
        return value


def test_vasa_is_the_default():
    """Without a name the game is vasa."""
    assert (DEFAULT, load_game().name, load_game("vasa").ruleset) == ("vasa", "vasa", load_game().ruleset)


def test_every_known_name_loads_its_game():
    """Each name gives a game of that name, those of both families among them."""
    assert {"vasa", "classic", "brandubh-1", "brandubh-2"} <= set(ruleset_names())
    assert [load_game(name).name for name in ruleset_names()] == list(ruleset_names())


@pytest.mark.parametrize("name", ruleset_names())
def test_every_field_is_plain_data(name):
    """A ruleset is JSON: it reads back equal."""
    fields = load_game(name).ruleset
    assert json.loads(json.dumps(fields)) == fields
    assert fields["name"] == name


def test_vasa_and_classic_differ_where_the_rule_book_says_so():
    """The fields of B5.4-B5.6, B6, B7.3-B7.6 and B8 differ, and no others."""
    vasa, classic = VASA.ruleset, CLASSIC.ruleset
    assert {field for field in vasa if vasa[field] != classic[field]} == {
        "name",
        "entry_strikes",
        "last_checker_strikes",
        "longest_prime",
        "strikeable_prime",
        "bearing_off",
        "least_waste",
        "handsome",
    }


# Refusals


@pytest.mark.parametrize(
    ("name", "nearest"), [("vaza", "vasa"), ("Vasa", "vasa"), ("clasic", "classic"), ("classic ", "classic")]
)
def test_an_unknown_name_is_refused_naming_the_known_and_the_nearest(name, nearest):
    """Nothing is guessed: the name must be exact."""
    (problem,) = problems_of(name)
    assert problem.startswith(f"unknown ruleset {name!r}; known are {', '.join(ruleset_names())}")
    assert problem.endswith(f"did you mean {nearest!r}?")


@pytest.mark.parametrize("name", ["", "quux", "1"])
def test_a_name_like_no_other_is_refused_with_the_known_ones(name):
    """Where nothing is near only the known names are listed."""
    (problem,) = problems_of(name)
    assert problem == f"unknown ruleset {name!r}; known are {', '.join(ruleset_names())}"


def test_an_unknown_base_is_refused():
    """The base of a house ruleset is a name as well."""
    (problem,) = problems_of({"base": "clasic", "name": "house"})
    assert problem.startswith("unknown ruleset 'clasic'; known are")
    assert problem.endswith("did you mean 'classic'?")
    assert problems_of({"base": 3, "name": "house"}) == ("base must be the name of a ruleset, found 3",)


def test_an_unknown_field_is_refused_naming_the_known_and_the_nearest():
    """A field that is misspelt would silently keep its default."""
    (problem,) = problems_of({"base": "vasa", "name": "house", "points_jam": 5})
    assert problem.startswith("unknown ruleset field 'points_jam'; known are name, family, facing, start")
    assert problem.endswith("did you mean 'points_jan'?")


@pytest.mark.parametrize(("field", "word"), WORDS.items())
def test_an_unknown_word_is_refused_naming_the_known_and_the_nearest(field, word):
    """A field with a fixed list of words takes no other."""
    (problem,) = problems_of({"base": "vasa", "name": "house", field: word})
    assert problem.startswith(f"{field} = {word!r}; expected one of ")
    assert "; did you mean " in problem


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("jan", 1, "expected bool"),
        ("jan", "yes", "expected bool"),
        ("least_waste", None, "expected bool"),
        ("points_jan", True, "expected int"),
        ("points_jan", 4.0, "expected int"),
        ("points_jan", "4", "expected int"),
        ("points_jan", -1, "expected 0 or more"),
        ("points_jan", 1_000_001, "expected at most 1,000,000"),
        ("longest_prime", 10**30, "expected at most 1,000,000"),
        ("points_forfeit", None, "expected int"),
        ("longest_prime", "five", "expected int or none"),
        ("longest_prime", False, "expected int or none"),
        ("longest_prime", -5, "expected 0 or more"),
        ("strikeable_prime", 6.0, "expected int or none"),
        ("start", 15, "expected a list"),
        ("start", [[1, 15, 2]], "15 in all, such as [[1, 15]]"),
        ("start", [1, 15], "15 in all, such as [[1, 15]]"),
        ("start", [["home", 15]], "15 in all, such as [[1, 15]]"),
        ("name", 5, "expected str"),
        ("entry_strikes", ["never"], "expected one of 'never', 'no_free_point', 'outnumbered'"),
        ("handsome", None, "expected one of 'never', 'after_turn', 'at_once'"),
    ],
    ids=repr,
)
def test_a_value_of_the_wrong_kind_is_refused(field, value, expected):
    """Each field says what it expects and what it found."""
    (problem,) = problems_of({"base": "vasa", "name": "house", field: value})
    assert problem.startswith(f"{field} = {value}" if isinstance(value, int) else f"{field} = {value!r}")
    assert expected in problem


def test_all_problems_are_listed_at_once():
    """Nobody has to mend a tournament file one error at a time."""
    found = problems_of({"base": "vasa", "name": "house", "jam": True, "points_jan": -4, "handsome": "later"})
    assert [problem.split(" ")[0] for problem in found] == ["unknown", "handsome", "points_jan"]


def test_a_house_ruleset_needs_a_name_of_its_own():
    """`classic` with other fields is not classic."""
    expected = ("a house ruleset needs a name of its own; 'classic' is taken",)
    assert problems_of({"base": "classic", "jan": False}) == expected
    assert problems_of({"base": "vasa", "name": "classic", "jan": False}) == expected
    assert problems_of({})[0].startswith("missing ruleset fields: name, ")


def test_an_unknown_family_is_refused():
    """The family says which engine plays."""
    (problem,) = problems_of({"name": "house", "family": "chess"})
    assert problem == "unknown family 'chess' of games; known are tables, brandubh"


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
        ({"start": [[1, 15]]}, "unknown ruleset field 'start'; known are name, family, throne_hostile, king_on_throne"),
        ({"throne_hostile": 1}, "throne_hostile = 1; expected bool"),
        ({"king_on_throne": "all"}, "king_on_throne = 'all'; expected one of 'two_opposite', 'all_four'"),
        ({"king_beside_throne": None}, "king_beside_throne = None; expected one of 'two_opposite', 'other_three'"),
        ({"draw_by_agreement": "no"}, "draw_by_agreement = 'no'; expected bool"),
        ({"repetitions": 2.5}, "repetitions = 2.5; expected int"),
        ({"repetitions": -3}, "repetitions = -3; expected 0 or more"),
        ({"repetitions": 1}, "repetitions = 1 would draw every game at its start; expected 2 or more, or 0 for never"),
        ({"points_win": 0}, "points_win = 0 would make such a win worth nothing; expected 1 or more"),
        ({"points_forfeit": 0}, "points_forfeit = 0 would make such a win worth nothing; expected 1 or more"),
        ({"family": "tables"}, "family = 'tables'; expected 'brandubh', the family of the base 'brandubh-2'"),
        ({"name": "brandubh-1"}, "a house ruleset needs a name of its own; 'brandubh-1' is taken"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_the_fields_of_brandubh_are_checked_as_those_of_tables_games(fields, problem):
    """Each says what was found and what it expects, and the fields of the other family are unknown."""
    (found,) = problems_of({"base": "brandubh-2", "name": "house", "points_win": 2} | fields)
    assert found.startswith(problem)


def test_a_field_of_brandubh_is_none_of_a_tables_game():
    """A house ruleset on vasa cannot have a hostile throne."""
    (problem,) = problems_of({"base": "vasa", "name": "house", "throne_hostile": True})
    assert problem.startswith("unknown ruleset field 'throne_hostile'; known are name, family, facing, start")


def test_a_house_ruleset_of_brandubh_plays_by_its_fields():
    """On `brandubh-1` with the throne of `brandubh-2` and a win that pays 3, without draws by agreement."""
    changes = {"throne_hostile": True, "points_win": 3, "points_forfeit": 3, "draw_by_agreement": False}
    house = load_game({"base": "brandubh-1", "name": "house"} | changes)
    assert house.ruleset == load_game("brandubh-1").ruleset | {"name": "house"} | changes
    assert (house.points_forfeit, house.agreement, load_game("brandubh-1").agreement) == (3, None, "T9")
    escape = house.parse_position("......./.k...../......./......./......./......./...b... white")
    assert house.judge(escape, (), [("b6", "b7")]).ending is None
    assert house.judge(house.parse_position("k....../......./......./......./......./......./...b... white"), (), [])
    ended = house.judge(
        house.parse_position(".k...../......./......./......./......./......./...b... white"), (), [("b7", "a7")]
    )
    assert (ended.ending.name, ended.ending.points) == ("king_escaped", 3)


@pytest.mark.parametrize("name", ruleset_names())
def test_every_game_says_whether_its_endings_are_ranked_and_what_its_sides_are_called(name):
    """Ranks come from B10, which is about tables games; only in Brandubh the two sides are different."""
    game = load_game(name)
    is_brandubh = game.ruleset["family"] == "brandubh"
    assert game.colours == (("Black", "White") if is_brandubh else None)
    assert game.opening == ("alternate" if is_brandubh else game.ruleset["opening"])
    assert not (is_brandubh and game.is_ranked)


def test_the_endings_of_brade_are_ranked():
    """B10's table has a rank for each of them."""
    assert [load_game(name).is_ranked for name in ("vasa", "classic", "brandubh-1")] == [True, True, False]


# House rulesets


def test_a_house_ruleset_takes_over_what_it_does_not_change():
    """The base's fields hold except for those named."""
    house = load_game(HOUSE)
    assert house.name == "house"
    assert house.ruleset == CLASSIC.ruleset | {"name": "house", "longest_prime": 6, "points_jan": 5}


def test_a_house_ruleset_plays_by_its_fields():
    """With `longest_prime = 6` the sixth closed point of B6.1's example is legal, and a jan pays 5."""
    house = load_game(HOUSE)
    prime = "13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15"
    moves = [(13, 19), (14, 19)]
    assert isinstance(house.judge(house.parse_position(prime), (6, 5), moves), Legal)
    assert isinstance(CLASSIC.judge(CLASSIC.parse_position(prime), (6, 5), moves), Illegal)
    jan = house.judge(house.parse_position("9:1 20:14 | opp 10:1 13:9 bar:5"), (1, 1), [(9, 10)])
    assert isinstance(jan, Legal)
    assert jan.ending is not None
    assert jan.ending.points == 5


def test_a_house_ruleset_may_name_every_field_and_no_base():
    """The whole of a ruleset under another name is the same game."""
    whole = VASA.ruleset | {"name": "house-vasa"}
    assert load_game(whole).ruleset == whole


def test_a_base_alone_is_that_ruleset():
    """Without changes nothing needs a name."""
    assert load_game({"base": "classic"}).ruleset == CLASSIC.ruleset


def test_none_is_a_value_of_its_own():
    """`longest_prime = None` lifts classic's limit."""
    house = load_game({"base": "classic", "name": "house", "longest_prime": None})
    assert house.ruleset["longest_prime"] is None


# Records


@pytest.mark.parametrize(
    "game",
    [VASA, CLASSIC, EASY_REENTRY, FISKE, load_game(HOUSE), load_game("brandubh-1"), load_game("brandubh-2")],
    ids=lambda game: game.name,
)
def test_a_record_gives_the_game_back(game):
    """Name, hash and fields, written as JSON and read again, are the same ruleset."""
    record = ruleset_record(game)
    assert list(record) == ["name", "hash", "fields"]
    text = json.dumps(dict(game.ruleset), sort_keys=True, separators=(",", ":"))
    assert record["hash"] == hashlib.sha256(text.encode()).hexdigest()
    again = game_of_record(json.loads(json.dumps(record)))
    assert (again.name, again.ruleset) == (game.name, game.ruleset)


def test_the_hash_depends_on_every_field():
    """Two rulesets that differ in a single field have different hashes."""
    other = load_game(VASA.ruleset | {"name": "vasa-2"})
    assert ruleset_record(other)["hash"] != ruleset_record(VASA)["hash"]


@pytest.mark.parametrize(
    "change",
    [
        {"hash": "00" * 32},
        {"name": "classic"},
        {"fields": VASA.ruleset | {"points_jan": 5}},
        {"fields": VASA.ruleset | {"name": "other"}},
        {"extra": 1},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_record_that_was_changed_is_refused(change):
    """Name, hash and fields must belong together."""
    with pytest.raises(GameError, match=r"does not match its own name and hash|is taken"):
        game_of_record(ruleset_record(VASA) | change)


@pytest.mark.parametrize("fields", [{}, {"fields": 1}, {"fields": "vasa"}, {"fields": None}], ids=repr)
def test_a_record_without_fields_is_refused(fields):
    """A name alone would not tell the rules years later."""
    with pytest.raises(GameError, match="has its fields under 'fields', found"):
        game_of_record({"name": "vasa", "hash": "00" * 32} | fields)


def test_a_record_with_unknown_fields_is_refused():
    """A field this arena does not know may change the rules."""
    record = ruleset_record(VASA)
    with pytest.raises(GameError, match="unknown ruleset field 'gravity'"):
        game_of_record(record | {"fields": record["fields"] | {"gravity": True}})


# What is not refused yet


@pytest.mark.parametrize(
    "start",
    [[[1, 14]], [[1, 16]], [[30, 15]], [[-1, 15]], [["1", 15]], [[1, 15.9]], [[1, float("inf")]], [[0, 15], [1, 0]]],
)
def test_a_start_that_is_no_position_is_refused(start):
    """A start has 15 checkers, whole numbers of them, on points 1-24."""
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
    assert problem == f"start = {start}; {shared}, and both would stand there"


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
    "change",
    [{"facing": "opposite_ways"}, {"start": [[1, 14], [2, 1]]}, {"stacking": "after_head"}],
    ids=lambda change: next(iter(change)),
)
def test_double_six_is_refused_where_there_can_be_no_stack(change):
    """Six checkers on 7 are known as the stack because nothing else can put two there."""
    (problem,) = problems_of({"base": "classic", "name": "house", "double_six": True, **change})
    assert problem == "double_six needs facing same_way, start [[1, 15]] and stacking from_head (B11.1)"


def test_one_die_is_refused_where_no_handsome_game_can_be_completed():
    """A die is called for to complete one."""
    (problem,) = problems_of({"base": "backgammon", "name": "house", "one_die": True})
    assert problem == "one_die needs handsome games to complete; handsome is 'never' (B11.3)"


def test_a_known_name_keeps_its_meaning():
    """Fields that are not those of vasa cannot be called vasa, with a base or without."""
    with pytest.raises(GameError):
        load_game(VASA.ruleset | {"jan": False})


def test_without_a_base_every_field_is_needed():
    """No silent default: a mapping without a base names every field."""
    with pytest.raises(GameError):
        load_game({"name": "house"})


@pytest.mark.parametrize("ruleset", [{"name": "house", "family": []}, {"base": "vasa", "name": "house", 5: True}])
def test_a_family_or_field_that_is_no_word_is_refused(ruleset):
    """Whatever a file holds, what is wrong with it is a `GameError`."""
    with pytest.raises(GameError):
        load_game(ruleset)
