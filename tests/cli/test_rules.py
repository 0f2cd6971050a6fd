"""`arena rules`: questions of programs in any language, in JSON lines, however many they are."""

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from arena.games import load_game, option_names, ruleset_names
from tests.fixtures.command_line import Arena

TABLES = [name for name in ruleset_names() if load_game(name).ruleset["family"] == "tables"]
VASA = load_game("vasa")
START = VASA.to_plain(VASA.start())
BRANDUBH = load_game("brandubh-2")


def ask(arena: Arena, here: Path, command: str, *lines: object) -> tuple[int, list[dict[str, Any]]]:
    """The exit status and the answers; a line may be given as text."""
    file = here / "questions.jsonl"
    file.write_text(
        "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    )
    result = arena("rules", command, file)
    return result.exit_code, [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.parametrize("name", TABLES)
def test_the_turns_of_a_roll_are_judged_legal(arena: Arena, here: Path, name: str) -> None:
    options = list(option_names(name))
    game = load_game(name, options)
    question = {
        "ruleset": name,
        "options": options,
        "position": game.to_plain(game.start()),
        "dice": [6, 4],
    }
    status, [answer] = ask(arena, here, "turns", question)
    assert status == 0
    assert len(answer["turns"]) == len(game.legal_turns(game.start(), (6, 4)))
    judged = [{**question, "moves": turn["moves"]} for turn in answer["turns"]]
    status, verdicts = ask(arena, here, "judge", *judged)
    assert status == 0
    assert verdicts == [
        {"legal": True, **{k: v for k, v in turn.items() if k != "moves"}}
        for turn in answer["turns"]
    ]


def test_a_turn_that_ends_the_game_says_how_and_what_it_pays(arena: Arena, here: Path) -> None:
    won = VASA.to_plain(VASA.parse_position("19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:14 bar:1"))
    _, [answer] = ask(arena, here, "turns", {"ruleset": "vasa", "position": won, "dice": [1, 5]})
    endings = {(turn["ending"], turn["points"]) for turn in answer["turns"]}
    assert ("single_crown", 3) in endings
    assert (None, 0) in endings


def test_an_illegal_turn_gets_its_verdict(arena: Arena, here: Path) -> None:
    status, [answer] = ask(
        arena,
        here,
        "judge",
        {"ruleset": "vasa", "position": START, "dice": [4, 4], "moves": [[1, 5], [5, 9]]},
    )
    assert status == 0
    assert answer == {
        "legal": False,
        "code": "fewer_dice",
        "clause": "B3.3",
        "message": "the turn uses 2 dice, but 3 dice of 4-4 can be used; the only legal turn is 1/5 5/9 1/5.",
        "values": {
            "count": 2,
            "usable": ["number.dice", {"count": 3}],
            "dice": "4-4",
            "legal": ["legal.turns", {"count": 1, "nearest": "1/5 5/9 1/5"}],
        },
        "legal_turns": 1,
    }


def test_a_house_ruleset_and_its_options(arena: Arena, here: Path) -> None:
    crowded = VASA.to_plain(VASA.parse_position("bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:7"))
    question = {
        "ruleset": {"base": "classic", "name": "mine", "points_jan": 9},
        "position": crowded,
        "dice": [6, 2],
    }
    _, [strict, easy] = ask(
        arena, here, "turns", question, {**question, "options": ["easy_reentry"]}
    )
    assert [len(turn["moves"]) for turn in strict["turns"]] == [1]
    assert [len(turn["moves"]) for turn in easy["turns"]] == [2]


def test_one_die_may_be_asked_about_where_it_may_be_called(arena: Arena, here: Path) -> None:
    """B11.3: one or two before a handsome game, one while bound to single dice, else two."""
    game = load_game("classic", ["one_die"])
    near = game.parse_position("19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15")
    bound = game.parse_position("19:1 20:2 21:3 22:3 23:3 24:3 one-die:2 | opp 13:15")
    asked = [(near, [1]), (near, [1, 2]), (bound, [1]), (bound, [1, 2]), (game.start(), [1])]
    status, answers = ask(
        arena,
        here,
        "turns",
        *(
            {
                "ruleset": "classic",
                "options": ["one_die"],
                "position": game.to_plain(position),
                "dice": dice,
            }
            for position, dice in asked
        ),
    )
    assert status == 1
    assert ["turns" in answer for answer in answers] == [True, True, True, False, False]
    assert answers[0]["turns"][0]["position"]["one_die"] == [1, 0]
    assert answers[4]["error"] == {
        "code": "bad_dice",
        "message": "dice = [1]; expected a list of 2 whole numbers from 1 to 6",
    }


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        ("not json", "not_json", "the line is not JSON"),
        ("[" * 5000, "not_json", "the line is not JSON"),
        ("[1, 2]", "not_an_object", "a line is one JSON object, found list"),
        (
            {"dicee": [1, 2]},
            "unknown_field",
            "unknown field 'dicee'; known are ruleset, options, position, dice, moves",
        ),
        (
            {"moves": ...},
            "missing_field",
            "the line has no 'moves'",
        ),
        ({"position": ...}, "missing_field", "the line has no 'position'"),
        ({"ruleset": "vassa"}, "bad_ruleset", "unknown ruleset 'vassa'; known are vasa, classic,"),
        ({"ruleset": 5}, "bad_ruleset", "ruleset = 5; expected a name or an object of fields"),
        ({"options": ["one_die"]}, "bad_ruleset", "unknown option 'one_die'; vasa takes none"),
        ({"options": "one_die"}, "bad_ruleset", "options = 'one_die'; expected a list of names"),
        (
            {"position": {"points": [15]}},
            "bad_position",
            "points must be a list of 24 whole numbers, found [15]; bar",
        ),
        ({"position": START | {"bar": [1, 0]}}, "bad_position", "my checkers must be 15 in all"),
        ({"dice": [6]}, "bad_dice", "dice = [6]; expected a list of 2 whole numbers from 1 to 6"),
        ({"dice": [6, 7]}, "bad_dice", "dice = [6, 7]; expected"),
        ({"dice": "66"}, "bad_dice", "dice = '66'; expected"),
        ({"dice": [True, 6]}, "bad_dice", "dice = [True, 6]; expected"),
        (
            {"ruleset": "brandubh-2", "position": BRANDUBH.to_plain(BRANDUBH.start()), "dice": [1]},
            "bad_dice",
            "dice = [1]; expected no dice, or an empty list",
        ),
        ({"moves": "1/7"}, "bad_moves", "moves = '1/7'; expected a list of [from, to]"),
    ],
)
def test_a_bad_line_gets_an_error_and_the_rest_go_on(
    arena: Arena, here: Path, change: str | dict[str, Any], code: str, said: str
) -> None:
    good = {"ruleset": "vasa", "position": START, "dice": [6, 5], "moves": [[1, 7], [7, 12]]}
    bad: object = change
    if isinstance(change, dict):
        bad = {name: value for name, value in (good | change).items() if value is not ...}
    status, answers = ask(arena, here, "judge", good, bad, good)
    assert status == 1
    assert [*answers[1]] == ["error"]
    assert answers[1]["error"]["code"] == code
    assert answers[1]["error"]["message"].startswith(said)
    assert answers[0]["legal"] is answers[2]["legal"] is True


def test_a_stream_without_line_feeds_ends_with_an_error(arena: Arena) -> None:
    result = arena("rules", "turns", "/dev/zero")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert answer["error"]["code"] == "too_long"


def test_positions_are_drawn(arena: Arena, here: Path) -> None:
    backgammon = load_game("backgammon")
    file = here / "positions.jsonl"
    lines = [
        {"ruleset": "backgammon", "position": backgammon.to_plain(backgammon.start())},
        {"ruleset": "backgammon"},
    ]
    file.write_text("\n".join(map(json.dumps, lines)))
    result = arena("rules", "show", file)
    assert result.exit_code == 1
    assert result.stdout == backgammon.draw(backgammon.start()) + "\n"
    assert "missing_field: the line has no 'position'" in result.stderr


def test_counts_of_the_rule_book(arena: Arena) -> None:
    text = arena(
        "rules", "count", "--ruleset", "classic", "--option", "double_six", "--depth", "2"
    ).stdout
    assert "6-6: 2" in text
    assert "depth 2: 1,605 leaves" in text
    assert arena("rules", "count", "--ruleset", "brandubh-1").stdout.startswith(
        "no dice\ndepth 1: 40 leaves"
    )
    found = [
        json.loads(line)
        for line in arena("rules", "count", "--depth", "2", "--json").stdout.splitlines()
    ]
    assert found == [
        {"depth": 1, "leaves": 39, "distinct": 28},
        {"depth": 2, "leaves": 1526, "distinct": 787},
    ]
    wrong = arena("rules", "count", "--ruleset", "classic", "--option", "double_sic")
    assert wrong.exit_code == 2
    assert (
        "unknown option 'double_sic'; classic takes double_six, easy_reentry, one_die; did you mean"
        in wrong.stderr
    )


def test_every_ruleset_is_listed_with_its_fields(arena: Arena) -> None:
    text = arena("rules", "list").stdout
    places = [
        text.index(f"\n{name}") if name != "vasa" else text.index("vasa")
        for name in ruleset_names()
    ]
    assert all(one < other for one, other in pairwise(places))
    assert "classic (options: double_six, easy_reentry, one_die)" in text
    assert "backgammon (options: no_gammons)" in text
    listed = json.loads(arena("rules", "list", "--json").stdout)
    assert {name: listed[name]["fields"] for name in listed} == {
        name: load_game(name).ruleset for name in listed
    }


# `arena rules` on streams: constant memory, however long they are and whatever rulesets they bring


MEASURED = """
import resource, sys
from arena.cli import main
try:
    main(sys.argv[1:])
finally:
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""
"""`arena`, which says at its end how much memory it had at most (in KiB, on macOS in bytes)."""


def lines(number: int) -> Iterator[str]:
    """Questions about one position; every second line brings a house ruleset of its own."""
    vasa = load_game("vasa")
    position = vasa.to_plain(vasa.start())
    for index in range(number):
        ruleset = (
            {"base": "classic", "name": f"house-{index}", "longest_prime": 6}
            if index % 2
            else "vasa"
        )
        yield json.dumps(
            {"ruleset": ruleset, "position": position, "dice": [6, 5], "moves": [[1, 7], [7, 12]]}
        )


def memory_of(number: int) -> int:
    """The most memory that `arena rules judge` had for a stream of so many lines, all of which it answers."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "rules", "judge"],
        input="\n".join(lines(number)),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert done.stdout.count('"legal":true') == number
    return int(done.stderr)


@pytest.mark.slow
def test_a_stream_of_20_000_lines_takes_no_more_memory_than_a_short_one():
    assert memory_of(20_000) < 1.1 * memory_of(1_000)


OPENING = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def test_a_position_may_be_an_id_with_its_dice(arena: Arena, here: Path) -> None:
    game = load_game("backgammon")
    plain = {
        "ruleset": "backgammon",
        "position": game.to_plain(game.start()),
        "dice": [3, 1],
    }
    literal = plain | {"position": game.format_position(game.start())}
    by_id = {"ruleset": "backgammon", "position": OPENING}
    status, [first, second, third] = ask(arena, here, "turns", plain, literal, by_id)
    assert status == 0
    assert first == second == third
    _, [other_dice] = ask(arena, here, "turns", {**by_id, "dice": [6, 5]})
    assert other_dice != first
    status, [no_dice] = ask(
        arena, here, "turns", {"ruleset": "backgammon", "position": "4HPwATDgc/ABMA"}
    )
    assert (status, no_dice["error"]["code"]) == (1, "bad_dice")


def test_the_forms_of_a_position(arena: Arena, here: Path) -> None:
    doubled = {"ruleset": "backgammon", "position": OPENING.replace(":0:0:1:31:", ":1:1:1:31:")}
    vasa = {"ruleset": "vasa", "position": START}
    wrong = {"ruleset": "backgammon", "position": OPENING[:-3]}
    status, [forms, literal, refused] = ask(arena, here, "id", doubled, vasa, wrong)
    assert status == 1
    assert forms.pop("left_out") == ["the cube at 2 is left out: the arena plays without a cube"]
    assert list(forms) == ["literal", "gnubg", "xgid", "fibs"]
    assert forms["gnubg"].startswith("4HPwATDgc/ABMA:")
    assert literal == {"literal": "1:15 | opp 13:15"}
    assert refused["error"]["code"] == "bad_position"
    result = arena("rules", "show", here / "questions.jsonl")
    assert "the cube at 2 is left out" in result.stderr
