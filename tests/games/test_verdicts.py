"""The verdict on an illegal turn: the code, the clause and what would have been legal."""

import re

import pytest

from arena.games import Illegal, Legal, load_game
from arena.games.tables.reading import parse_moves
from tests.fixtures import verdict_codes
from tests.fixtures.drawn_boards import (
    BACKGAMMON,
    CLASSIC,
    DOUBLE_SIX,
    FISKE,
    ONE_DIE,
    VASA,
    board,
    dice,
    refused,
)

LEGAL_INSTEAD = re.compile(
    r"; (?:(?P<number>\d+) turns are legal, the nearest is (?P<nearest>[^;]+)"
    r"|the only legal turn is (?P<only>[^;]+)"
    r"|(?P<none>no die can be used, so the only legal turn is to pass))\.$"
)

# code; clause; ruleset; position; roll; moves; words of the sentence. Backgammon has the clauses of
# its own chapter where it has any (G), and the numbers of its players.
CASES = [
    tuple(line.split("; "))
    for line in """\
too_many_moves; B3.1; vasa; 1:15 | opp 13:15; 6-5; 1/7 1/6 6/12; 3 moves were given and the roll 6-5 has 2
too_many_moves; B3.1; classic; 1:15 | opp 13:15; 6-6; 1/7 1/7 1/7 1/7 1/7; the roll 6-6 has 4
no_such_move; B3.1; vasa; 1:15 | opp 13:15; 6-5; bar/off 1/7; bar/off is not a move: checkers move forward
no_such_move; B3.1; vasa; 1:15 | opp 13:15; 6-5; 1/7 7/2; 7/2 is not a move: checkers move forward
no_checker; B3.1; vasa; 1:15 | opp 13:15; 6-5; 2/8 1/6; there is none on point 2
no_checker; B3.1; vasa; 1:15 | opp 13:15; 6-5; bar/6 1/6; there is none on the bar
no_checker; B3.1; classic; 12:2 14:1 20:12 | opp 1:15; 2-1; 14/16 14/15; there is none on point 14
bar_first; B5.1; vasa; bar:2 20:13 | opp 13:15; 6-2; bar/6 20/22; while 1 on the bar must enter first
no_such_die; B3.1; vasa; 1:15 | opp 13:15; 6-5; 1/7 1/7; 1/7 needs a 6, and the unused dice are 5
no_such_die; B3.1; vasa; 1:15 | opp 13:15; 6-5; 1/12; 1/12 needs a 11, and the unused dice are 6-5
entry_own_point; B5.2; vasa; bar:1 5:1 20:13 | opp 13:15; 5-4; bar/5; another of your own checkers
entry_closed; B5.4; classic; bar:1 24:14 | opp 1:2 2:2 13:11; 2-1; bar/2; 4 of the points 1-6 are still free
entry_closed; B5.5; vasa; bar:1 24:14 | opp 1:2 2:2 13:11; 2-1; bar/2; 1 on the bar do not outnumber 4 free points
entry_closed; B5.6; vasa; bar:1 off:14 | opp 1:2 2:2 3:2 4:2 5:2 6:2 13:3; 2-1; bar/2; with 14 checkers off no strike
entry_closed; B5.7; fiske; bar:1 24:14 | opp 1:2 2:2 13:11; 2-1; bar/2; closed points are never struck
closed_point; B4.1; classic; 11:1 24:14 | opp 13:15; 2-1; 11/13; which the opponent has closed
closed_point; B4.1; vasa; 11:1 24:14 | opp 13:15; 2-1; 11/13; in no prime of 6 that could be struck
own_point; B4.3; vasa; 3:1 5:1 24:13 | opp 13:15; 2-1; 3/5 5/6; puts a second checker on point 5
prime_too_long; B6.1; classic; 13:1 14:2 15:2 16:2 17:2 18:2 19:1 24:3 | opp 1:15; 6-5; 13/19 14/19; more than 5
not_home; B7.1; vasa; 18:1 24:14 | opp 13:15; 6-1; 24/off 18/19; still stands on point 18
die_too_small; B7.2; vasa; 19:1 off:14 | opp 13:15; 5-4; 19/off; needs a 6 or more, and the unused dice are 5-4
not_rearmost; B7.4; vasa; 19:1 20:1 21:2 22:11 | opp 13:15; 6-3; 19/off 22/off; which stands on point 20
game_over; B7.7; vasa; 24:1 off:14 | opp 13:15; 2-1; 24/off 24/off; ends the game (bearing off)
game_over; B8.3; vasa; 19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15; 4-1; 19/20 20/24; ends the game (single crown)
game_over; B9.1; classic; 1:13 3:1 20:1 | opp 7:1 8:1 10:1 13:7 14:1 16:1 bar:3; 5-4; 3/7 1/6; ends the game (jan)
game_over; B9.1; vasa; bar:3 20:12 | opp 3:2 4:2 5:2 6:2 13:3 bar:4; 6-2; bar/6 bar/2; move 1 ends the game (forced jan)
fewer_dice; B3.3; vasa; 1:15 | opp 13:15; 6-5; pass; the turn passes, but 2 dice of 6-5 can be used
fewer_dice; B3.3; classic; 1:15 | opp 13:15; 4-4; 1/5 5/9; the turn uses 2 dice, but 3 dice of 4-4 can be used
fewer_dice; B3.3; vasa; 1:15 | opp 13:15; 6-5; 1/6; the turn uses 1 die, but 2 dice of 6-5 can be used
lower_die; B3.4; vasa; 6:1 24:14 | opp 13:15; 6-1; 6/7; only one die of 6-1 can be used, and it must be the 6
waste; B7.6; vasa; 20:1 24:3 off:11 | opp 13:15; 6-4; 20/24 24/off; wastes 5 of its pips where 4 would do
no_double_six; B11.1; classic+double_six; 1:14 5:1 | opp 13:15; 6-6; 1/7 1/7 1/7 1/7 1/7 1/7; by a first roll of 6-6
too_many_moves; B3.1; classic+one_die; 1:15 one-die:1 | opp 13:15; 6; 1/7 7/13; and the roll 6 has 1
fewer_dice; B3.3; classic+one_die; 1:15 one-die:1 | opp 13:15; 6; pass; but 1 die of 6 can be used
closed_point; G3; backgammon; 24:2 13:5 8:3 6:5 | opp 19:5 17:3 12:5 1:2; 5-1; 24/19 6/5; 24/19 lands on point 19
no_such_die; B3.1; backgammon; 24:2 13:5 8:3 6:5 | opp 19:5 17:3 12:5 1:2; 5-1; 24/21 6/5; 24/21 needs a 3
lower_die; B3.4; backgammon; 14:1 off:14 | opp 7:2 24:13; 6-1; 14/13; it must be the 6
bar_first; G4; backgammon; bar:1 24:14 | opp 1:15; 5-1; 24/23 bar/20; while 1 on the bar must enter first
entry_closed; G4; backgammon; bar:1 24:14 | opp 20:2 1:13; 5-1; bar/20; closed points are never struck
not_home; G5; backgammon; 7:1 1:14 | opp 24:15; 6-1; 1/off 7/6; still stands on point 7, outside 6-1
die_too_small; G5; backgammon; 6:1 off:14 | opp 24:15; 5-4; 6/off; needs a 6 or more
not_rearmost; G5; backgammon; 5:1 4:2 off:12 | opp 24:15; 6-1; 4/off 5/4; which stands on point 5
game_over; G6; backgammon; 1:1 off:14 | opp 24:15; 2-1; 1/off 1/off; ends the game (bearing off)
""".splitlines()
]
GAMES = {game.name: game for game in (VASA, CLASSIC, FISKE, BACKGAMMON, DOUBLE_SIX, ONE_DIE)}
UNREADABLE = [
    "1/7 1/6",
    ["1/7", "1/6"],
    [[1, "7"]],
    [[]],
    [[1, 7, 12]],
    [[1, 7], [1]],
    [[1.0, 7.0]],
    [[1, float("nan")]],
    [[True, 7]],
    [[None, None]],
    [[[1, 7], [1, 6]]],
    ["x" * 100_000],
    [["x", 10**5_000]],
    [1, 7],
    None,
    [{1: 7, 6: 1}],
]
NO_SUCH_MOVE = [[[-(2**64), 2**64]], [[10**1_000, 7]], [[-1, 5]], [[1, 26]], [[7, 7]], [[0, 25]]]


def what_was_legal(game, position, roll, verdict):
    """Check the end of the sentence: it names a legal turn, and says how many there are."""
    assert verdict.code in verdict_codes.TABLES_CODES
    match = LEGAL_INSTEAD.search(verdict.message)
    assert match, f"does not say what would have been legal: {verdict.message!r}"
    turns = game.legal_turns(position, roll)
    assert verdict.legal_turns == len(turns)
    if match["none"]:
        assert [list(turn.moves) for turn in turns] == [[]]
        return
    assert len(turns) == int(match["number"] or 1)
    named = parse_moves(match["nearest"] or match["only"], game.ruleset["facing"])
    assert isinstance(game.judge(position, roll, named), Legal), (
        f"names an illegal turn: {verdict.message!r}"
    )


@pytest.mark.parametrize(
    ("code", "clause", "game", "literal", "roll", "moves", "said"),
    CASES,
    ids=["-".join(case[:3]) for case in CASES],
)
def test_a_turn_gets_the_code_that_fits_best(code, clause, game, literal, roll, moves, said):
    verdict = refused(GAMES[game], literal, roll, moves, code, clause)
    assert said in verdict.message
    assert verdict.message[-1] == "."
    what_was_legal(GAMES[game], board(GAMES[game], literal), dice(roll), verdict)


@pytest.mark.parametrize(
    ("code", "moves"),
    [
        *(("unreadable_moves", moves) for moves in UNREADABLE),
        *(("no_such_move", moves) for moves in NO_SUCH_MOVE),
        ("too_many_moves", [[1, 7]] * 1_000),
    ],
    ids=lambda value: str(value)[:40] if isinstance(value, str) else None,
)
def test_whatever_is_sent_as_moves_is_a_verdict_and_no_exception(code, moves):
    verdict = VASA.judge(VASA.start(), (6, 5), moves)
    assert (verdict.code, verdict.clause) == (code, "B3.1")
    if code == "unreadable_moves":
        assert (
            "is not a list of moves [from, to] with 0 for the bar and 25 for off" in verdict.message
        )
        assert len(verdict.message) < 250
    what_was_legal(VASA, VASA.start(), (6, 5), verdict)


def test_every_code_has_a_case():
    """A code that nothing can get should be dropped."""
    assert {case[0] for case in CASES} | {"unreadable_moves"} == set(verdict_codes.TABLES_CODES)


@pytest.mark.parametrize(
    ("literal", "roll", "moves", "code", "said"),
    [
        (
            "24:13 23:1 22:1 | opp 1:15",
            "2-1",
            "24/23 24/22",
            "own_point",
            "puts a second checker on point 23,",
        ),
        (
            "bar:1 23:1 13:13 | opp 1:15",
            "2-1",
            "bar/23 13/12",
            "entry_own_point",
            "enters on point 23,",
        ),
    ],
)
def test_a_house_ruleset_of_backgammon_speaks_of_its_points_as_players_do(
    literal, roll, moves, code, said
):
    """With stacking from the head on, 23 to 14 hold one checker; the own path's 2 is the players' 23 (G1)."""
    house = load_game({"base": "backgammon", "name": "house", "stacking": "from_head"})
    verdict = house.judge(
        house.parse_position(literal), dice(roll), parse_moves(moves, "opposite_ways")
    )
    assert isinstance(verdict, Illegal)
    assert verdict.code == code
    assert said in verdict.message


def test_the_nearest_legal_turn_shares_the_most_moves():
    literal = "12:2 14:1 20:12 | opp 1:15"
    verdict = refused(CLASSIC, literal, "2-1", "14/16 16/18", "no_such_die", "B3.1")
    nearest = LEGAL_INSTEAD.search(verdict.message)["nearest"]
    assert "14/16" in nearest.split()


def test_a_legal_turn_is_no_problem_in_lists_or_tuples():
    for moves in ([[1, 7], [1, 6]], [(1, 7), (1, 6)], ((1, 7), [1, 6])):
        assert isinstance(VASA.judge(VASA.start(), (6, 5), moves), Legal)


def test_the_table_of_codes_in_the_rule_book_is_current():
    """The section "Verdict codes" of docs/rulesets.md is what `python -m tests.fixtures.verdict_codes` writes."""
    assert verdict_codes.written() == verdict_codes.section()


@pytest.mark.parametrize("given", [[["left_out_bytes", 1000]], [[1]], "1/7"], ids=repr)
@pytest.mark.parametrize(
    "name", ["vasa", "classic+double_six", "classic+one_die", "backgammon", "brandubh-1"]
)
def test_what_is_no_list_of_moves_gets_the_verdict_of_the_judge(name: str, given: object) -> None:
    """The match asks for this verdict; a replay of the record asks the judge, and must get the same."""
    base, *options = name.split("+")
    game = load_game(base, options)
    roll = (6, 6) if game.dice_to_roll(game.start()) else ()
    verdict = game.unreadable(game.start(), roll, given)
    assert verdict == game.judge(game.start(), roll, given)
    assert verdict.code == "unreadable_moves"
