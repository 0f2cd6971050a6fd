"""After a kill a person sees what they saw before: everything but the open moves is told from the record."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.games import load_game
from arena.person.kept_match import KeptMatch
from arena.person.recalled import recall
from arena.person.sitting import Sitting
from arena.records.facts import DiceRevealed
from arena.records.lines import encode_line
from protocol.client import CallView
from protocol.messages import Last
from tests.fixtures.refereed import FIXTURE, Refereed, first_turn
from tests.fixtures.sitting import SEED, START_MS
from tests.person.at_the_table import Table
from tests.person.shown import shown

MOST_LOOKS = 25
"""Turns of a match at which both sittings are compared."""


def answer(match: Refereed) -> None:
    """Play the first moves that the board offers."""
    if isinstance(match.sitting.view, CallView):
        match.answer(lambda sitting: sitting.call(sitting.question, sitting.view.choices[0]))
        return
    while not match.sitting.is_whole:
        first = match.sitting.next_moves()[0]
        match.sitting.move(match.sitting.question, [(first.start, first.target)])
    match.answer(lambda sitting: sitting.confirm(sitting.question))


def after_a_kill(match: Refereed) -> Sitting:
    """Return the sitting of a new process that goes on with the match."""
    sitting = Sitting()
    sitting.match_started(match.invited)
    recall(sitting, match.invited, match.attempt)
    if match.referee.is_over:
        return sitting
    game = match.sitting.game
    assert game is not None
    sitting.game_started(game)
    sitting.asked(match.view())
    return sitting


@pytest.mark.parametrize(
    (
        "ruleset",
        "options",
        "mine",
    ),  # they end in every way: jan, bearing off, repetition, the limit of turns
    [
        ("vasa", (), 1),
        ("classic", ("one_die", "double_six"), 2),
        ("fiske", (), 1),
        ("backgammon", (), 2),
        ("brandubh-1", (), 2),
        ("brandubh-2", (), 1),
    ],
)
def test_the_board_the_turns_and_the_games_are_those_of_before(
    ruleset: str, options: tuple[str, ...], mine: Any
) -> None:
    match = Refereed(load_game(ruleset, options), games=3, turn_limit=40, mine=mine)
    match.sit_down()
    turns = 0
    while not match.referee.is_over:
        if turns % 2 == 0 or turns < MOST_LOOKS:
            assert shown(after_a_kill(match)) == shown(match.sitting)
        answer(match)
        turns += 1
    [recalled, story], [seen, told] = shown(after_a_kill(match)), shown(match.sitting)
    assert (recalled["score"], recalled["over"], story) == (seen["score"], seen["over"], told)
    assert len(recalled["over"]) == 3


def test_a_break_goes_on_as_it_was() -> None:
    match = Refereed(load_game("vasa"), turn_limit=8, break_ms=120_000)
    match.sit_down()
    while match.sitting.phase != "break":
        answer(match)
    again = Sitting()
    again.match_started(match.invited)
    recall(again, match.invited, match.attempt)
    assert match.sitting.pause is not None
    again.rests(match.sitting.pause)
    [seen, story], [recalled, told] = shown(match.sitting), shown(again)
    assert (recalled["question"], recalled["score"], recalled["over"], recalled["log"], told) == (
        seen["question"],
        seen["score"],
        seen["over"],
        seen["log"],
        story,
    )
    again.ready(again.question)


def test_a_message_about_a_game_that_the_record_has_ended_changes_nothing() -> None:
    """The record may be ahead of what the arena has written to the new connection."""
    table = Table()
    view = table.turn(table.game.start(), (6, 5))
    table.game_end()
    before = shown(table.sitting)
    table.sitting.game_started(table.start)
    table.sitting.asked(view)
    table.game_end(last=Last(dice=(6, 5), moves=[[1, 7], [1, 6]]))
    assert shown(table.sitting) == before
    assert (table.sitting.phase, table.sitting.question) == ("waiting", "")


# The folder


def on_disk(folder: Path, match: Refereed) -> None:
    (folder / "matches").mkdir(exist_ok=True)
    lines = [encode_line(fact) for fact in match.referee.facts]
    (folder / "matches" / f"{FIXTURE}.jsonl").write_bytes(
        b"\n".join(lines) + b'\n{"event":"turn_pl'
    )


def test_the_attempt_of_the_invitation_is_read_from_a_record_that_grows(tmp_path: Path) -> None:
    match = Refereed(load_game("vasa"))
    match.sit_down()
    answer(match)
    kept = KeptMatch(tmp_path, "you")
    on_disk(tmp_path, match)
    attempt = kept.attempt(match.invited)
    assert attempt is not None
    assert [encode_line(fact) for _, fact in attempt.facts] == [
        encode_line(fact) for fact in match.referee.facts[1:]
    ]
    assert kept.attempt(replace(match.invited, attempt=2)) is None


def test_a_record_that_cannot_be_read_is_told_of_and_costs_only_what_is_past(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    match = Refereed(load_game("vasa"))
    assert KeptMatch(tmp_path, "you").attempt(match.invited) is None
    assert "the page does not show what was played before" in capsys.readouterr().err
    (tmp_path / "matches").mkdir()
    (tmp_path / "matches" / f"{FIXTURE}.jsonl").write_bytes(
        encode_line(DiceRevealed(at_ms=START_MS, attempt=1, dice_seed=SEED.hex())) + b"\n"
    )
    assert KeptMatch(tmp_path, "you").attempt(match.invited) is None
    assert "a match record begins with match_opened" in capsys.readouterr().err


def test_the_moves_of_an_open_turn_are_made_again(tmp_path: Path) -> None:
    match = Refereed(load_game("vasa"), dice="12 65 65 65", opponent=first_turn)
    match.sit_down()
    sitting = match.sitting
    first = sitting.next_moves()[0]
    sitting.move(sitting.question, [(first.start, first.target)])
    kept = KeptMatch(tmp_path, "you")
    kept.keep(sitting.question, sitting.moves)
    assert (tmp_path / "open-turn.you.json").stat().st_mode & 0o777 == 0o600
    again = after_a_kill(match)
    again.restore(KeptMatch(tmp_path, "you").moves_of(again.question))
    assert shown(again) == shown(sitting)
    assert again.moves == sitting.moves != ()
    assert KeptMatch(tmp_path, "anna").moves_of(again.question) == ()
    assert kept.moves_of("of another turn") == ()
    kept.forget()
    assert KeptMatch(tmp_path, "you").moves_of(again.question) == ()


@pytest.mark.parametrize(
    "kept", ["", "[]", '{"question":"q","moves":[[1]]}', '{"question":"q","moves":[[1,true]]}']
)
def test_a_file_of_something_else_is_no_turn(tmp_path: Path, kept: str) -> None:
    (tmp_path / "open-turn.you.json").write_text(kept, encoding="utf-8")
    assert KeptMatch(tmp_path, "you").moves_of("q") == ()


def test_moves_that_are_not_legal_are_not_made_again() -> None:
    match = Refereed(load_game("vasa"))
    match.sit_down()
    match.sitting.restore([(1, 24), ("d1", "d2")])
    assert match.sitting.moves == ()
