"""B10: what a game pays."""

import pytest

from arena.games import Legal, load_game, ruleset_names
from arena.games.tables.reading import parse_moves
from tests.fixtures.drawn_boards import VASA, board, dice, in_both, wins

STRIKE = "bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:3 bar:4"
STRIKE_CLASSIC = "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3"
HIT = "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3"
LAST = "24:1 off:14"
PATTERNS = {
    "single_crown": "18:1 19:1 20:1 21:3 22:3 23:3 24:3",
    "double_crown": "20:1 21:1 22:3 23:5 24:5",
    "staircase": "20:1 21:1 22:1 23:5 24:7",
    "tower": "22:1 23:1 24:13",
}
BRADE = ("vasa", "classic", "swedish-tables", "fiske")
COMPLETING = {"single_crown": "18/20 19/20", "tower": "22/24 23/24"}


def ending_of(game, position, roll, moves):
    verdict = game.judge(board(game, position), dice(roll), parse_moves(moves))
    assert isinstance(verdict, Legal), verdict.message
    assert verdict.ending is not None
    return verdict.ending


@in_both
def test_B10_a_forced_jan_pays_6_and_has_rank_1(game):
    """Whatever waits on the bar pays nothing besides."""
    if game is VASA:
        ending = ending_of(game, STRIKE, "6-2", "bar/6")
    else:
        ending = ending_of(game, STRIKE_CLASSIC, "6-5", "bar/6 bar/5")
    assert (ending.name, ending.points, ending.rank, ending.monk) == ("forced_jan", 6, 1, False)
    assert ending.clause == "B9.2"


@in_both
def test_B10_a_jan_pays_4_and_has_rank_2(game):
    ending = ending_of(game, HIT, "5-4", "3/7")
    assert (ending.name, ending.points, ending.rank, ending.monk) == ("jan", 4, 2, False)
    assert ending.clause == "B9.1"


@in_both
@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize(
    ("theirs", "points", "rank", "monk"),
    [("13:15", 2, 4, False), ("13:14 bar:1", 3, 3, True), ("13:12 bar:3", 3, 3, True)],
    ids=["no-monk", "monk", "three-on-the-bar"],
)
def test_B10_1_a_handsome_game_pays_2_and_with_monk_3(game, name, theirs, points, rank, monk):
    moves = COMPLETING.get(name, "20/22 21/22")
    ending = ending_of(game, f"{PATTERNS[name]} | opp {theirs}", "2-1", moves)
    assert (ending.name, ending.points, ending.rank, ending.monk) == (name, points, rank, monk)
    assert ending.clause == ("B8.3" if game is VASA else "B8.2")


@in_both
@pytest.mark.parametrize(
    ("theirs", "points", "rank", "monk"),
    [
        ("13:15", 1, 6, False),
        ("13:14 bar:1", 2, 5, True),
        ("bar:2 1:13", 2, 5, True),
        ("off:14 bar:1", 2, 5, True),
    ],
    ids=["no-monk", "monk", "two-on-the-bar", "the-last-on-the-bar"],
)
def test_B10_1_bearing_off_pays_1_and_with_monk_2(game, theirs, points, rank, monk):
    ending = ending_of(game, f"{LAST} | opp {theirs}", "2-1", "24/off")
    assert (ending.name, ending.points, ending.rank, ending.monk) == (
        "bearing_off",
        points,
        rank,
        monk,
    )
    assert ending.clause == "B7.7"


@in_both
def test_B10_1_only_the_losers_bar_counts(game):
    wins(game, f"{LAST} | opp 12:14 13:1", "2-1", "24/off", "bearing_off", 1)


def test_B10_1_the_bar_counts_when_the_game_ends():
    position = "18:1 19:1 20:1 21:3 22:3 23:3 24:3 | opp 13:15"
    assert ending_of(VASA, position, "2-1", "18/20 19/20").points == 2
    hit_on_the_way = "17:1 20:2 21:3 22:3 23:3 24:3 | opp 13:14 19:1"
    assert ending_of(VASA, hit_on_the_way, "2-1", "17/19 19/20").points == 3
    assert ending_of(VASA, hit_on_the_way, "2-1", "17/18 18/20").points == 2


@pytest.mark.parametrize("name", [name for name in BRADE if name in ruleset_names()])
def test_B10_2_a_forfeit_pays_the_most_the_ruleset_can(name):
    game = load_game(name)
    fields = game.ruleset
    worths = [
        fields["points_bearing_off"] + fields["points_monk"],
        fields["points_handsome"] + fields["points_monk"],
    ]
    if fields["jan"]:
        worths += [fields["points_jan"], fields["points_forced_jan"]]
    assert game.points_forfeit == max(worths)
