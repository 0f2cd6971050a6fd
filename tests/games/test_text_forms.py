"""The text forms of positions and moves, and the drawn board: what is refused, and what a person sees."""

import pytest

from arena.games import GameError, load_game
from arena.games.interface import text_of
from arena.games.tables.notation import format_moves
from arena.games.tables.reading import parse_moves
from tests.english import english
from tests.fixtures.drawn_boards import BACKGAMMON, CLASSIC, DOUBLE_SIX, FISKE, ONE_DIE, VASA

DRAWN = """\
  X   12  11  10  9   8   7        6   5   4   3   2   1
> O   24  23  22  21  20  19       18  17  16  15  14  13
    ┌────────────────────────┬───┬────────────────────────┐  X off 0
    │ O   .   .   .   .   O  │ X │ .   .   .   .   .   X  │
    │ O                      │ X │                     X  │
    │ O                      │   │                     X  │
    │ O                      │   │                     X  │
    │ 12                     │   │                     X  │
    │                        │   │                        │
    │ 7                      │   │                        │
    │ X                      │   │                        │
    │ X                      │   │                        │
    │ X                      │   │                        │
    │ X   .   .   .   .   .  │ O │ X   .   .   .   .   .  │
    └────────────────────────┴───┴────────────────────────┘  O off 1
> O   1   2   3   4   5   6        7   8   9   10  11  12
  X   13  14  15  16  17  18       19  20  21  22  23  24"""
NO_ENTRY = " is not slot:count with a slot of 1-24, bar or off and a count of 1-15"
DRAWN_LITERAL = "19:1 24:12 bar:1 off:1 | opp 1:7 7:1 13:5 bar:2"


def test_the_board_is_drawn_counter_clockwise_from_the_lower_left():
    assert VASA.draw(VASA.parse_position(DRAWN_LITERAL)) == DRAWN


AFTER_A_HIT = """\
  X   12  11  10  9   8   7        6   5   4   3   2   1
> O   24  23  22  21  20  19       18  17  16  15  14  13
    ┌────────────────────────┬───┬────────────────────────┐  X off 0
    │ .   .   .   .   O   .  │(X)│ .   .   .   .   .   X  │
    │                        │   │                     X  │
    │                        │   │                     X  │
    │                        │   │                     X  │
    │                        │   │                     14 │
    │                        │   │                        │
    │(12)                    │   │                        │  ┌─────┐ ┌─────┐
    │ O                      │   │                        │  │•   •│ │•   •│
    │ O                      │   │                        │  │•   •│ │  •  │
    │ O                      │   │                        │  │•   •│ │•   •│
    │ O   .   .   .  ( )  .  │   │(O)  .   .  (O)  .   .  │  └─────┘ └─────┘
    └────────────────────────┴───┴────────────────────────┘  O off 0
> O   1   2   3   4   5   6        7   8   9   10  11  12
  X   13  14  15  16  17  18       19  20  21  22  23  24"""


def test_the_board_after_a_turn_marks_what_has_changed():
    before = VASA.parse_position("1:13 5:1 20:1 | opp 7:1 13:14")
    after = VASA.judge(before, (6, 5), VASA.parse_turn("1/7* 5/10")).position
    assert text_of(VASA.picture(after, before=before, dice=(6, 5))) == AFTER_A_HIT


def test_a_turn_of_the_other_side_is_seen_from_here():
    before = VASA.parse_position("1:15 | opp 12:2 off:13")
    after = VASA.parse_position("1:15 | opp off:15")
    lines = VASA.picture(after, before=before, dice=(1, 2), is_mine=False)
    first, _, edge, *rest = text_of(lines).splitlines()
    assert first.startswith("> X   12")
    assert edge.endswith("X off 15 (+2)")
    assert sum(line.count("( )") for line in rest) == 2
    assert max(map(len, [first, edge, *rest])) <= 76


def test_what_moved_has_a_style_of_its_own():
    before = VASA.parse_position("1:13 5:1 20:1 | opp 7:1 13:14")
    after = VASA.judge(before, (6, 5), VASA.parse_turn("1/7* 5/10")).position
    spans = [span for line in VASA.picture(after, before=before, dice=(6, 5)) for span in line]
    assert [span.text.strip() for span in spans if span.style == "moved"] == [
        "(X)",
        "(12)",
        "( )",
        "(O)",
        "(O)",
    ]
    assert [span.text[:3] for span in spans if span.style == "moving"] == ["> O"] * 2
    assert {span.style for span in spans if "O" in span.text and "(" not in span.text} == {
        "first",
        "moving",
    }


def test_the_one_spelling_of_a_literal():
    position = VASA.parse_position("off:1 bar:1 24:12 19:1 | opp bar:2 13:5 7:1 1:7")
    assert VASA.format_position(position) == DRAWN_LITERAL


def test_checkers_that_are_not_named_are_off():
    assert (
        VASA.format_position(VASA.parse_position("24:1 | opp 13:15")) == "24:1 off:14 | opp 13:15"
    )
    assert VASA.format_position(VASA.parse_position("24:1")) == "24:1 off:14 | opp off:15"


@pytest.mark.parametrize(
    ("literal", "problems"),
    [
        ("0:1 25:1 | opp 13:15", ["'0:1' is not slot:count", "'25:1' is not slot:count"]),
        ("19:0 20:16 | opp 13:15", ["'19:0' is not slot:count", "'20:16' is not slot:count"]),
        ("19 | opp 13:15", ["'19' is not slot:count"]),
        ("19:1,20:1 | opp 13:15", ["'19:1,20:1' is not slot:count"]),
        ("19:1 19:2 | opp 13:15", ["my 19 is named twice"]),
        (
            "19:8 20:8 | opp 13:15",
            ["my checkers must be 15 in all, bar and off included; found 16"],
        ),
        (
            "19:8 off:1 | opp 13:15",
            ["my checkers must be 15 in all, bar and off included; found 9"],
        ),
        ("13:15 | opp 13:15", ["point 13 is held by both sides"]),
        ("19:15 | 13:15", ["after '|' the opponent's checkers begin with 'opp', found '13:15'"]),
        ("19:15 | opp 13:15 | opp 13:15", ["'|' is not slot:count", "'opp' is not slot:count"]),
        (
            "x | opp y 13:16",
            ["'x' is not slot:count", "'y' is not slot:count", "'13:16' is not slot:count"],
        ),
    ],
)
def test_a_literal_that_is_wrong_is_refused_with_all_its_problems(literal, problems):
    with pytest.raises(GameError) as caught:
        VASA.parse_position(literal)
    found = english(caught.value.problems)
    for problem in problems:
        assert any(one.startswith(problem) for one in found), found


def plain(**changes):
    return {"points": [15, *[0] * 11, -15, *[0] * 11], "bar": [0, 0], "off": [0, 0]} | changes


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (None, "a position is an object with points, bar and off, not NoneType"),
        ({}, "points must be a list of 24 whole numbers, found None"),
        (plain(points="x" * 24), "points must be a list of 24 whole numbers"),
        (plain(bar=[0]), "bar must be a list of 2 whole numbers, found [0]"),
        (plain(off=[-1, 0]), "off must not be negative, found [-1, 0]"),
        (plain(off=[0.0, 0]), "off holds 0.0; expected a whole number from -15 to 15"),
        (plain(off=[10**30, 0]), f"off holds {10**30}; expected a whole number from -15 to 15"),
        (
            plain(points=["15", *[0] * 11, -15, *[0] * 11]),
            "points holds '15'; expected a whole number from -15 to 15",
        ),
        (plain(cube=2), "unknown field 'cube' in a position; known are points, bar, off"),
        (plain(bar=[1, 0]), "my checkers must be 15 in all, bar and off included; found 16"),
    ],
    ids=lambda value: repr(value)[:30] if isinstance(value, str) else None,
)
def test_plain_data_that_is_no_position_is_refused(given, problem):
    with pytest.raises(GameError) as caught:
        VASA.from_plain(given)
    assert any(one.startswith(problem) for one in english(caught.value.problems)), english(
        caught.value.problems
    )


# What a ruleset remembers beside checkers (B4.3 [F], B11.1, B11.3)

EXTRAS = [
    (FISKE, "1:15 unlocked | opp 13:15", {"unlocked": [True, False]}),
    (FISKE, "1:15 | opp 13:15 unlocked", {"unlocked": [False, True]}),
    (ONE_DIE, "1:15 one-die:6 | opp 13:15", {"one_die": [6, 0]}),
    (ONE_DIE, "1:15 one-die:2 | opp 13:15 one-die:1", {"one_die": [2, 1]}),
    (DOUBLE_SIX, "1:9 7:6 | opp 13:15", {"stack": [True, False]}),
    (DOUBLE_SIX, "1:14 7:1 | opp 13:13 19:2", {"stack": [False, True]}),
    (
        load_game("classic", ["one_die", "double_six"]),
        "1:9 7:6 one-die:3 | opp 13:15",
        {"stack": [True, False], "one_die": [3, 0]},
    ),
]


@pytest.mark.parametrize(("game", "literal", "extras"), EXTRAS, ids=[case[1] for case in EXTRAS])
def test_what_a_ruleset_remembers_stands_in_every_form(game, literal, extras):
    position = game.parse_position(literal)
    plain_form = game.to_plain(position)
    assert {
        name: plain_form[name] for name in plain_form if name not in ("points", "bar", "off")
    } == extras
    assert game.from_plain(plain_form) == position
    assert game.format_position(position) == literal
    seen = game.to_plain(game.flip(position))
    assert {name: seen[name] for name in extras} == {
        name: pair[::-1] for name, pair in extras.items()
    }


@pytest.mark.parametrize(
    ("game", "change", "problem"),
    [
        (
            FISKE,
            {"unlocked": [2, 0]},
            "unlocked must be a pair of booleans, mine first, found [2, 0]",
        ),
        (
            FISKE,
            {"stack": [False, False]},
            "unknown field 'stack' in a position; known are points, bar, off, unlocked",
        ),
        (
            DOUBLE_SIX,
            {"stack": [0.0, 0.0]},
            "stack must be a pair of booleans, mine first, found [0.0, 0.0]",
        ),
        (
            DOUBLE_SIX,
            {"stack": [True, False]},
            "my stack is true exactly when two or more stand on point 7 (B11.1); found 0",
        ),
        (
            ONE_DIE,
            {"one_die": [7, 0]},
            "one_die must be a pair of numbers from 0 to 6, mine first, found [7, 0]",
        ),
        (
            ONE_DIE,
            {"one_die": [0, -1]},
            "one_die must be a pair of numbers from 0 to 6, mine first, found [0, -1]",
        ),
    ],
    ids=lambda value: getattr(value, "name", None) or repr(value),
)
def test_extras_of_the_plain_form_that_are_wrong_are_refused(game, change, problem):
    with pytest.raises(GameError) as caught:
        game.from_plain(game.to_plain(game.start()) | change)
    assert len(english(caught.value.problems)) == 1
    assert english(caught.value.problems)[0].startswith(problem)


@pytest.mark.parametrize(
    ("game", "name"), [(FISKE, "unlocked"), (DOUBLE_SIX, "stack"), (ONE_DIE, "one_die")]
)
def test_extras_of_the_plain_form_may_not_be_left_out(game, name):
    """No silent default: a position without them could mean either."""
    given = game.to_plain(game.start())
    del given[name]
    with pytest.raises(GameError, match=f"{name} must be a pair of .*, found None"):
        game.from_plain(given)


@pytest.mark.parametrize("flags", [[True, False], [1, 0]])
def test_flags_may_be_written_as_numbers(flags):
    """Languages without booleans in their JSON write 1 and 0; what we write is always true and false."""
    given = FISKE.to_plain(FISKE.start()) | {"unlocked": flags}
    assert FISKE.to_plain(FISKE.from_plain(given))["unlocked"] == [True, False]


def test_two_on_7_without_the_stack_are_refused():
    given = DOUBLE_SIX.to_plain(DOUBLE_SIX.parse_position("1:9 7:6 | opp 13:15"))
    with pytest.raises(
        GameError, match=r"my stack is true exactly when two or more stand on point 7 .*; found 6"
    ):
        DOUBLE_SIX.from_plain(given | {"stack": [False, False]})


@pytest.mark.parametrize(
    ("game", "literal", "problem"),
    [
        (VASA, "1:15 unlocked | opp 13:15", f"'unlocked'{NO_ENTRY}"),
        (FISKE, "1:15 locked | opp 13:15", f"'locked'{NO_ENTRY}, nor 'unlocked'"),
        (FISKE, "1:15 unlocked unlocked | opp 13:15", "my unlocked is named twice"),
        (ONE_DIE, "1:15 | opp 13:15 one-die:1 one-die:2", "the opponent's one-die is named twice"),
        (
            ONE_DIE,
            "1:15 one-die:7 | opp 13:15",
            f"'one-die:7'{NO_ENTRY}, nor one-die:1 to one-die:6",
        ),
        (
            ONE_DIE,
            "1:15 one-die:0 | opp 13:15",
            f"'one-die:0'{NO_ENTRY}, nor one-die:1 to one-die:6",
        ),
        (DOUBLE_SIX, "1:15 one-die:1 | opp 13:15", f"'one-die:1'{NO_ENTRY}"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else value.name,
)
def test_extras_of_a_literal_that_are_wrong_are_refused(game, literal, problem):
    with pytest.raises(GameError) as caught:
        game.parse_position(literal)
    assert english(caught.value.problems) == [problem]


def test_the_drawn_board_tells_what_cannot_be_seen():
    drawn = FISKE.draw(FISKE.parse_position("1:15 | opp 13:15 unlocked"))
    assert drawn.splitlines()[17:] == ["    O locked, X unlocked"]
    drawn = ONE_DIE.draw(ONE_DIE.parse_position("1:15 one-die:2 | opp 13:15"))
    assert drawn.splitlines()[17:] == ["    O rolls one die for 2 more"]
    assert ONE_DIE.draw(ONE_DIE.start()) == CLASSIC.draw(CLASSIC.start())


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1/7 12/15", [(1, 7), (12, 15)]),
        ("bar/5", [(0, 5)]),
        ("23/off", [(23, 25)]),
        ("pass", []),
        ("20/24(2) 24/off(2)", [(20, 24), (20, 24), (24, 25), (24, 25)]),
        ("1/7(6)", [(1, 7)] * 6),
    ],
)
def test_moves_are_written_from_and_to_and_read_back(text, moves):
    assert parse_moves(text) == moves
    assert format_moves(moves) == text


def test_spaces_between_moves_do_not_matter():
    assert parse_moves("  1/7\t 1/6\n") == [(1, 7), (1, 6)]


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("", ["no moves; a pass is 'pass'"]),
        ("1+7", ["'1+7' is not a move such as 1/7, bar/5*, 1/7(2) or 23/off"]),
        (
            "25/24 5/0 26/27 5/bar",
            [f"'{word}' is not" for word in ("25/24", "5/0", "26/27", "5/bar")],
        ),
        ("1/7 pass", ["'pass' is not a move"]),
        ("1/7 8", ["'8' is not a move"]),
        ("1 7 8 pass", ["'1 7 8 pass' is not a move"]),
        (
            "\u0661/\u0667",
            ["'\u0661/\u0667' is not a move"],
        ),  # Arabic digits, which Python takes for 1 and 7
        ("1/\u00b2", ["'1/\u00b2' is not a move"]),
        (
            "1/7*** 1/7(1) 1/7(7) 1/7x",
            [f"'{word}' is not a move" for word in ("1/7***", "1/7(1)", "1/7(7)", "1/7x")],
        ),
        (
            "1/7, jam",
            [
                "'jam' is not an ending; after a comma write one of single crown, double crown, staircase, tower,"
            ],
        ),
        ("off/bar 1/07", ["'off/bar' is not", "'1/07' is not"]),
    ],
)
def test_text_that_is_no_turn_is_refused_naming_every_wrong_word(text, problems):
    with pytest.raises(GameError) as caught:
        parse_moves(text)
    assert len(english(caught.value.problems)) == len(problems)
    for found, problem in zip(english(caught.value.problems), problems, strict=True):
        assert found.startswith(problem)


# What a turn hits, strikes and brings about stands in its text (B4.2, B5, B6.3, B8, B9): the
# position tells.

MARKED = [
    (VASA, "1:14 5:1 | opp 7:1 13:14", (6, 5), "1/7* 1/6", (1, 0)),
    (VASA, "1:13 5:1 6:1 | opp 7:2 8:2 9:2 10:2 11:2 12:5", (2, 1), "6/7** 1/3", (0, 1)),
    (CLASSIC, "bar:3 1:3 6:1 20:8 | opp 2:2 3:2 4:2 13:9", (5, 2), "bar/5 bar/2**", (0, 1)),
    (VASA, "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15", (4, 1), "19/20, single crown", (0, 0)),
    (VASA, "24:2 off:13 | opp 13:15", (3, 3), "24/off(2), bearing off", (0, 0)),
    (VASA, "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3", (5, 4), "3/8*, jan", (1, 0)),
    (
        VASA,
        "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3",
        (6, 5),
        "bar/6* bar/5**, forced jan",
        (1, 1),
    ),
    (
        VASA,
        "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3",
        (6, 5),
        "bar/5** bar/6*, jan",
        (1, 1),
    ),
    (DOUBLE_SIX, "1:15 | opp 13:15", (6, 6), "1/7(6)", (0, 0)),
    (BACKGAMMON, "24:2 13:5 8:3 6:5 | opp 22:1 12:5 17:4 19:5", (1, 1), "6/5(2) 24/23(2)", (0, 0)),
    (BACKGAMMON, "24:2 13:5 8:3 6:5 | opp 22:1 12:5 17:4 19:5", (2, 2), "24/22*(2) 6/4(2)", (1, 0)),
]


@pytest.mark.parametrize(
    ("game", "literal", "dice", "text", "hits"), MARKED, ids=[case[3] for case in MARKED]
)
def test_a_turn_names_what_it_hits_strikes_and_brings_about(game, literal, dice, text, hits):
    position = game.parse_position(literal)
    moves = game.parse_turn(text)
    verdict = game.judge(position, dice, moves)
    assert game.format_turn(moves, position, verdict.ending) == text
    assert game.count_hits(position, moves) == hits
    plain = game.format_turn(moves)
    assert "*" not in plain
    assert "," not in plain
    assert game.parse_turn(plain) == moves


def test_a_rejection_names_hits_in_the_turn_it_proposes():
    position = CLASSIC.parse_position("bar:3 1:3 6:1 20:8 | opp 2:2 3:2 4:2 13:9")
    assert "the only legal turn is bar/5 bar/2**." in CLASSIC.judge(position, (5, 2), []).message
