"""How a bot of the Python kit is started, finds its arena, and comes back when its connection is lost."""

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protocol.client import Bot, Choice, MatchStart, TurnView, main, run
from protocol.greetings import Limits, Login, Welcome
from protocol.messages import Bye, Error, GameStart, MatchReady, Play, Turn, TurnClock
from tests.protocol.client_bots import First, turn
from tests.protocol.fake_arena import PATIENCE_S, FakeArena
from tests.protocol.samples import MATCH_START

BYE = Bye(reason="done")


@pytest.mark.parametrize("address", ["", "tcp", "tcp:1234", "http://x", "unix:", "tcp:host:port", "localhost:1"])
def test_an_address_of_another_form_is_one_line(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(First(), address, "a", "t") == 1
    assert "the address must be unix:/path, tcp:host:port or tls:host:port" in capsys.readouterr().err


def test_nobody_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(First(), f"unix:{tmp_path}/none", "a", "t") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("wants", "told"),
    [
        ("legal", 'wants is a text; write wants = ("legal",), with the comma'),
        ("call", 'wants is a text; write wants = ("call",), with the comma'),
        ("legal, call", 'wants is a text; write wants = ("legal",), with the comma'),
        (("legal", "leagl"), "unknown wish 'leagl' in wants; known: call, legal"),
        ((3,), "unknown wish 3 in wants; known: call, legal"),
    ],
)
def test_wants_of_another_form_is_one_line(wants: Any, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Python takes a text for the list of its letters, and a forgotten comma makes one."""
    bot = First()
    bot.wants = wants
    assert run(bot, "unix:/none", "a", "t") == 1
    assert capsys.readouterr().err == f"{told}\n"


def test_missing_environment_says_how_to_start_a_bot(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("ARENA_ADDRESS", "ARENA_NAME", "ARENA_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "argv", ["bot.py"])
    with pytest.raises(SystemExit) as left:
        main(First())
    assert left.value.code == 2
    told = " ".join(capsys.readouterr().err.split())
    assert "no address and no token is given" in told
    assert "arena run" in told


def test_a_script_of_ten_lines_is_started_by_hand(tmp_path: Path) -> None:
    script = tmp_path / "bot.py"
    script.write_text(
        "from protocol.client import Bot, Choice\n"
        "class Last(Bot):\n"
        "    wants = ('legal',)\n"
        "    def play(self, turn):\n"
        "        return Choice(len(turn.legal) - 1)\n"
        "Last().main()\n",
        encoding="utf-8",
    )
    given = {"address": f"unix:{tmp_path}/s", "name": "eva", "token": "t"}
    flags = [part for key, value in given.items() for part in (f"--{key}", value)]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{tmp_path}/s")
        listener.listen()
        listener.settimeout(PATIENCE_S)
        bot = subprocess.Popen([sys.executable, script, *flags], env={"PYTHONPATH": str(Path(__file__).parents[2])})
        with listener.accept()[0] as stream:
            arena = FakeArena(stream)
            assert arena.welcome().name == "eva"
            arena.start(1)
            arena.say(turn(1))
            assert arena.expect(Play).choice == 1
            arena.say(BYE)
            assert bot.wait(PATIENCE_S) == 0


def test_tcp_is_spoken_without_delay() -> None:
    from protocol.client import connect

    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connect(f"tcp:127.0.0.1:{listener.getsockname()[1]}") as stream,
    ):
        assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        listener.accept()[0].close()


def test_an_arena_that_says_nothing_over_tcp_may_speak_tls(capsys: pytest.CaptureFixture[str]) -> None:
    """It waits for a handshake and the bot for its hello, until the arena hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            listener.accept()[0].close()

        arena = threading.Thread(target=hang_up)
        arena.start()
        assert run(First(), f"tcp:127.0.0.1:{listener.getsockname()[1]}", "a", "t") == 1
        arena.join()
    told = capsys.readouterr().err
    assert "the arena hung up and said nothing; if the arena speaks TLS, give tls:HOST:PORT" in told


# The Python kit reconnects when its connection is lost, as long as that may help


TURN = Turn(
    game=1,
    turn=1,
    dice=[6, 2],
    position={"points": [0] * 24, "bar": [0, 0], "off": [0, 0]},
    clock=TurnClock(left_ms=1, opponent_left_ms=1, spent_ms=0, delay_left_ms=1),
    legal=[[], [[1, 2]]],
)


class Listening(Bot):
    name = "anna"
    fingerprint = "build 1"

    def __init__(self) -> None:
        self.told: list[str] = []

    def play(self, turn: TurnView) -> Choice:
        self.told.append(f"turn {turn.message.turn}")
        return Choice(1)

    def match_start(self, match: MatchStart) -> None:
        self.told.append(match.match)


class Town:
    """A listening socket, and a bot that was sent there."""

    def __init__(self, path: Path) -> None:
        self.bot = Listening()
        self.address = f"unix:{path}"
        self.code: int | None = None
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._listener.settimeout(PATIENCE_S)
        self._streams: list[socket.socket] = []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        self.code = run(self.bot, self.address, "anna", "open sesame")

    def arena(self) -> FakeArena:
        stream, _ = self._listener.accept()
        self._streams.append(stream)
        return FakeArena(stream)

    def welcomed(self, key: str, *, grace_ms: int) -> tuple[FakeArena, Login]:
        arena = self.arena()
        login = arena.greet()
        limits = Limits(frame_bytes=65_536, window=1, grace_ms=grace_ms)
        arena.say(Welcome(session="s", resume_key=key, limits=limits))
        return arena, login

    def end(self) -> int | None:
        self._thread.join(PATIENCE_S)
        assert not self._thread.is_alive()
        return self.code

    def close(self) -> None:
        for stream in (*self._streams, self._listener):
            stream.close()


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    made = Town(tmp_path / "s")
    yield made
    made.close()


def test_it_comes_back_with_its_key_and_plays_on(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    keys: list[str | None] = []
    for number in range(3):
        arena, login = town.welcomed(f"key {number}", grace_ms=60_000)
        keys.append(login.resume)
        assert (login.name, login.token, login.fingerprint) == ("anna", "open sesame", "build 1")
        arena.say(MATCH_START)
        arena.expect(MatchReady)
        arena.say(GameStart(game=1, match=MATCH_START.match, number=1, seat=1, starts=True), TURN)
        assert arena.expect(Play).choice == 1
        if number < 2:
            arena.stream.close()
    arena.say(Bye())
    assert (town.end(), keys) == (0, [None, "key 0", "key 1"])
    assert town.bot.told == [MATCH_START.match, "turn 1"] * 3
    said = capsys.readouterr().err
    assert said.count("the connection was lost (the arena hung up); trying to come back for 60 seconds\n") == 2
    assert "key" not in said
    assert "sesame" not in said


def test_without_a_grace_it_does_not_come_back(town: Town) -> None:
    """A launched bot is started anew by the arena, if at all."""
    arena, _ = town.welcomed("key", grace_ms=0)
    arena.stream.close()
    assert town.end() == 0


def test_when_the_grace_is_over_it_gives_up(town: Town, capsys: pytest.CaptureFixture[str]) -> None:
    """With 1 and the reason of the last attempt; not before, so far as a pause allows."""
    arena, _ = town.welcomed("key", grace_ms=400)
    began = time.monotonic()
    town._listener.close()
    arena.stream.close()
    assert town.end() == 1
    assert time.monotonic() - began > 0.1
    said = capsys.readouterr().err
    assert "could not be made again in time; cannot connect to unix:" in said


@pytest.mark.parametrize("code", ["bad_login", "flooding", "shutting_down", "already_connected"])
def test_a_fatal_error_after_which_there_is_no_use_ends_it(town: Town, code: str) -> None:
    arena, _ = town.welcomed("key", grace_ms=60_000)
    arena.say(Error(code=code, message="No.", fatal=True))
    assert town.end() == 1


@pytest.mark.parametrize("code", ["idle_timeout", "slow_reader", "too_many_connections"])
def test_after_an_error_that_passes_it_comes_back(town: Town, code: str) -> None:
    arena, _ = town.welcomed("key", grace_ms=60_000)
    arena.say(Error(code=code, message="Not now.", fatal=True))
    arena.stream.close()
    arena, login = town.welcomed("another", grace_ms=60_000)
    assert login.resume == "key"
    arena.say(Bye())
    assert town.end() == 0


def test_it_tries_again_until_the_arena_is_ready_for_it(town: Town) -> None:
    arena, _ = town.welcomed("key", grace_ms=60_000)
    arena.stream.close()
    for refusal in ("already_connected", None):
        arena = town.arena()
        assert arena.greet().resume == "key"
        if refusal is not None:
            arena.say(Error(code=refusal, message="Wait.", fatal=True))
        arena.stream.close()
    arena, _ = town.welcomed("another", grace_ms=60_000)
    arena.say(Bye())
    assert town.end() == 0


def test_a_changed_build_is_not_tried_twice(town: Town) -> None:
    arena, _ = town.welcomed("key", grace_ms=60_000)
    arena.stream.close()
    arena = town.arena()
    arena.greet()
    arena.say(Error(code="bad_login", message="Another fingerprint.", fatal=True))
    assert town.end() == 1
