"""Whole games that `arena check` puts to a bot: they go on to their end, and the clock runs down as in a match."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from arena.conformance.situations import MATCH, Script
from arena.conformance.whole_game import SHORT_GAMES, play_games
from arena.games import Game, load_game, ruleset_names
from arena.matches.time_control import TimeControl
from protocol.messages import FromArena, GameEnd, GameStart, MatchEnd, Play, Turn

CLOCK = TimeControl(delay_ms=1000, bank_ms=60_000)


def told(
    game: Game[Any], clock: TimeControl = CLOCK, spent_ms: int = 1500
) -> tuple[list[FromArena], Any]:
    """All that a bot is told that takes so long for each turn and plays the last one listed; and its conversation."""
    talk: Any = SimpleNamespace(answers={}, spent_ms={}, note="")
    messages: list[FromArena] = []
    for words in play_games(talk, game, clock, MATCH, Script(game, clock).turn):
        [message] = words.messages
        messages.append(message)
        if isinstance(message, Turn):
            assert message.legal is not None
            choice = len(message.legal) - 1
            talk.answers[message.game] = Play(game=message.game, turn=message.turn, choice=choice)
            talk.spent_ms[message.game] = spent_ms
    return messages, talk


@pytest.mark.parametrize("ruleset", ruleset_names())
def test_a_match_goes_on_to_its_end(ruleset: str) -> None:
    game = load_game(ruleset)
    messages, talk = told(game, TimeControl(delay_ms=2000))
    turns = [message for message in messages if isinstance(message, Turn)]
    starts = [message for message in messages if isinstance(message, GameStart)]
    ends = [message for message in messages if isinstance(message, GameEnd)]
    assert len(turns) >= 7
    assert talk.note == f"{len(turns)} turns of the bot"
    assert len(starts) == len(ends) == (SHORT_GAMES if ruleset.startswith("brandubh") else 1)
    assert [start.starts for start in starts] == [number % 2 == 0 for number in range(len(starts))]
    for turn in turns:
        roll = game.legal_turns(game.from_plain(turn.position), tuple(turn.dice))
        assert turn.legal == [roll.moves(index) for index in range(len(roll))]
        assert (turn.last is None) == (turn.turn == 1)
    assert isinstance(messages[-1], MatchEnd)
    assert tuple(messages[-1].score) == tuple(ends[-1].score)
    assert told(game, TimeControl(delay_ms=2000))[0] == messages


def test_the_bank_runs_down_by_what_the_bot_takes() -> None:
    turns = [message for message in told(load_game("vasa"))[0] if isinstance(message, Turn)]
    assert [turn.clock.left_ms for turn in turns[:4]] == [60_000, 59_500, 59_000, 58_500]
    assert [turn.clock.spent_ms for turn in turns[:3]] == [0, 1500, 1500]
    assert {turn.clock.delay_left_ms for turn in turns} == {1000}


def test_in_backgammon_the_first_roll_is_no_double() -> None:
    [first, *_] = [
        message for message in told(load_game("backgammon"))[0] if isinstance(message, Turn)
    ]
    assert len(set(first.dice)) == 2
