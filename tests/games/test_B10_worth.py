"""B10: what a game pays."""

import pytest

from arena.games import Legal, load_game, ruleset_names
from arena.games.tables.notation import parse_moves
from arena.matches.facts import TurnPlayed
from tests.games.boards import CLASSIC, VASA, board, dice, in_both, must_pass, wins
from tests.games.table import Table

STRIKE = "bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:3 bar:4"
STRIKE_CLASSIC = "bar:2 1:3 20:10 | opp 2:2 3:2 4:2 5:2 6:1 13:3 bar:3"
HIT = "1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3"
BLOCKED = "bar:1 14:2 16:2 24:10 | opp 2:2 4:2 12:10 bar:1"
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
    [("13:15", 1, 6, False), ("13:14 bar:1", 2, 5, True), ("bar:2 1:13", 2, 5, True), ("off:14 bar:1", 2, 5, True)],
    ids=["no-monk", "monk", "two-on-the-bar", "the-last-on-the-bar"],
)
def test_B10_1_bearing_off_pays_1_and_with_monk_2(game, theirs, points, rank, monk):
    ending = ending_of(game, f"{LAST} | opp {theirs}", "2-1", "24/off")
    assert (ending.name, ending.points, ending.rank, ending.monk) == ("bearing_off", points, rank, monk)
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
    worths = [fields["points_bearing_off"] + fields["points_monk"], fields["points_handsome"] + fields["points_monk"]]
    if fields["jan"]:
        worths += [fields["points_jan"], fields["points_forced_jan"]]
    assert game.points_forfeit == max(worths)


def forfeit_by_an_illegal_turn(table):
    table.turn((2, 1), "1/24")


def forfeit_by_the_clock(table):
    table.turn((2, 1), "1/2 1/3", at_ms=1_001)


def forfeit_by_leaving(table):
    table.leave(1)


@in_both
@pytest.mark.parametrize(
    ("forfeit", "cause"),
    [
        (forfeit_by_an_illegal_turn, "illegal_turns"),
        (forfeit_by_the_clock, "time"),
        (forfeit_by_leaving, "disconnect"),
    ],
)
def test_B10_2_a_forfeited_game_pays_6_and_has_no_rank(game, forfeit, cause):
    table = Table(game, (1, 2))
    forfeit(table)
    (ended, *_) = table.all_told(type(table.ended))
    assert (ended.result.ending, ended.result.winner, ended.result.points) == ("forfeit", 2, 6)
    assert (ended.result.clause, ended.result.rank, ended.result.cause) == ("B10.2", None, cause)
    assert ended.score == (0, 6)


def test_B10_2_a_house_ruleset_says_itself_what_a_forfeit_pays():
    table = Table(load_game({"base": "classic", "name": "house-cheap-forfeit", "points_forfeit": 3}), (1, 2))
    forfeit_by_an_illegal_turn(table)
    assert (table.ended.result.points, table.ended.score) == (3, (0, 3))


@in_both
def test_B10_3_a_game_is_drawn_after_1000_turns(game):
    table = Table(game, (1, 2))
    table.set_up(BLOCKED)
    must_pass(game, BLOCKED, "4-2")
    for number in range(1, 1_000):
        assert (table.started.game, table.open_game.turn) == (1, number)
        table.turn((4, 2), "pass")
    table.turn((4, 2), "pass")
    ended = table.ended
    assert (ended.result.ending, ended.result.winner, ended.result.points, ended.turns) == (
        "turn_limit",
        None,
        0,
        1_000,
    )
    assert (ended.result.clause, ended.result.rank, ended.score) == ("B10.3", None, (0, 0))
    assert len(table.all_told(TurnPlayed)) == 1_000


def test_B10_3_a_win_in_the_last_turn_counts():
    table = Table(CLASSIC, (1, 2), turn_limit=1)
    table.set_up(f"{LAST} | opp 13:15")
    table.turn((2, 1), "24/off")
    assert (table.ended.result.ending, table.ended.result.points) == ("bearing_off", 1)


def test_B10_3_the_limit_can_be_set():
    table = Table(CLASSIC, (1, 2), turn_limit=1)
    table.turn((6, 6), "1/7")
    assert (table.ended.result.ending, table.ended.turns) == ("turn_limit", 1)
