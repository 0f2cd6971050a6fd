"""B8: the four handsome games, and when they count."""

import pytest

from tests.fixtures.drawn_boards import (
    CLASSIC,
    FISKE,
    VASA,
    goes_on,
    in_both,
    refused,
    results,
    turn,
    wins,
)

ONE_SHORT = "19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15"
TWO_SHORT = [
    (
        "single_crown",
        "18:1 19:1 20:1 21:3 22:3 23:3 24:3",
        "18/20 19/20",
        "20:3 21:3 22:3 23:3 24:3",
    ),
    ("double_crown", "20:1 21:1 22:3 23:5 24:5", "20/22 21/22", "22:5 23:5 24:5"),
    ("staircase", "20:1 21:1 22:1 23:5 24:7", "20/22 21/22", "22:3 23:5 24:7"),
    ("tower", "22:1 23:1 24:13", "22/24 23/24", "24:15"),
]
patterns = pytest.mark.parametrize(
    ("name", "before", "moves", "after"), TWO_SHORT, ids=[name for name, _, _, _ in TWO_SHORT]
)


@in_both
@patterns
def test_B8_1_the_four_patterns(game, name, before, moves, after):
    wins(game, f"{before} | opp 13:15", "2-1", moves, name, 2)
    turn(game, f"{before} | opp 13:15", "2-1", moves, after=f"{after} | opp 13:15")


@in_both
@pytest.mark.parametrize(
    ("before", "moves"),
    [
        ("20:1 21:1 22:2 23:5 24:5 off:1", "20/22 21/22"),
        ("22:1 23:1 24:12 off:1", "22/24 23/24"),
        ("20:1 21:1 22:1 23:7 24:5", "20/22 21/22"),
        ("20:1 21:1 22:3 23:4 24:6", "20/22 21/22"),
        ("18:1 19:1 20:2 21:2 22:3 23:3 24:3", "18/20 19/20"),
    ],
    ids=["crown-and-one-off", "tower-and-one-off", "staircase-upside-down", "5-4-6", "4-2-3-3-3"],
)
def test_B8_1_nothing_else_is_a_handsome_game(game, before, moves):
    goes_on(game, f"{before} | opp 13:15", "2-1", moves)


def test_B8_2_in_classic_the_pattern_must_stand_after_every_die():
    """The rule book's example: after 19/20 the 4 has to be played as well, and nothing is won by any turn."""
    refused(CLASSIC, ONE_SHORT, "4-1", "19/20", "fewer_dice", "B3.3")
    goes_on(CLASSIC, ONE_SHORT, "4-1", "19/20 20/24")
    assert {found.ending for found in results(CLASSIC, ONE_SHORT, "4-1")} == {None}


@pytest.mark.parametrize("game", [VASA, FISKE], ids=["vasa", "fiske"])
def test_B8_3_the_pattern_wins_the_moment_it_stands(game):
    """The rule book's example: 19/20 completes the single crown, and the 4 lapses."""
    wins(game, ONE_SHORT, "4-1", "19/20", "single_crown", 2)
    refused(game, ONE_SHORT, "4-1", "19/20 20/24", "game_over", "B8.3")


@pytest.mark.parametrize("game", [VASA, FISKE], ids=["vasa", "fiske"])
def test_B8_3_a_side_can_decline_by_another_order_of_its_moves(game):
    """The rule book's example: 19/23 and 20/21 use both dice and win nothing; 20/24 before 19/20 avoids the crown."""
    goes_on(game, ONE_SHORT, "4-1", "19/23 20/21")
    goes_on(game, ONE_SHORT, "4-1", "20/24 19/20")
