"""Rulesets by name, house rulesets, and the form in which records keep them."""

import hashlib
import json
import re
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from arena.games import (
    DEFAULT,
    GameError,
    Illegal,
    Legal,
    game_of_record,
    load_game,
    ruleset_names,
    ruleset_record,
)
from arena.games.brandubh import ruleset as brandubh
from arena.games.tables import ruleset as tables
from tests.fixtures.drawn_boards import CLASSIC, EASY_REENTRY, FISKE, VASA

HOUSE = {"base": "classic", "name": "house", "longest_prime": 6, "points_jan": 5}


def documented_fields(caption):
    """Field, form and value of each row of a table in docs/rulesets.md, below its caption."""
    page = (Path(__file__).parents[2] / "docs/rulesets.md").read_text()
    table = page.split("### Fields of a ruleset\n")[1].split(f"\n{caption} (")[1].split("\n\n")[1]
    return [
        [cell.strip() for cell in line.strip("|").split("|")][:3] for line in table.splitlines()[2:]
    ]


@pytest.mark.parametrize(
    ("caption", "name", "ruleset"),
    [
        ("Tables games", "vasa", tables.Ruleset),
        ("Brandubh", "brandubh-1", brandubh.BrandubhRuleset),
    ],
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
    assert (DEFAULT, load_game().name, load_game("vasa").ruleset) == (
        "vasa",
        "vasa",
        load_game().ruleset,
    )


def test_every_known_name_loads_its_game():
    assert {"vasa", "classic", "brandubh-1", "brandubh-2"} <= set(ruleset_names())
    assert [load_game(name).name for name in ruleset_names()] == list(ruleset_names())


@pytest.mark.parametrize("name", ruleset_names())
def test_every_field_is_plain_data(name):
    fields = load_game(name).ruleset
    assert json.loads(json.dumps(fields)) == fields
    assert fields["name"] == name


def test_a_house_ruleset_of_brandubh_plays_by_its_fields():
    changes = {
        "throne_hostile": True,
        "points_win": 3,
        "points_forfeit": 3,
        "draw_by_agreement": False,
    }
    house = load_game({"base": "brandubh-1", "name": "house"} | changes)
    assert house.ruleset == load_game("brandubh-1").ruleset | {"name": "house"} | changes
    assert (house.points_forfeit, house.agreement, load_game("brandubh-1").agreement) == (
        3,
        None,
        "T9",
    )
    escape = house.parse_position("......./.k...../......./......./......./......./...b... white")
    assert house.judge(escape, (), [("b6", "b7")]).ending is None
    assert house.judge(
        house.parse_position("k....../......./......./......./......./......./...b... white"),
        (),
        [],
    )
    ended = house.judge(
        house.parse_position(".k...../......./......./......./......./......./...b... white"),
        (),
        [("b7", "a7")],
    )
    assert (ended.ending.name, ended.ending.points) == ("king_escaped", 3)


def test_the_endings_of_brade_are_ranked():
    assert [load_game(name).is_ranked for name in ("vasa", "classic", "brandubh-1")] == [
        True,
        True,
        False,
    ]


# House rulesets


def test_a_house_ruleset_takes_over_what_it_does_not_change():
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
    assert jan.ending.points == 5


# Records


@pytest.mark.parametrize(
    "game",
    [
        VASA,
        CLASSIC,
        EASY_REENTRY,
        FISKE,
        load_game(HOUSE),
        load_game("brandubh-1"),
        load_game("brandubh-2"),
    ],
    ids=lambda game: game.name,
)
def test_a_record_gives_the_game_back(game):
    record = ruleset_record(game)
    assert list(record) == ["name", "hash", "fields"]
    text = json.dumps(dict(game.ruleset), sort_keys=True, separators=(",", ":"))
    assert record["hash"] == hashlib.sha256(text.encode()).hexdigest()
    again = game_of_record(json.loads(json.dumps(record)))
    assert (again.name, again.ruleset) == (game.name, game.ruleset)


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
    with pytest.raises(GameError, match=r"does not match its own name and hash|is taken"):
        game_of_record(ruleset_record(VASA) | change)


@pytest.mark.parametrize(
    "fields", [{}, {"fields": 1}, {"fields": "vasa"}, {"fields": None}], ids=repr
)
def test_a_record_without_fields_is_refused(fields):
    """A name alone would not tell the rules years later."""
    with pytest.raises(GameError, match="has its fields under 'fields', found"):
        game_of_record({"name": "vasa", "hash": "00" * 32} | fields)
