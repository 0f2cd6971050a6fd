"""The situations of `arena check`: what they put to a bot, what it may send, and how a deviation is reported."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.conformance.play import judge_pace
from arena.conformance.situation import Situation
from arena.conformance.situations import situations
from arena.games import Game, load_game, ruleset_names
from arena.matches.time_control import TimeControl
from arena.services.conversation import Conversation, DeviationError
from protocol.connection import ARENA_FRAME_BYTES
from protocol.messages import Turn

VASA = load_game("vasa")
NAME, TOKEN = "anna", "open sesame"
LOGIN = {"type": "login", "protocol": 1, "name": NAME, "token": TOKEN, "wants": ["legal"]}
READY = {"type": "match_ready", "match": "check"}
PLAY = {"type": "play", "game": 1, "turn": 1, "choice": 0}


def frame(fields: Any) -> bytes:
    payload = msgspec.msgpack.encode(fields)
    return len(payload).to_bytes(4, "big") + payload


def messages(writes: list[bytes]) -> list[dict[str, Any]]:
    data, found = b"".join(writes), []
    while data:
        size = 4 + int.from_bytes(data[:4], "big")
        found.append(msgspec.msgpack.decode(data[4:size]))
        data = data[size:]
    return found


def named(name: str, game: Game = VASA) -> Situation:
    [situation] = (one for one in situations(game) if one.name == name)
    return situation


def asked(name: str = "match", game: Game = VASA, login: dict[str, Any] = LOGIN) -> Conversation:
    """A conversation in which the first turn has been asked, or all of them where there are several."""
    situation = named(name, game)
    talk = Conversation(situation.game, NAME, TOKEN)
    for words, answer in zip(situation.connections[0], (login, READY), strict=False):
        talk.say(words)
        talk.hear(frame(answer))
    talk.say(situation.connections[0][2])
    return talk


def deviation(talk: Conversation, said: Any) -> DeviationError:
    with pytest.raises(DeviationError) as caught:
        talk.hear(said if isinstance(said, bytes) else frame(said))
    return caught.value


def test_silence_is_told_with_what_the_clock_allows() -> None:
    talk = asked("delay")
    assert (
        talk.silence(9999).found == "says nothing more for 9999 ms (its clock would allow 10000 ms)"
    )
    assert talk.silence(10_000).found == "says nothing more for 10000 ms, all that its clock allows"


def test_the_middle_turn_is_the_pace_that_the_clock_must_allow() -> None:
    clock = TimeControl(delay_ms=100, bank_ms=1000)
    assert judge_pace([4000, 80, 109], 103, clock) is None
    wrong = judge_pace([4000, 80, 550], 103, clock)
    assert wrong is not None
    assert (
        wrong.found
        == "takes 550 ms for a turn (the middle one of 3), and loses on time in its turn 3"
    )


def test_a_legal_answer_in_any_form_is_what_was_owed() -> None:
    for said in (PLAY, {"type": "play", "game": 1, "turn": 1, "moves": [[1, 3], [1, 7]]}):
        talk = asked()
        assert messages(talk.hear(frame({"type": "ping", "data": 9}))) == [
            {"type": "pong", "data": 9}
        ]
        for byte in frame(said):
            assert talk.hear(bytes([byte])) == []
        assert talk.owed == []


@pytest.mark.parametrize(
    ("said", "found", "expected"),
    [
        (
            PLAY | {"choice": 2},
            "gives choice 2; there are 2 legal turns, counted from 0",
            "a legal answer to turn 1",
        ),
        (
            {"type": "play", "game": 1, "turn": 1, "moves": [[1, 7]]},
            "gives an illegal turn: the turn uses 1 die, but 2 dice of 6-2 can be used",
            "a legal answer to turn 1 of game 1 with 6-2",
        ),
        (
            PLAY | {"draw": "offer"},
            "says draw offer in a game that knows no agreement",
            "a legal answer",
        ),
        (
            PLAY | {"turn": 2},
            "says play for turn 2 of game 1, which the arena does not wait for",
            "play for turn 1 of game 1",
        ),
        (
            PLAY | {"game": 2},
            "says play for turn 1 of game 2, which the arena does not wait for",
            "play for turn 1 of game 1",
        ),
        (READY, "says match_ready, which the arena does not wait for", "play for turn 1 of game 1"),
        ({"type": "bye", "reason": "tired"}, "says bye: 'tired'", "play for turn 1 of game 1"),
        (
            {"type": "error", "code": "bad", "message": "No.", "fatal": False},
            "says error bad: 'No.'",
            "play for turn 1 of game 1",
        ),
        (
            PLAY | {"choice": 0.5},
            "breaks the protocol: a number with a fraction",
            "play for turn 1 of game 1",
        ),
        (
            b"PLAY first",
            "breaks the protocol: a frame of 1347174745 bytes is announced",
            "play for turn 1",
        ),
    ],
)
def test_a_wrong_answer_is_told_with_what_was_expected(
    said: Any, found: str, expected: str
) -> None:
    error = deviation(asked(), said)
    assert error.found.startswith(found)
    assert error.expected.startswith(expected)
    sent = said if isinstance(said, bytes) else frame(said)
    assert sent.hex(" ").startswith(error.hex)
    assert bool(error.decoded) is not isinstance(said, bytes)


def test_a_remark_that_would_not_be_kept_is_noted_and_nothing_is_wrong() -> None:
    talk = asked()
    talk.hear(frame(PLAY | {"info": {"win": 0.53}}))
    assert talk.owed == []
    assert talk.note.startswith("its remark (info) would not be kept: a number with a fraction")
    assert talk.note.endswith("at `$.info.win`")


@pytest.mark.parametrize("key", ["name", "token"])
def test_a_wrong_login_is_told_without_the_token(key: str) -> None:
    talk = Conversation(named("handshake").game, NAME, TOKEN)
    talk.say(named("handshake").connections[0][0])
    error = deviation(talk, LOGIN | {key: f"not {LOGIN[key]}"})
    assert error.found == f"logs in with another {key}"
    assert TOKEN not in error.decoded
    assert TOKEN.encode().hex(" ") not in error.hex


def test_turns_beyond_the_window_wait() -> None:
    """With a window of 1 the second turn comes when the first is answered; with 3 all come, answered in any order."""
    talk = asked("window")
    assert len(talk.owed) == 1
    (second,) = messages(talk.hear(frame(PLAY)))
    assert (second["type"], second["game"]) == ("turn", 300)
    talk = asked("window", login=LOGIN | {"window": 3})
    for game, turn in ((70_000, 41), (1, 1), (300, 7)):
        talk.hear(frame(PLAY | {"game": game, "turn": turn}))
    assert talk.owed == []


def test_a_bot_that_does_not_ask_for_the_legal_turns_gets_none() -> None:
    """Its choice would be a guess; its moves are judged by the rules."""
    bare = {key: value for key, value in LOGIN.items() if key != "wants"}
    assert "has not asked for the legal turns" in deviation(asked(login=bare), PLAY).found
    asked(login=bare).hear(frame({"type": "play", "game": 1, "turn": 1, "moves": [[1, 7], [7, 9]]}))


def test_a_bot_reveals_the_entropy_it_has_committed_to_and_no_other() -> None:
    first, second, *_ = named("match").connections[0]
    talk = Conversation(named("match").game, NAME, TOKEN)
    talk.say(first)
    talk.hear(frame(LOGIN))
    talk.say(second)
    talk.hear(frame(READY | {"commitment": hashlib.sha256(b"mine").digest()}))
    error = deviation(talk, {"type": "match_entropy", "match": "check", "entropy": b"another"})
    assert error.found == "reveals entropy with another SHA-256 than it has committed to"
    assert error.expected == "match_entropy for match 'check', with the entropy it has committed to"


def test_a_draw_is_accepted_only_where_it_is_offered() -> None:
    accepts = {"type": "play", "game": 1, "turn": 1, "draw": "accept"}
    assert (
        deviation(asked(game=load_game("brandubh-1")), accepts).found
        == "accepts a draw that was not offered"
    )
    talk = asked("draw-offered", load_game("brandubh-1"))
    talk.say(named("draw-offered", load_game("brandubh-1")).connections[0][3])
    talk.hear(frame(accepts | {"turn": 3}))
    assert talk.owed == []


def test_a_bot_comes_back_with_the_key_of_the_connection_that_was_lost() -> None:
    for resume in ("key 2", None):
        talk = Conversation(named("reconnect").game, NAME, TOKEN, "key 1")
        talk.say(named("reconnect").connections[1][0])
        assert deviation(talk, LOGIN | {"resume": resume}).found == "comes back without the key"


def test_the_big_frame_is_as_long_as_the_protocol_allows() -> None:
    talk = asked("big-frame")
    [padded] = (words for words in named("big-frame").connections[0] if words.more)
    [said] = talk.say(padded)
    assert ARENA_FRAME_BYTES - 100 < len(said) - 4 <= ARENA_FRAME_BYTES


def test_hanging_up_is_well_after_the_last_word_only() -> None:
    talk = asked()
    talk.hear(frame(PLAY)[:9])
    with pytest.raises(DeviationError, match="hangs up in the middle of a frame"):
        talk.ended()
    with pytest.raises(DeviationError, match="hangs up; expected: play for turn 1 of game 1"):
        asked().ended()


# What the situations put to a bot, and the part of docs that explains each


GAMES = [load_game(name) for name in ruleset_names()]
GAMES += [load_game("classic", ["one_die"]), load_game("classic", ["double_six"])]
TABLES = [game for game in GAMES if game.dice_to_roll(game.start())]
PAGES = sorted((Path(__file__).parents[2] / "docs").glob("protocol*.md"))


def turns(situation: Situation) -> Iterator[Turn]:
    for connection in situation.connections:
        for words in connection:
            yield from (message for message in words.messages if isinstance(message, Turn))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_situation_can_be_told_from_the_others_and_looked_up(game: Game) -> None:
    anchors = {
        page.name + "#" + re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        for page in PAGES
        for title in re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    }
    found = situations(game)
    assert len({one.name for one in found}) == len(found)
    assert {one.section for one in found} <= anchors
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", one.name) for one in found)


@pytest.mark.parametrize("game", TABLES, ids=lambda game: game.name)
def test_the_positions_show_what_they_are_named_for(game: Game) -> None:
    legal = {
        name: next(turns(named(name, game))).legal
        for name in ("entering", "forced-pass", "doubles", "bearing-off")
    }
    assert len(legal["entering"]) > 1
    assert all(any(move[0] == 0 for move in moves) for moves in legal["entering"])
    assert legal["forced-pass"] == [[]]
    assert len(legal["doubles"]) > 1
    assert all(len(moves) == 4 for moves in legal["doubles"])
    assert any(move[1] == 25 for moves in legal["bearing-off"] for move in moves)


@pytest.mark.parametrize(("option", "name"), [("one_die", "call"), ("double_six", "double-six")])
def test_options_have_situations_of_their_own(option: str, name: str) -> None:
    assert name not in {one.name for one in situations(load_game("classic"))}
    found = named(name, load_game("classic", [option]))
    if name == "double-six":
        assert 6 in {len(moves) for moves in next(turns(found)).legal}


def test_draws_are_offered_where_they_can_be_agreed_on() -> None:
    assert next(turns(named("draw-offered", load_game("brandubh-1")))).draw_offered
    assert "draw-offered" not in {one.name for one in situations(VASA)}
