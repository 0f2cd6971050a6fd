"""Matches played elsewhere: MAT in the manner of four programs, and back from our own export."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.games import load_game
from arena.matches.facts import Terms, TurnPlayed, TurnRejected
from arena.matches.time_control import TimeControl
from arena.records.dice import commitment
from arena.records.lines import Attempt, read_attempts
from arena.records.mat import format_mat
from arena.records.replay import verify_attempt
from arena.services.foreign.mat import MOST_CELLS, MatError, parse_mat
from arena.services.foreign.record import RULESET, ForeignRecord, record_of
from arena.words import Said, say
from tests.examples import tries
from tests.fixtures.sitting import Sitting
from tests.fixtures.small_run import lines

GNU_BACKGAMMON = """\
; [Site "GNU Backgammon"]
; [Player 1 "Anna"]
; [Player 2 "Bo"]
; [EventDate "2026.11.26"]

 3 point match

 Game 1
 Anna : 0                             Bo : 0
  1)                                  52: 13/8 24/22
  2) 41: 24/23 13/9                   61: 22/16*/15
  3) 62: bar/23 24/18                 11: 8/7*(2) 6/5(2)
                                      Wins 1 point

; a remark
 Game 2
 Anna : 0                             Bo : 1
  1) 31: 8/5 6/5                      66: 24/18(2) 13/7(2)
  2)  Doubles => 2                    Takes
  3) 21: ???
      Resigns
                                      Wins 2 points
"""
"""Seat 2 begins, a hit is marked, equal moves are counted, a roll is left unplayed at the end."""

JELLYFISH = """\
 5 point match

 Game 1
 Anna : 0                       Bo : 0
  1) 61: 13/7 8/7                55: 13/8 13/8 8/3 8/3
  2) 41: 24/23 13/9              42: 8/4 6/4
  3) 11: 9/8 9/8 6/5 6/5
"""
"""No headers, and each move by itself; one of them (9/8 twice) is illegal."""

EXTREME_GAMMON = """\
; [Site "eXtreme Gammon"]
; [Jacoby "On"]

0 point match

 Game 1
 Bo (1500) : 0                       Anna : 0
  1) 31: 8/5 6/5                     64: 24/14
  2)  Doubles => 2                   Drops
      Wins 1 point and the match

 Game 2
 Anna : 0                            Bo (1500) : 1
  1) 42: 8/4 6/4                     51: 13/8 24/23
      Wins 1 point
"""
"""A turn in one span, and the names change sides in the second game."""

SERVER = """\
; [Site "a server"]
 1 point match
 Game 1
 Anna : 0                           Bo : 0
  1) 43: 24/20, 13/10                65: 24/13
  2) 66: 24/18 20/14 13/7(2)         64: Cannot Move
"""
"""Commas between moves, and a pass that is none."""


def imported(text: str) -> tuple[ForeignRecord, Attempt]:
    """The record of a text; its replay is right."""
    record = record_of(parse_mat(text))
    [attempt] = read_attempts("test", b"\n".join([*record.lines, b""]))
    verify_attempt(attempt)
    return record, attempt


def turns_of(attempt: Attempt) -> list[tuple[int, int, str, str]]:
    rules = load_game(attempt.opened.ruleset["fields"])
    return [
        (fact.game, fact.seat, "".join(map(str, fact.dice)), rules.format_turn(fact.moves))
        for _, fact in attempt.facts
        if isinstance(fact, TurnPlayed)
    ]


def notes_of(record: ForeignRecord) -> list[str]:
    return [*map(say, record.notes)]


def test_gnu_backgammon_with_a_hit_a_taken_cube_and_a_resignation():
    record, attempt = imported(GNU_BACKGAMMON)
    assert attempt.opened.shown == ("Anna", "Bo")
    assert turns_of(attempt) == [
        (1, 2, "25", "13/8 24/22"),
        (1, 1, "41", "24/23 13/9"),
        (1, 2, "61", "22/16 16/15"),
        (1, 1, "62", "bar/23 24/18"),
        (1, 2, "11", "8/7(2) 6/5(2)"),
        (2, 1, "31", "8/5 6/5"),
        (2, 2, "66", "24/18(2) 13/7(2)"),
    ]
    assert [result.winner for result in attempt.games] == [2, 2]
    assert [result.points for result in attempt.games] == [1, 1]
    assert attempt.opened.ruleset["name"] == RULESET
    assert notes_of(record) == [
        "the doubling cube is left out (1 double): turns are judged, and games count, as without it"
    ]


def test_jellyfish_with_an_illegal_turn():
    """It says where and why, and what came before is judged."""
    record, attempt = imported(JELLYFISH)
    assert [turn[:3] for turn in turns_of(attempt)] == [
        (1, 1, "61"),
        (1, 2, "55"),
        (1, 1, "41"),
        (1, 2, "42"),
    ]
    assert [fact.code for _, fact in attempt.facts if isinstance(fact, TurnRejected)] == [
        "no_checker"
    ]
    [note] = notes_of(record)
    assert note.startswith("game 1, turn 5: 11: 9/8 9/8 6/5 6/5: ")
    assert note.endswith("; the rest of this game is left out")
    assert attempt.games == []
    assert attempt.end is None


def test_extreme_gammon_with_names_that_change_sides():
    """Under the Jacoby rule gammons count for nothing without the cube."""
    _, attempt = imported(EXTREME_GAMMON)
    assert attempt.opened.shown == ("Bo (1500)", "Anna")
    assert attempt.opened.entrants == ("bo-1500", "anna")
    assert attempt.opened.ruleset["name"] == "backgammon+no_gammons"
    assert turns_of(attempt) == [
        (1, 1, "31", "8/5 6/5"),
        (1, 2, "64", "24/18 18/14"),
        (2, 2, "24", "8/4 6/4"),
        (2, 1, "51", "13/8 24/23"),
    ]
    assert [result.winner for result in attempt.games] == [1, 2]


def test_a_server_with_a_pass_that_is_none():
    record, attempt = imported(SERVER)
    assert [turn[3] for turn in turns_of(attempt)] == [
        "24/20 13/10",
        "24/18 18/13",
        "24/18 20/14 13/7(2)",
    ]
    [note] = notes_of(record)
    assert note.startswith("game 1, turn 4: 64: Cannot Move: ")


@pytest.mark.parametrize(
    ("before", "after", "note"),
    [
        (
            "31: 8/5",
            "33: 8/5",
            "game 2 is left out with all after it: it does not begin with two different dice",
        ),
        (
            "66: 24/18(2) 13/7(2)",
            "",
            "game 2, turn 2: 21: 8/7 6/4: the game was over before, or the other side is to move",
        ),
        ("22/16*/15", "22/16*/x", "game 1, turn 3: 61: 22/16*/x: '22/16*/x' is not a move"),
    ],
)
def test_what_cannot_be_followed_is_noted(before: str, after: str, note: str):
    text = GNU_BACKGAMMON.replace("???", "8/7 6/4").replace(before, after)
    record, _ = imported(text)
    assert any(line.startswith(note) for line in notes_of(record)), notes_of(record)


def test_a_game_without_a_result_ends_the_record():
    """Nobody knows who has won, and who starts the next one."""
    record, attempt = imported(GNU_BACKGAMMON.replace("Wins 1 point", ""))
    assert notes_of(record)[:-1] == [
        "game 2 is left out with all after it: it does not begin with two different dice, or the game before it has no result"
    ]
    assert len(turns_of(attempt)) == 5
    assert attempt.ended == []


def test_turns_after_the_end_are_noted():
    sitting = Sitting(terms=TERMS, rules=load_game("backgammon"))
    sitting.ready()
    while not sitting.ended:
        sitting.plays()
    text = format_mat(attempt_of(sitting))
    head, wins, tail = text.partition("      Wins")
    record, attempt = imported(f"{head}  999) 31: 8/5 6/5   31: 8/5 6/5\n{wins}{tail}")
    assert any("the game was over before" in note for note in notes_of(record))
    assert attempt.games == [fact.result for fact in sitting.ended]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it has no game"),
        ("\0" * 300, "it has no game"),
        (" Game 1\n  1) 31: 8/5 6/5", "line 2: '1) 31: 8/5 6/5' is no turn"),  # before the names
        (" Game 1\n A : 0  B : 0\n  1) hello", "line 3: '1) hello' is no turn"),
        (" Game 1\n A : 0  B : 0\n  1) 71: 8/5", "line 3: '1) 71: 8/5' is no turn"),
        (" Game 1\n A : 0  B : 0\n  1) 31: 8/5 32: 8/5 42: 8/5", "line 3: "),
        (" Game 1\n A : x  B : 0\n", "line 2: 'A : x  B : 0' is no turn"),
        (" Game 1\n" + "x" * 401, "line 2: it has more than 400 characters"),
        (" Game 1\n" * (MOST_CELLS + 1), "it has more than 20,000 turns"),
        (" Game 1\n A : 0  B : 0\n" + " 1) 31: 8/5\n" * MOST_CELLS, "it has more than 20,000"),
    ],
    ids=range(10),
)
def test_what_is_no_match_is_refused(text: str, problem: str):
    with pytest.raises(MatError) as refused:
        parse_mat(text)
    assert str(refused.value).startswith(problem)


@given(st.text(alphabet="\x1b 0123456:/()*;ABGamesWinsDoubles\n", max_size=300))
def test_any_text_is_read_or_refused(text: str):
    try:
        match = parse_mat(f" Game 1\n A : 0  B : 0\n{text}")
    except MatError:
        return
    record = record_of(match)
    [attempt] = read_attempts("test", b"\n".join([*record.lines, b""]))
    verify_attempt(attempt)


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        (("Åsa Ek", "Bo"), ("asa-ek", "bo")),
        (("Bo", "Bo"), ("seat-1", "seat-2")),
        (("Bo", "31"), ("seat-1", "seat-2")),
        (("Bo", "a-v-b"), ("seat-1", "seat-2")),
        (("x" * 99, "y"), ("x" * 32, "y")),
    ],
)
def test_any_name_gets_an_id(names: tuple[str, str], ids: tuple[str, str]):
    _, attempt = imported(f" Game 1\n {names[0]} : 0    {names[1]} : 0\n")
    assert attempt.opened.entrants == ids
    assert attempt.opened.shown == names


# Back from our own export

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=200),
    rejections=0,
    turn_limit=1000,
    startup_ms=1000,
)


def attempt_of(sitting: Sitting) -> Attempt:
    [attempt] = read_attempts("test", lines(sitting.facts))
    return attempt


@st.composite
def played(draw: st.DrawFn) -> Attempt:
    """A match of backgammon: games are played out, drawn by the limit, or forfeited in some turn."""
    rules = load_game("backgammon", options=draw(st.sampled_from([[], ["no_gammons"]])))
    terms = Terms(
        form=draw(st.sampled_from(["series", "pairs"])),
        games=4,
        clock=TERMS.clock,
        rejections=0,
        turn_limit=draw(st.sampled_from([20, 1000])),
        startup_ms=1000,
    )
    printable = st.characters(codec="utf-8", exclude_categories=["C", "Z"])
    name = st.text(printable | st.just(" "), min_size=1, max_size=40)
    names = draw(st.tuples(name, name))
    opened = msgspec.structs.replace(Sitting(terms=terms, rules=rules).opened, names=names)
    chance = draw(st.randoms(use_true_random=False))
    sitting = Sitting(terms=terms, rules=rules, opened=opened, seed=chance.randbytes(32))
    sitting.opened = msgspec.structs.replace(opened, dice_commitment=commitment(sitting.seed))
    sitting = Sitting(terms=terms, rules=rules, opened=sitting.opened, seed=sitting.seed)
    sitting.ready()
    fault = draw(st.sampled_from([0, 0.003, 0.1]))
    while not sitting.match.is_over:
        game = sitting.at(chance.choice(open_games(sitting)))
        if chance.random() < fault:
            game.plays_illegally()
        else:
            turns = game.legal
            game.plays(turns[chance.randrange(len(turns))].moves)
    return attempt_of(sitting)


def open_games(sitting: Sitting) -> list[int]:
    return [game.number for game in sitting.match.games if game.written_ms is not None]


def with_sorted_dice(text: str) -> str:
    """The first roll of a game is a throw: one die for each seat, in any order."""
    return re.sub("([1-6])([1-6]): ", lambda roll: "".join(sorted(roll[0])), text)


@tries(50)
@given(played())
def test_what_we_export_we_import_equal(attempt: Attempt):
    """Equal is all that MAT holds: names, dice, moves, results, the Jacoby rule, the limit."""
    text = format_mat(attempt)
    match = parse_mat(text)
    record = record_of(match)
    [again] = read_attempts("test", b"\n".join([*record.lines, b""]))
    verify_attempt(again)
    assert record.notes == [
        Said("foreign.no_turns", {"game": game.game}) for game in attempt.ended if not game.turns
    ]
    assert with_sorted_dice(format_mat(again)) == with_sorted_dice(text)
    assert again.opened.ruleset == attempt.opened.ruleset
    assert [game.result.winner for game in again.ended] == [
        game.result.winner for game in attempt.ended
    ]
    assert sum(result.points for result in again.games) == sum(
        result.points for result in attempt.games
    )
