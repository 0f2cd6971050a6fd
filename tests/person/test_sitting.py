"""What a person sees and may do at a seat."""

import pytest
from msgspec.structs import replace

from arena.person.sitting import Sitting
from arena.person.told import Refusal
from arena.words import say
from protocol.client import AcceptDraw, Moves
from protocol.messages import Break, GameReady, Last
from tests.person.at_the_table import Table


def at_the_first_turn() -> tuple[Table, Sitting]:
    """A table of vasa where the person begins with 6-5."""
    table = Table()
    table.turn(table.game.start(), (6, 5))
    return table, table.sitting


def test_a_turn_is_put_together_move_by_move_and_confirmed_once():
    _, sitting = at_the_first_turn()
    assert sitting.phase == "turn"
    assert [(move.start, move.target) for move in sitting.next_moves()] == [(1, 6), (1, 7)]
    sitting.move(sitting.question, [(1, 7)])
    assert sitting.dice_left == (5,)
    assert not sitting.is_whole
    with pytest.raises(Refusal, match=r"1 die, but 2 dice of 6-5 can be used") as refused:
        sitting.confirm(sitting.question)
    assert refused.value.clause == "B3.3"
    sitting.move(sitting.question, [(1, 6)])
    assert sitting.text == "1/7 1/6"
    question = sitting.question
    answer = sitting.confirm(question)
    assert isinstance(answer, Moves)
    assert answer.moves == [[1, 7], [1, 6]]
    assert answer.info is None
    assert sitting.phase == "waiting"
    with pytest.raises(Refusal, match="opponent's turn; your answer came twice or too early"):
        sitting.confirm(question)


def test_typed_moves_are_read_as_everywhere_else():
    _, sitting = at_the_first_turn()
    sitting.typed(sitting.question, "1/7 1/6")
    assert sitting.is_whole
    with pytest.raises(Refusal, match=r"'7\+12' is not a move such as"):
        sitting.typed(sitting.question, "7+12")
    sitting.undo(sitting.question)
    sitting.undo(sitting.question)
    sitting.typed(sitting.question, "1-12")  # as one checker goes, with both dice
    assert (sitting.text, sitting.is_whole) == ("1/7 7/12", True)
    sitting.undo(sitting.question)
    sitting.undo(sitting.question)
    with pytest.raises(Refusal, match="a pass is not legal here"):
        sitting.typed(sitting.question, "pass")


def test_b3_5_a_pass_is_shown_with_its_clause_and_confirmed_like_a_turn():
    table = Table()
    table.turn("bar:1 24:14 | opp 1:2 2:2 3:2 4:2 5:2 13:5".replace("1:2 2:2", "2:2 1:2"), (1, 2))
    sitting = table.sitting
    assert sitting.why_pass() == "B3.5"
    assert sitting.confirm(sitting.question).moves == []
    assert sitting.log[-1].text == "pass"


def test_the_opponents_turn_is_told_with_what_it_hit():
    table = Table()
    game = table.game
    table.turn("12:1 1:14 | opp 13:15", (2, 1))
    sitting = table.sitting
    sitting.move(sitting.question, [(12, 14), (1, 2)])
    sitting.confirm(sitting.question)
    theirs = game.flip(sitting.position)
    assert game.to_plain(theirs)["points"][1] == -1  # my checker stands on their point 2
    after = game.judge(theirs, (6, 1), [[1, 2], [1, 7]]).position
    table.turn(game.flip(after), (3, 1), number=3, last=Last(dice=(6, 1), moves=[[1, 2], [1, 7]]))
    told = sitting.log[-1]
    assert (told.is_mine, told.text, told.hits, told.strikes) == (False, "1/2* 1/7", 1, 0)


def test_between_two_games_a_person_rests_until_they_are_ready() -> None:
    table = Table()
    sitting = table.sitting
    table.game_end()
    assert (sitting.phase, sitting.left_ms) == ("waiting", None)
    with pytest.raises(Refusal, match="opponent's turn"):
        sitting.ready("")
    sitting.rests(Break(match=table.match.match, number=2, left_ms=120_000))
    assert (sitting.phase, sitting.left_ms) == ("break", 120_000)
    question = sitting.question
    with pytest.raises(Refusal, match="this answer is for another turn"):
        sitting.ready("r1-you-v-it.1.1.1")
    with pytest.raises(Refusal, match="first say that you are ready"):
        sitting.undo(question)
    assert sitting.ready(question) == GameReady(match=table.match.match, number=2)
    assert (sitting.phase, sitting.question, sitting.left_ms) == ("ready", "", 120_000)
    with pytest.raises(Refusal, match="your opponent is not ready yet"):
        sitting.ready(question)
    sitting.game_started(replace(table.start, number=2))
    assert (sitting.phase, sitting.left_ms, sitting.pause) == ("waiting", None, None)


def test_a_break_ends_with_a_match_that_the_opponent_gives_up() -> None:
    table = Table()
    table.game_end()
    table.sitting.rests(Break(match=table.match.match, number=2, left_ms=1000))
    table.game_end(number=2)
    assert (table.sitting.phase, table.sitting.pause, table.sitting.left_ms) == (
        "waiting",
        None,
        None,
    )


def test_b11_3_the_number_of_dice_is_asked_for():
    table = Table("classic", ("one_die",))
    table.call("19:1 20:2 21:3 22:3 23:3 24:3 | opp 13:15")
    sitting = table.sitting
    with pytest.raises(Refusal, match="first say how many dice you roll"):
        sitting.move(sitting.question, [(19, 20)])
    with pytest.raises(Refusal, match="3 dice cannot be called for; expected 1 or 2"):
        sitting.call(sitting.question, 3)
    assert sitting.call(sitting.question, 1) == 1
    assert sitting.phase == "waiting"


def test_t9_a_draw_is_accepted_only_if_it_was_offered():
    table = Table("brandubh-2")
    table.turn(table.game.start(), ())
    with pytest.raises(Refusal, match="has not offered a draw"):
        table.sitting.accept_draw(table.sitting.question)
    table = Table("brandubh-2")
    table.turn(table.game.start(), (), draw_offered=True)
    assert isinstance(table.sitting.accept_draw(table.sitting.question), AcceptDraw)


def test_the_end_of_a_game_says_how_it_ended_and_shows_the_last_turn():
    table = Table(starts=False)
    table.game_end(last=Last(dice=(6, 5), moves=[[1, 7], [1, 6]]))
    sitting = table.sitting
    assert (sitting.over[-1].ending, sitting.over[-1].clause) == ("jan", "B9.1")
    assert sitting.log[-1].text == "1/7 1/6"
    with pytest.raises(Refusal, match="opponent's turn"):
        sitting.confirm("")


def test_the_limit_of_turns_is_told_to_those_who_came_back_in_mid_game() -> None:
    """B10.3: by the number of the turn, since they have seen few of them; not at all if they have seen none."""
    for number, last, why in (
        (1000, None, "no result after 1000 turns"),
        (999, Last(dice=(2, 1), moves=((1, 3), (1, 2))), "no result after 1000 turns"),
    ):
        table = Table()
        table.turn(table.game.start(), (6, 5), number)
        table.game_end(last, "turn_limit", "B10.3")
        assert say(table.sitting.over[0].why) == why
    table = Table()
    table.game_end(None, "turn_limit", "B10.3")
    assert table.sitting.over[0].why is None
