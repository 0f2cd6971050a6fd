"""The kit for bots in Python, against an arena that follows a script."""

import socket
import ssl
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
import pytest

from protocol.client import Bot, Choice, Moves, Reply, TurnView, play_over
from protocol.messages import Bye, Error, GameEnd, GameStart, MatchEnd, Play, Rejected
from tests import certificates
from tests.fixtures.fake_arena import PATIENCE_S, FakeArena
from tests.fixtures.message_samples import HELLO, MATCH_START, REJECTED, SESSION, TURN
from tests.protocol.client_bots import First, Running, turn

BYE = Bye(reason="done")


def test_a_session_goes_from_login_to_goodbye(table: Any) -> None:
    bot = First()
    arena, running = table(bot)
    login = arena.welcome()
    assert (login.name, login.version, login.token) == ("anna", "1.2", "open sesame")
    assert (login.window, login.wants, login.fingerprint) == (1, ("legal",), "abc")
    given = arena.start(1)
    assert (given.match, len(given.entropy)) == (MATCH_START.match, 32)
    arena.say(turn(1))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(*[message for _, message in SESSION if isinstance(message, GameEnd)])
    arena.say(MatchEnd(match=MATCH_START.match, result="won", score=[6, 0]), BYE)
    assert running.end() == 0
    assert bot.told == ["match_start", "game_start", "game_end", "match_end"]
    arena.expect_end()


def test_entropy_differs_from_match_to_match(table: Any) -> None:
    arena, _ = table(First())
    arena.welcome()
    first = arena.start().entropy
    assert arena.start().entropy == first
    arena.say(MatchEnd(match=MATCH_START.match, result="void", score=[0, 0]))
    assert arena.start().entropy != first


def test_the_end_of_a_match_of_the_connection_before_is_no_surprise(table: Any) -> None:
    """The arena may settle a match while its bot is away; a program that was started anew knows nothing of it."""
    bot = First()
    arena, running = table(bot)
    arena.welcome()
    arena.say(*[message for _, message in SESSION if isinstance(message, GameEnd)])
    arena.say(MatchEnd(match=MATCH_START.match, result="void", score=[0, 0]), BYE)
    assert running.end() == 0
    assert bot.told == []


@pytest.mark.parametrize(
    "before, said",
    [
        (lambda arena: None, "and said nothing"),
        (
            lambda arena: (arena.welcome(), arena.stream.sendall(b"\0")),
            "in the middle of a message",
        ),
    ],
)
def test_the_end_of_the_stream_elsewhere_is_a_failure(
    table: Any, capsys: pytest.CaptureFixture[str], before: Any, said: str
) -> None:
    arena, running = table(First())
    before(arena)
    arena.stream.close()
    assert running.end() == 1
    assert said in capsys.readouterr().err


def test_a_fatal_error_is_one_line_and_exit_code_1(
    table: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arena, running = table(First())
    arena.say(HELLO, Error(code="bad_login", message="No such name.", fatal=True))
    assert running.end() == 1
    assert capsys.readouterr().err == "the arena says bad_login: No such name.\n"


def test_an_arena_that_breaks_the_protocol_is_told_so(
    table: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arena, running = table(First())
    arena.welcome()
    arena.stream.sendall(b"\0\0\0\1\xc0")
    told = arena.expect(Error)
    assert (told.code, told.fatal) == ("not_a_map", True)
    assert running.end() == 1
    assert "broke the protocol" in capsys.readouterr().err


class Clumsy(First):
    """Answers wrongly until it is corrected."""

    def play(self, turn: TurnView) -> Reply:
        return [[1, 7]] if "rejected" not in self.told else [[1, 7], [7, 9]]

    def rejected(self, rejected: Rejected, turn: TurnView) -> None:
        super().rejected(rejected, turn)
        self.told.append("rejected")


def test_a_rejected_turn_is_asked_again(asked: Any, capsys: pytest.CaptureFixture[str]) -> None:
    arena, running = asked(Clumsy())
    assert arena.expect(Play).moves == [[1, 7]]
    arena.say(REJECTED)
    assert arena.expect(Play) == Play(game=1, turn=1, moves=[[1, 7], [7, 9]])
    arena.say(BYE)
    assert running.end() == 0
    assert (
        f"rejected: {REJECTED.message} (fewer_dice, B3.3; 2 more forgiven)"
        in capsys.readouterr().err
    )


def test_the_rejection_that_forfeits_is_not_answered(
    asked: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    arena, running = asked(Clumsy())
    arena.expect(Play)
    arena.say(msgspec.structs.replace(REJECTED, left=-1))
    arena.say(BYE)
    assert running.end() == 0
    arena.expect_end()
    assert "the game is forfeited" in capsys.readouterr().err


def test_a_game_that_ends_in_the_same_read_is_not_answered(table: Any) -> None:
    arena, _ = table(First())
    arena.welcome()
    arena.start(1, 2)
    end = next(message for _, message in SESSION if isinstance(message, GameEnd))
    arena.say(turn(1), turn(2), end)
    assert arena.expect(Play).game == 2


class Batch(First):
    window = 8

    def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
        self.told.append(f"{len(turns)} turns")
        return [Moves([[1, 7]], info={"of": len(turns)}) for _ in turns]


def test_without_play_many_each_answer_is_sent_before_the_next_is_thought_of(table: Any) -> None:
    arena, _ = table(slow := Slow())
    arena.welcome()
    arena.start(1, 2)
    arena.say(turn(1), turn(2))
    assert arena.expect(Play).game == 1
    slow.go_on.set()
    assert arena.expect(Play).game == 2


class Slow(First):
    window = 2

    def __init__(self) -> None:
        super().__init__()
        self.go_on = threading.Event()
        self.thinking = threading.Event()

    def play(self, turn: TurnView) -> Reply:
        if turn.start.game == 2:
            self.thinking.set()
            assert self.go_on.wait(PATIENCE_S)
        return Choice(0)


def test_the_last_words_of_an_arena_that_hung_up_are_heard(
    table: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """An answer that finds nobody listening is no crash: the fatal error that came before is shown."""
    arena, running = table(slow := Slow())
    arena.welcome()
    arena.start(1, 2)
    arena.say(turn(2))
    assert slow.thinking.wait(PATIENCE_S)
    arena.say(Error(code="shutting_down", message="Closing time.", fatal=True))
    arena.stream.close()
    slow.go_on.set()
    assert running.end() == 1
    assert "shutting_down: Closing time." in capsys.readouterr().err


def test_an_answer_that_finds_nobody_over_tls_does_not_break_the_end_of_the_stream() -> None:
    """OpenSSL remembers the broken pipe of the answer, and Python 3.13 raises it where the end is read."""
    ours, theirs = socket.socketpair()
    trusting = certificates.client()

    def play() -> int:
        with trusting.wrap_socket(theirs, server_hostname=certificates.HOST) as stream:
            return play_over(stream, slow, "anna", "open sesame")

    slow = Slow()
    running = Running(play)
    with certificates.server().wrap_socket(ours, server_side=True) as stream:
        arena = FakeArena(stream)
        arena.welcome()
        arena.start(1, 2)
        arena.say(turn(2))
        assert slow.thinking.wait(PATIENCE_S)
        with suppress(ssl.SSLError):  # the bot does not answer; the end is sent
            stream.settimeout(0)
            stream.unwrap()
    slow.go_on.set()
    assert running.end() == 0


class Broken(First):
    """Each kind of mistake an author can make in play."""

    def __init__(self, mistake: str) -> None:
        super().__init__()
        self.mistake = mistake

    def play(self, turn: TurnView) -> Any:
        if self.mistake == "raises":
            raise RuntimeError("my own bug")
        return {"string": "1/7", "nothing": None, "fraction": [[1, 7.5]]}[self.mistake]


@pytest.mark.parametrize(
    "mistake, said",
    [
        ("raises", "my own bug"),
        ("string", "play returned str; expected a list of moves"),
        ("nothing", "play returned NoneType"),
        ("fraction", "Play cannot be sent: a number with a fraction"),
    ],
)
def test_what_play_raises_is_never_swallowed(asked: Any, mistake: str, said: str) -> None:
    """A mistake in the bot ends it with its own traceback, not with silence."""
    _, running = asked(Broken(mistake))
    running.end()
    assert said in str(running.raised)


class Chatty(First):
    """Gives a remark with every answer, which the wire does not carry."""

    def __init__(self, info: object) -> None:
        super().__init__()
        self.info = info

    def play(self, turn: TurnView) -> Any:
        return Choice(0, info=self.info)


@pytest.mark.parametrize(
    "info, said",
    [
        (
            {"win": 0.53},
            "a number with a fraction; send a whole number, such as thousandths, or text - at `$.info.win`",
        ),
        (np.float32(0.5), "a value of type float32"),
        ("x" * 70_000, "Play fills a payload of 70041 bytes; at most 65536 are allowed here"),
    ],
)
def test_a_remark_that_cannot_be_sent_costs_the_remark_and_is_told_once(
    asked: Any, capsys: pytest.CaptureFixture[str], info: object, said: str
) -> None:
    arena, running = asked(Chatty(info))
    assert arena.expect(Play) == Play(game=1, turn=1, choice=0)
    arena.say(turn(1, 3))
    assert arena.expect(Play) == Play(game=1, turn=3, choice=0)
    arena.say(BYE)
    assert running.end() == 0
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("the remark (`info`) is left out of the answer: ")
    assert said in line


def test_a_batch_with_too_few_replies_is_not_swallowed(asked: Any) -> None:

    class Lazy(Batch):
        def play_many(self, turns: Sequence[TurnView]) -> Iterable[Reply]:
            return []

    _, running = asked(Lazy())
    running.end()
    assert isinstance(running.raised, ValueError)


def test_a_bot_without_play_is_told_so() -> None:
    with pytest.raises(NotImplementedError, match="Bot must implement play"):
        Bot().play(None)  # type: ignore[arg-type]


def test_a_turn_comes_with_its_game_and_its_match() -> None:
    start = next(message for _, message in SESSION if isinstance(message, GameStart))
    view = TurnView(TURN, start, MATCH_START)
    assert (view.dice, view.points[0], view.clock.left_ms) == ([6, 2], 15, 60_000)
    assert (view.position["bar"], view.last, view.ruleset["name"]) == ([0, 0], None, "house")
    assert len(view.legal) == 2
    with pytest.raises(LookupError, match='wants = \\("legal",\\)'):
        _ = TurnView(
            turn(1).__class__(**{**msgspec.structs.asdict(TURN), "legal": None}), start, MATCH_START
        ).legal
