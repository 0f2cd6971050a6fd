"""A match record followed line by line shows what the report shows of the whole record."""

from __future__ import annotations

import re
from contextlib import nullcontext

import msgspec
import pytest

from arena.games import load_game
from arena.pages.following import MatchFollower
from arena.pages.games import follow
from arena.records.lines import read_attempts
from arena.words import say
from tests.fixtures.asked_pages import lines_of
from tests.fixtures.caller import CALLER, by_these_rules
from tests.fixtures.report_runs import played_match, run
from tests.fixtures.small_run import (
    RECORD,
    agreed_attempt,
    attempt_record,
    brandubh_attempt,
    called_attempt,
    pairs_attempt,
    played_attempt,
    small_run,
    starved_attempt,
)

ATTEMPTS = {
    "vasa": played_attempt,
    "brandubh": brandubh_attempt,
    "draws": agreed_attempt,
    "calls": called_attempt,
    "pairs": pairs_attempt,
    "starved": starved_attempt,
    "long": played_match,
}


@pytest.mark.parametrize("make", ATTEMPTS.values(), ids=ATTEMPTS.keys())
def test_what_is_shown_at_the_end_is_what_the_report_shows(make) -> None:
    data = attempt_record(make())
    follower = MatchFollower(RECORD)
    for line in lines_of(data):
        follower.read([line])
        follower.advance()
    assert follower.broken == ""
    [attempt] = read_attempts(RECORD, data)
    with by_these_rules(CALLER) if make is called_attempt else nullcontext():
        expected = follow(attempt).games
    assert [msgspec.to_builtins(follower.games[game.number]) for game in expected] == [
        msgspec.to_builtins(game) for game in expected
    ]
    assert follower.page().is_over
    assert follower.page().score == attempt.end.score


def card_by_the_rules(rules, plain) -> tuple:
    """The pips, the bar and the room of a side, from its own view of a position."""
    [bar, _], points = plain["bar"], plain["points"]
    own = [(point, number) for point, number in enumerate(points, 1) if number > 0]
    pips = 25 * bar + sum((25 - point) * number for point, number in own)
    return pips, bar, 6 - sum(point <= 6 for point, _ in own)


@pytest.mark.parametrize("ruleset", ["vasa", "fiske", "backgammon"])
def test_a_card_has_pips_and_where_a_jan_is_possible_bar_and_room(ruleset) -> None:
    rules = load_game(ruleset)
    files = run(ruleset)
    follower = MatchFollower(RECORD)
    cards = 0
    for line in lines_of(files[RECORD]):
        follower.read([line])
        follower.advance()
        position = follower.position_to_judge()
        if position is None:
            continue
        card = follower.small_board()
        views = [position.position, rules.flip(position.position)]
        if position.to_move == 2:
            views.reverse()
        sides = [card_by_the_rules(rules, rules.to_plain(view)) for view in views]
        pips, bar, room = zip(*sides, strict=True)
        assert card.pips == pips
        assert (card.bar, card.room) == ((bar, room) if ruleset == "vasa" else ((), ()))
        cards += 1
    assert cards > 20


def test_a_jan_leaves_more_on_the_bar_than_there_is_room() -> None:
    follower = MatchFollower(RECORD)
    endings = set()
    for line in lines_of(run("vasa")[RECORD]):
        follower.read([line])
        for _, change in follower.advance():
            if change.kind == "ended" and change.ended.result.ending in ("jan", "forced_jan"):
                card = follower.small_board()
                loser = 2 - change.ended.result.winner
                assert card.bar[loser] > card.room[loser]
                endings.add(change.ended.result.ending)
    assert endings


def test_a_clock_that_was_extended_is_shown() -> None:
    [attempt] = read_attempts(RECORD, attempt_record(starved_attempt()))
    [game] = follow(attempt).games
    assert [(step.at, step.seat, step.text) for step in game.steps if step.kind == "extended"] == [
        ("3a", 1, "300")
    ]


def test_keys_name_the_lines_before_them() -> None:
    lines = lines_of(small_run()[RECORD])
    one, two, three = (MatchFollower(RECORD) for _ in range(3))
    one.read(lines)
    for line in lines:
        two.read([line])
    changed = lines[3].replace(b'"at_ms":1', b'"at_ms":2', 1)
    assert changed != lines[3]
    three.read([*lines[:3], changed, *lines[4:]])
    keys = [[key for key, _ in follower.advance()] for follower in (one, two, three)]
    assert keys[0] == keys[1]
    assert not set(keys[0][6:]) & set(keys[2][6:])


def test_a_new_attempt_begins_anew() -> None:
    lines = lines_of(small_run()[RECORD])
    second = next(number for number, line in enumerate(lines[1:], 1) if b"match_opened" in line)
    follower = MatchFollower(RECORD)
    follower.read(lines[:second])
    assert follower.advance()[-1][1].kind == "over"
    assert follower.page().void
    follower.read(lines[second : second + 1])
    assert [change.kind for _, change in follower.advance()] == ["opened"]
    assert (follower.page().void, follower.page().is_over, follower.games) == ("", False, {})


def test_what_cannot_be_followed_is_said() -> None:
    lines = lines_of(attempt_record(played_match()))
    place = next(
        number
        for number, line in enumerate(lines)
        if b'"turn_played"' in line and b'"turn":5,' in line
    )
    follower = MatchFollower(RECORD)
    follower.read(
        [
            *lines[:place],
            lines[place].replace(b'"moves":[[', b'"moves":[[24,25],[', 1),
            *lines[place + 1 :],
        ]
    )
    follower.advance()
    assert re.fullmatch(rf"{RECORD}:{place + 1}: .*not legal.*", say(follower.broken))
    assert len([step for step in follower.games[1].steps if step.kind == "turn"]) == 4
    follower.read(lines[place:])
    assert follower.advance() == []
