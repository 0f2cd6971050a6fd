"""Illegal turns and choices that name none: how many are forgiven, and what the one too many costs."""

import msgspec
import pytest

from arena.games import load_game
from arena.games.tables.game import TablesGame
from arena.matches.facts import Terms
from arena.matches.time_control import TimeControl
from arena.matches.verdicts import REJECTED_BYTES, on_choice, on_long
from tests.fixtures.sitting import ILLEGAL, Sitting, tags


def seated(rejections: int) -> Sitting:
    sitting = Sitting(
        terms=Terms(
            games=3,
            clock=TimeControl(delay_ms=0, bank_ms=1000),
            rejections=rejections,
            turn_limit=1000,
            startup_ms=100,
        )
    )
    sitting.ready()
    return sitting


@pytest.mark.parametrize("forgiven", [0, 1, 3])
def test_as_many_as_agreed_are_forgiven_and_the_next_forfeits(forgiven: int) -> None:
    sitting = seated(forgiven)
    mover = sitting.game.mover
    for left in range(forgiven - 1, -1, -1):
        [fact] = sitting.plays_illegally()
        assert (fact.left, fact.seat, fact.turn) == (left, mover, 1)
    facts = sitting.plays_illegally()
    assert tags(facts) == ["turn_rejected", "game_ended", "game_started"]
    last, ended, _ = facts
    assert last.left == -1
    result = ended.result
    assert (result.winner, result.cause, result.points, ended.turns) == (
        3 - mover,
        "illegal_turns",
        6,
        0,
    )
    assert sitting.match.standing.violations == ((1, 0) if mover == 1 else (0, 1))


def test_a_rejection_says_what_was_wrong() -> None:
    sitting = seated(1)
    [fact] = sitting.plays_illegally()
    assert fact.code == "no_such_die"
    assert fact.clause == "B3.1"
    assert fact.message
    assert fact.legal_turns == len(sitting.legal)
    assert fact.moves == ILLEGAL


def test_what_is_forgiven_counts_for_each_bot_by_itself() -> None:
    sitting = seated(1)
    for _ in range(2):
        assert tags(sitting.plays_illegally()) == ["turn_rejected"]
        sitting.plays()
    assert sitting.game.rejections == (1, 1)


def test_what_is_forgiven_counts_for_the_whole_game_not_for_a_turn() -> None:
    sitting = seated(1)
    sitting.plays_illegally()
    sitting.plays()
    sitting.plays()
    assert tags(sitting.plays_illegally())[:2] == ["turn_rejected", "game_ended"]
    assert sitting.game.rejections == (0, 0)
    assert tags(sitting.plays_illegally()) == ["turn_rejected"]


@pytest.mark.parametrize(
    "moves",
    [
        [],
        [[1, 7]],
        [["a", "b"]],
        [[1, 2, 3]],
        [[1]],
        [[2**60, -1]],
        [[1, 7]] * 1000,
        [[0, 0]],
        [["1", "7"]],
    ],
)
def test_whatever_is_sent_as_moves_is_judged_and_never_breaks_the_machine(moves: object) -> None:
    sitting = seated(5)
    [fact] = sitting.plays(moves)
    assert fact.code
    assert fact.message
    assert tags(sitting.plays()) == ["turn_played"]


LONG = {
    "many-moves": [[1, 7]] * 1000,
    "one-long-word": [["\x00" * 60_000, "7"]],
    "a-legal-turn-and-more": None,
    "a-word-that-just-fits": [["a" * (REJECTED_BYTES - 8), 1]],
}


@pytest.mark.parametrize("moves", LONG.values(), ids=LONG)
def test_of_long_moves_the_record_keeps_the_beginning_and_the_length(
    moves: list[list[object]] | None,
) -> None:
    """The verdict is on what is kept, so that a replay of the record gives the same one."""
    sitting = seated(5)
    sent = moves or [*sitting.legal[0].moves, ["x" * 2000, 7]]
    size = len(msgspec.json.encode(sent))
    [fact] = sitting.plays(sent)
    assert len(msgspec.json.encode(fact.moves)) <= REJECTED_BYTES
    if size <= REJECTED_BYTES:
        assert fact.moves == sent
    else:
        *kept, (mark, left_out) = fact.moves
        assert mark == "left_out_bytes"
        assert kept == [*sent[: len(kept)]]
        assert left_out == size - len(msgspec.json.encode(kept))
    [again] = sitting.plays(fact.moves)
    assert (again.moves, again.code, again.message) == (fact.moves, fact.code, fact.message)


VASA, BRANDUBH = load_game("vasa"), load_game("brandubh-1")
BLOCKED = VASA.parse_position("1:15 | opp 7:2 13:13")


@pytest.mark.parametrize(
    ("rules", "position", "dice", "choice", "code", "said"),
    [
        (
            VASA,
            VASA.start(),
            (6, 2),
            2,
            "no_such_choice",
            "; the 2 are counted from 0, from choice 0 to 1.",
        ),
        (
            VASA,
            VASA.start(),
            (6, 2),
            1,
            "unasked_choice",
            " is an index into `legal`, but this bot did not",
        ),
        (
            VASA,
            BLOCKED,
            (6, 6),
            1,
            "no_such_choice",
            "; they are counted from 0, and the only one is choice 0.",
        ),
        (BRANDUBH, BRANDUBH.start(), (), 1000, "no_such_choice", "; the 40 are counted from 0,"),
    ],
    ids=["beyond the list", "not asked for", "a pass is forced", "no dice"],
)
def test_the_sentence_speaks_of_the_index_that_was_given(
    rules, position, dice, choice, code, said
) -> None:
    verdict = on_choice(rules, position, dice, choice)
    assert (verdict.code, verdict.clause) == (code, "T1" if rules is BRANDUBH else "B3.1")
    assert verdict.legal_turns == len(rules.legal_turns(position, dice))
    named = "" if code == "unasked_choice" else " is not the number of a legal turn"
    assert verdict.message.startswith(f"choice {choice}{named}{said}")


def test_only_what_a_bot_has_sent_is_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a move that the match makes up for an index, or in the place of what it leaves out."""
    moves = [[1, 7]] * 1000
    verdict = VASA.judge(VASA.start(), (6, 2), moves)
    monkeypatch.delattr(TablesGame, "judge")
    assert on_choice(VASA, VASA.start(), (6, 2), 7).code == "no_such_choice"
    kept, rejected = on_long(VASA, VASA.start(), (6, 2), moves, verdict)
    assert (kept[-1][0], rejected.code) == ("left_out_bytes", "unreadable_moves")


def test_the_record_says_which_index_was_given() -> None:
    sitting = Sitting(dice="12 62")
    sitting.ready()
    [fact] = sitting.chooses(7)
    assert (fact.choice, fact.moves, fact.code, fact.left) == (7, None, "no_such_choice", 1)
