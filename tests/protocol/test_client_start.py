"""How a bot of the Python kit is started, finds its arena, and comes back when its connection is lost."""

import argparse
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from protocol.client import connect, kit_options, main, run
from protocol.messages import Bye, Error
from tests.certificates import authority, write_self_made
from tests.fixtures.fake_arena import CAN_RETURN, Door, tls_door
from tests.protocol.client_bots import First, Running

BYE = Bye(reason="done")


@pytest.mark.parametrize(
    "address", ["", "tcp", "tcp:1234", "http://x", "unix:", "tcp:host:port", "localhost:1"]
)
def test_an_address_of_another_form_is_one_line(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(First(), address, "a", "t") == 1
    assert (
        "the address must be unix:/path, tcp:host:port or tls:host:port" in capsys.readouterr().err
    )


def test_nobody_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(First(), f"unix:{tmp_path}/none", "a", "t") == 1
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize(
    ("wants", "told"),
    [
        ("legal", 'wants is a text; write wants = ("legal",), with the comma'),
        ("call", 'wants is a text; write wants = ("call",), with the comma'),
        ("legal, call", 'wants is a text; write wants = ("legal",), with the comma'),
        (("legal", "leagl"), "unknown wish 'leagl' in wants; known: break, call, legal"),
        ((3,), "unknown wish 3 in wants; known: break, call, legal"),
    ],
)
def test_wants_of_another_form_is_one_line(
    wants: Any, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
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


def test_an_option_counts_more_than_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for variable in ("ARENA_ADDRESS", "ARENA_NAME", "ARENA_TOKEN"):
        monkeypatch.setenv(variable, "environment")
    monkeypatch.setattr(sys, "argv", ["bot.py", "--address=option"])
    with pytest.raises(SystemExit):
        main(First())
    assert "cannot connect to option" in capsys.readouterr().err


def test_what_the_kit_does_not_know_is_left_to_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        sys,
        "argv",
        ["bot.py", "--depth", "3", "--token", "t", "--add", "--address=here", "x.weights"],
    )
    with pytest.raises(SystemExit) as left:
        main(First())
    assert (left.value.code, sys.argv) == (1, ["bot.py", "--depth", "3", "--add", "x.weights"])
    own = argparse.ArgumentParser(parents=[kit_options()])
    own.add_argument("--depth", type=int)
    assert own.parse_args(["--depth", "3", "--token", "t"]).depth == 3


def test_a_misspelt_option_of_the_kit_is_named_without_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        sys, "argv", ["bot.py", "--address", "unix:/none", "--tokne=t0ps", "--depth", "3"]
    )
    with pytest.raises(SystemExit):
        main(First())
    told = " ".join(capsys.readouterr().err.split())
    assert "no token is given (--tokne is not --token); start the bot" in told
    assert "t0ps" not in told


def test_tcp_is_spoken_without_delay() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connect(f"tcp:127.0.0.1:{listener.getsockname()[1]}") as stream,
    ):
        assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        listener.accept()[0].close()


def test_an_arena_that_says_nothing_over_tcp_may_speak_tls(
    capsys: pytest.CaptureFixture[str],
) -> None:
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


# A certificate that the bot does not trust


def told_of_tls(folder: Path, host: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a bot says that connects by TLS to an arena whose operator has made the certificate."""
    with tls_door(*write_self_made(folder), host) as door, door.refuse():
        assert run(First(), door.address, "a", "t") == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("ca", [None, "other.pem"])
def test_a_bot_that_does_not_trust_the_certificate_says_what_to_set(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    ca: str | None,
) -> None:
    monkeypatch.delenv("ARENA_CA", raising=False)
    if ca is not None:
        authority().cert_pem.write_to_path(str(tmp_path / ca))
        monkeypatch.setenv("ARENA_CA", str(tmp_path / ca))
    told = told_of_tls(tmp_path, "localhost", capsys)
    assert "its certificate is not trusted: self" in told
    if ca is None:
        assert told.endswith(
            "if the operator has made it, ask for the file and set ARENA_CA=arena.pem\n"
        )
    else:
        assert told.endswith(
            f"ARENA_CA={tmp_path / ca} holds others; ask the operator for the one of this arena\n"
        )


def test_a_certificate_for_a_name_is_not_taken_for_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ARENA_CA", str(tmp_path / "arena.pem"))
    told = told_of_tls(tmp_path, "127.0.0.1", capsys)
    assert (
        "not valid for '127.0.0.1'; give the address with a name that is on the certificate" in told
    )


def test_with_the_certificate_that_the_operator_made_the_bot_connects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CA", str(tmp_path / "arena.pem"))
    with tls_door(*write_self_made(tmp_path)) as door:
        running = Running(lambda: run(First(), door.address, "anna", "open sesame"))
        with door.open() as arena:
            arena.welcome()
            arena.say(BYE)
            assert running.end() == 0


# The Python kit reconnects when its connection is lost, as long as that may help


@pytest.mark.parametrize("code", ["bad_login", "flooding", "shutting_down", "already_connected"])
def test_a_fatal_error_after_which_there_is_no_use_ends_it(door: Door, code: str) -> None:
    running = Running(lambda: run(First(), door.address, "anna", "open sesame"))
    with door.open() as arena:
        arena.greet()
        arena.say(CAN_RETURN, Error(code=code, message="No.", fatal=True))
        assert running.end() == 1


def test_a_connection_that_cannot_be_made_again_in_time_is_a_failure(
    door: Door, capsys: pytest.CaptureFixture[str]
) -> None:
    hardly_any = replace(CAN_RETURN.limits, grace_ms=1)
    running = Running(lambda: run(First(), door.address, "anna", "open sesame"))
    with door.open() as arena:
        arena.greet()
        arena.say(replace(CAN_RETURN, limits=hardly_any))
    assert running.end() == 1
    assert "could not be made again in time" in capsys.readouterr().err


@pytest.mark.parametrize("code", ["idle_timeout", "slow_reader", "too_many_connections"])
def test_after_an_error_that_passes_it_comes_back(door: Door, code: str) -> None:
    running = Running(lambda: run(First(), door.address, "anna", "open sesame"))
    with door.open() as arena:
        arena.greet()
        arena.say(CAN_RETURN, Error(code=code, message="Not now.", fatal=True))
    with door.open() as arena:
        assert arena.welcome().resume == CAN_RETURN.resume_key
        arena.say(Bye())
        assert running.end() == 0
