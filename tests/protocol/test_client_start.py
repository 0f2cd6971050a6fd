"""How a bot of the Python kit is started, and finds its arena."""

import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from protocol.client import main, run
from protocol.messages import Bye, Play
from tests.protocol.client_bots import First, turn
from tests.protocol.fake_arena import PATIENCE_S, FakeArena

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


@pytest.mark.parametrize("by", ["environment", "flags"])
def test_a_script_of_ten_lines_plays(by: str, tmp_path: Path) -> None:
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
    flags = [part for key, value in given.items() for part in (f"--{key}", value)] if by == "flags" else []
    variables = {f"ARENA_{key.upper()}": value for key, value in given.items()} if by == "environment" else {}
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{tmp_path}/s")
        listener.listen()
        listener.settimeout(PATIENCE_S)
        bot = subprocess.Popen(
            [sys.executable, script, *flags], env={"PYTHONPATH": str(Path(__file__).parents[2]), **variables}
        )
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
