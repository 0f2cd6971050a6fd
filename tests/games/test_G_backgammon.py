"""G: backgammon.

Literals and moves are numbered as its players do: the mover's points run from 24 down to 1.
"""

import pytest

from arena.games.tables.notation import format_moves
from arena.games.tables.reading import parse_moves
from tests.fixtures.drawn_boards import (
    BACKGAMMON,
    NO_GAMMONS,
    VASA,
    board,
    dice,
    flipped,
    goes_on,
    literal_of,
    only,
    refused,
    results,
    wins,
)

START = "24:2 13:5 8:3 6:5 | opp 19:5 17:3 12:5 1:2"
AWAY = "opp 24:12 23:2 off:1"
"""An opponent who has borne off one checker and is in nobody's way."""
LAST_ON_5 = f"5:1 off:14 | {AWAY}"
"""The last checker stands on own point 20."""
DRAWN = """\
  X   12  11  10  9   8   7        6   5   4   3   2   1
> O   13  14  15  16  17  18       19  20  21  22  23  24
    ┌────────────────────────┬───┬────────────────────────┐  X off 0
    │ O   .   .   .   X   .  │   │ X   .   .   .   .   O  │
    │ O               X      │   │ X                   O  │
    │ O               X      │   │ X                      │
    │ O                      │   │ X                      │
    │ O                      │   │ X                      │
    │                        │   │                        │
    │ X                      │   │ O                      │
    │ X                      │   │ O                      │
    │ X               O      │   │ O                      │
    │ X               O      │   │ O                   X  │
    │ X   .   .   .   O   .  │   │ O   .   .   .   .   X  │
    └────────────────────────┴───┴────────────────────────┘  O off 0
> O   12  11  10  9   8   7        6   5   4   3   2   1
  X   13  14  15  16  17  18       19  20  21  22  23  24"""


def test_G1_the_start():
    """Along the own path 1:2 12:5 17:3 19:5, which players call 24, 13, 8 and 6; both sides alike."""
    start = BACKGAMMON.start()
    points = BACKGAMMON.to_plain(start)["points"]
    assert {p: n for p, n in enumerate(points, start=1) if n > 0} == {1: 2, 12: 5, 17: 3, 19: 5}
    assert {25 - p: -n for p, n in enumerate(points, start=1) if n < 0} == {
        1: 2,
        12: 5,
        17: 3,
        19: 5,
    }
    assert literal_of(BACKGAMMON, start) == START
    assert BACKGAMMON.flip(start) == start


@pytest.mark.parametrize("point", range(1, 25))
def test_G1_my_point_p_is_the_opponents_25_minus_p(point):
    neighbour = point % 24 + 1
    seen = f"{25 - neighbour}:1 off:14 | opp {25 - point}:1 off:14"
    assert flipped(BACKGAMMON, f"{point}:1 off:14 | opp {neighbour}:1 off:14") == seen


def test_G1_the_numbering_of_people_is_25_minus_p():
    """In literals and moves; the wire and the records count along the own path, as in Bräde."""
    position = BACKGAMMON.parse_position("24:2 1:13 | opp 23:15")
    assert BACKGAMMON.to_plain(position)["points"] == [2, -15, *[0] * 21, 13]
    moves = [(0, 3), (1, 7), (12, 18), (19, 25), (24, 25)]
    assert format_moves(moves, "opposite_ways") == "bar/22 24/18 13/7 6/off 1/off"
    assert parse_moves("bar/22 24/18 13/7 6/off 1/off", "opposite_ways") == moves
    assert BACKGAMMON.format_turn([[1, 7], [0, 3]]) == "24/18 bar/22"
    assert VASA.format_turn([[1, 7], [0, 3]]) == "1/7 bar/3"


def test_G1_a_turn_on_the_wire_counts_along_the_own_path():
    position = BACKGAMMON.judge(BACKGAMMON.start(), (6, 5), [[1, 7], [12, 17]]).position
    assert literal_of(BACKGAMMON, position) == "24:1 18:1 13:4 8:4 6:5 | opp 19:5 17:3 12:5 1:2"


def test_G1_the_drawn_board():
    assert BACKGAMMON.draw(BACKGAMMON.start()) == DRAWN


def test_G2_the_higher_die_begins():
    """With the two dice thrown; the match throws them (`tests/matches`)."""
    assert (BACKGAMMON.opening, VASA.opening) == ("higher_starts", "lower_starts")
    assert (
        BACKGAMMON.dice_to_roll(BACKGAMMON.start()),
        BACKGAMMON.dice_to_call(BACKGAMMON.start()),
    ) == (2, ())


# G3: B3.1-B3.5 hold, B3.6 does not; any number on any point; two close a point, one is hit.


def test_G3_a_die_is_one_move_and_a_double_is_four():
    """B3.1 and B3.2: the dice in either order, each landing legal by itself."""
    goes_on(
        BACKGAMMON, START, "6-5", "24/18 18/13", after="24:1 13:6 8:3 6:5 | opp 19:5 17:3 12:5 1:2"
    )
    refused(BACKGAMMON, START, "6-5", "24/19 19/13", "closed_point", "G3")
    refused(BACKGAMMON, START, "6-5", "24/13", "no_such_die", "B3.1")
    goes_on(BACKGAMMON, START, "3-3", "24/21 24/21 13/10 13/10")
    refused(BACKGAMMON, START, "3-3", "24/21 24/21 13/10", "fewer_dice", "B3.3")


def test_G3_a_winning_turn_owes_every_die_that_can_be_used():
    """The rule book's example: the 6 alone would win, but 5/4 and then 4/off uses both dice.

    In Bräde it would do.
    """
    only(BACKGAMMON, LAST_ON_5, "6-1", "5/4 4/off")
    refused(BACKGAMMON, LAST_ON_5, "6-1", "5/off", "fewer_dice", "B3.3")
    wins(BACKGAMMON, LAST_ON_5, "6-1", "5/4 4/off", "bearing_off", 1)
    wins(VASA, "20:1 off:14 | opp 13:15", "6-1", "20/off", "bearing_off", 1)


def test_G3_a_winning_turn_with_one_die_counts_as_the_higher():
    """The rule book's example: either die bears off the last checker, and none is left for the other."""
    only(BACKGAMMON, f"3:1 off:14 | {AWAY}", "6-5", "3/off")
    wins(BACKGAMMON, f"3:1 off:14 | {AWAY}", "6-5", "3/off", "bearing_off", 1)
    refused(BACKGAMMON, f"3:1 off:14 | {AWAY}", "6-5", "3/off 3/off", "game_over", "G6")


@pytest.mark.parametrize("number", [2, 3, 13])
def test_G3_two_opposing_checkers_close_a_point(number):
    """No prime and no crowd on the bar opens it: there are no strikes."""
    refused(
        BACKGAMMON,
        f"14:1 off:14 | opp 8:{number} 24:{15 - number}",
        "6-1",
        "14/8",
        "closed_point",
        "G3",
    )
    wall = "opp 20:2 19:2 18:2 17:2 16:2 15:2 1:3"
    refused(BACKGAMMON, f"21:15 | {wall}", "6-1", "21/15", "closed_point", "G3")


def test_G3_a_blot_is_hit():
    position = "14:1 off:14 | opp 13:1 7:1 24:13"
    goes_on(BACKGAMMON, position, "6-1", "14/13* 13/7*", after="7:1 off:14 | opp 24:13 bar:2")
    goes_on(BACKGAMMON, position, "6-1", "14/8 8/7*", after="7:1 off:14 | opp 13:1 24:13 bar:1")


# G4: the bar


def test_G4_the_bar_comes_first():
    refused(BACKGAMMON, "bar:2 6:13 | opp 1:15", "6-2", "bar/23 6/off", "bar_first", "G4")
    only(BACKGAMMON, "bar:2 6:13 | opp 1:15", "6-2", "bar/23 bar/19")


# G5: bearing off


def test_G5_only_while_all_in_play_are_at_home():
    refused(BACKGAMMON, f"7:1 6:5 off:9 | {AWAY}", "6-5", "6/off 7/2", "not_home", "G5")
    refused(BACKGAMMON, f"6:5 bar:1 off:9 | {AWAY}", "6-5", "6/off", "bar_first", "G4")


def test_G5_a_larger_die_bears_off_only_the_rearmost():
    position = f"5:1 4:2 2:2 off:10 | {AWAY}"
    only(BACKGAMMON, position, "6-4", "5/off 4/off", "5/1 4/off")
    refused(BACKGAMMON, position, "6-4", "5/off 2/off", "not_rearmost", "G5")
    refused(BACKGAMMON, position, "6-4", "4/off 4/off", "not_rearmost", "G5")
    refused(BACKGAMMON, position, "3-1", "5/off 2/1", "die_too_small", "G5")


# G6: the win


@pytest.mark.parametrize(
    ("theirs", "name", "points"),
    [
        ("24:14 off:1", "bearing_off", 1),
        ("12:13 bar:1 off:1", "bearing_off", 1),
        ("1:1 24:13 off:1", "bearing_off", 1),
        ("24:15", "gammon", 2),
        ("7:1 24:14", "gammon", 2),
        ("6:1 24:14", "backgammon", 3),
        ("4:1 24:14", "backgammon", 3),
        ("24:14 bar:1", "backgammon", 3),
        ("6:2 24:12 bar:1", "backgammon", 3),
    ],
)
def test_G6_gammons(theirs, name, points):
    """1 for a loser with a checker off; 2 with none; 3 if besides one is on his bar or in the winner's home."""
    literal = f"3:1 off:14 | opp {theirs}"
    wins(BACKGAMMON, literal, "6-5", "3/off", name, points)
    wins(NO_GAMMONS, literal, "6-5", "3/off", "bearing_off", 1)


@pytest.mark.parametrize("game", [BACKGAMMON, NO_GAMMONS], ids=lambda game: game.name)
def test_G6_the_first_to_bear_off_15_wins(game):
    literal = "1:3 off:12 | opp 24:10 bar:4 off:1"
    wins(game, literal, "2-2", "1/off 1/off 1/off", "bearing_off", 1)
    goes_on(game, literal, "2-1", "1/off 1/off")
    (won,) = game.legal_turns(board(game, literal), dice("2-2"))
    assert (won.ending.clause, won.ending.monk, won.ending.rank) == ("G6", False, None)
    assert len(results(game, literal, "2-2")) == 1


def test_G6_a_forfeit_pays_the_most_that_can_be_won():
    """B10.2: 3 points, and 1 where gammons do not count."""
    assert (BACKGAMMON.points_forfeit, NO_GAMMONS.points_forfeit) == (3, 1)
    assert NO_GAMMONS.name == "backgammon+no_gammons"
