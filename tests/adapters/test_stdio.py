"""`arena adapter stdio` between a program and an arena: its lines, and what it does about faulty programs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from protocol.greetings import Limits, Welcome
from protocol.messages import Bye, Call, Called, Error, MatchEnd, Play
from tests import certificates
from tests.adapters.behind import PATIENCE_S, TOKEN, assert_complains, behind, playing
from tests.fixtures.arena_runs import environment
from tests.fixtures.fake_arena import FakeArena
from tests.fixtures.message_samples import GAME_END, HELLO, MATCH_START, REJECTED, TURN, WELCOME
from tests.processes import await_true, is_running

ANSWER_TURNS = (
    """while read -r line; do case $line in *'"type":"turn"'*) echo '{"choice":1}';; esac; done"""
)
LONG = [[[1, 7], [1, 3]]] * 5000  # 45 kB on the wire
HEAR_THE_START = "read -r match_start; read -r game_start; "
LOST = msgspec.structs.replace(GAME_END, result="lost", ending="time", clause="C1", score=[0, 6])


def turn_of(game: int, number: int) -> object:
    return msgspec.structs.replace(TURN, game=game, turn=number)


def test_a_match_from_login_to_goodbye(tmp_path: Path) -> None:
    script = f"tee {tmp_path}/heard | {{ {ANSWER_TURNS}; }}; echo that was all >&2"
    with behind(tmp_path, "stdio", "--", "sh", "-c", script) as adapter:
        login = adapter.arena.welcome()
        assert (login.name, login.wants, login.window) == ("anna", ("legal",), 1)
        assert len(adapter.arena.start(1).entropy) == 32
        for number in (1, 2):
            adapter.arena.say(turn_of(1, number))
            assert adapter.arena.expect(Play) == Play(game=1, turn=number, choice=1)
        adapter.arena.say(
            LOST, MatchEnd(match=MATCH_START.match, result="lost", score=[0, 6]), Bye()
        )
        code, complaint = adapter.left()
    assert code == 0
    assert complaint.endswith("that was all\n")
    heard = (tmp_path / "heard").read_text().splitlines()
    assert [line.split(",")[0] for line in heard] == [
        f'{{"type":"{tag}"'
        for tag in ("match_start", "game_start", "turn", "turn", "game_end", "match_end")
    ]


def test_a_rejected_turn_is_put_again(tmp_path: Path) -> None:
    with playing(tmp_path, ANSWER_TURNS) as adapter:
        adapter.arena.say(turn_of(1, 1))
        adapter.arena.expect(Play)
        adapter.arena.say(REJECTED)
        assert adapter.arena.expect(Play) == Play(game=1, turn=1, choice=1)
        code, complaint = adapter.end()
    assert code == 0
    assert "the turn uses 1 die" in complaint


def test_several_games_in_any_order(tmp_path: Path) -> None:
    backwards = """
    seen=; while read -r line; do case $line in *'"type":"turn"'*)
        if [ -z "$seen" ]; then seen=1; else
            echo '{"game":2,"turn":7,"choice":0}'; echo '{"game":1,"turn":3,"moves":[[1,7],[1,3]],"info":"hm"}'
        fi;; esac; done"""
    with playing(tmp_path, backwards, "--window", "2", games=(1, 2)) as adapter:
        adapter.arena.say(turn_of(1, 3), turn_of(2, 7))
        assert adapter.arena.expect(Play) == Play(game=2, turn=7, choice=0)
        assert adapter.arena.expect(Play) == Play(game=1, turn=3, moves=[[1, 7], [1, 3]], info="hm")


def test_calls_are_asked_for_by_option(tmp_path: Path) -> None:
    one_die = (
        """while read -r line; do case $line in *'"type":"call"'*) echo '{"dice":1}';; esac; done"""
    )
    with behind(tmp_path, "stdio", "--calls", "--", "sh", "-c", one_die) as adapter:
        assert adapter.arena.welcome().wants == ("legal", "call")
        adapter.arena.start(1)
        adapter.arena.say(
            Call(game=1, turn=4, dice=[1, 2], position=TURN.position, clock=TURN.clock)
        )
        assert adapter.arena.expect(Called) == Called(game=1, turn=4, dice=1)


def test_a_late_answer_goes_nowhere_and_the_next_is_the_next(tmp_path: Path) -> None:
    """The flag has fallen while the program thought; its answer is not taken for the turn after that."""
    slow = f"""
    turns=0; while read -r line; do case $line in
        *'"type":"turn"'*) : > {tmp_path}/asked; turns=$((turns + 1))
            [ $turns = 2 ] && {{ echo '{{"choice":0}}'; echo '{{"choice":1}}'; }};;
    esac; done"""
    with playing(tmp_path, slow, games=(1, 2)) as adapter:
        adapter.arena.say(turn_of(1, 1))
        await_true((tmp_path / "asked").exists)
        adapter.arena.say(LOST, turn_of(2, 1))
        assert adapter.arena.expect(Play) == Play(game=2, turn=1, choice=1)
        code, complaint = adapter.end()
    assert code == 0
    assert (
        "game 1 ended (time) while turn 1 waited for an answer; nothing has come. If the program has answered"
        in complaint
    )


def test_after_a_lost_connection_the_turn_is_put_again(tmp_path: Path) -> None:
    second = """
    turns=0; while read -r line; do case $line in
        *'"type":"turn"'*) turns=$((turns + 1)); [ $turns = 2 ] && { echo '{"choice":0}'; echo '{"choice":1}'; };;
    esac; done"""
    with behind(tmp_path, "stdio", "--", "sh", "-c", second) as adapter:
        adapter.arena.say(HELLO)
        adapter.arena.hear()
        limits = Limits(frame_bytes=65_536, window=1, grace_ms=20_000)
        adapter.arena.say(Welcome(session="s1", resume_key="first", limits=limits))
        adapter.arena.start(1)
        adapter.arena.say(turn_of(1, 1))
        arena = adapter.comes_back()
        assert arena.welcome().resume == "first"
        arena.start(1)
        arena.say(turn_of(1, 1))
        assert arena.expect(Play) == Play(game=1, turn=1, choice=1)
        arena.say(Bye())
        assert adapter.left()[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "complaint"),
    [
        ("exit 3", "the program ended with exit status 3; expected it to go on until its"),
        ("kill -9 $$", "the program was ended by signal SIGKILL; expected it to go on"),
        (
            "exec >&-; sleep 60",
            "the program has closed its standard output, so that it can answer no more; have it keep",
        ),
        (
            "printf '{\"cho'; exit",
            "the program ended with exit status 0, last having written '{\"cho'; expected",
        ),
        (
            "echo I think; cat >&2",
            "the program's line 1, 'I think': it is no JSON (Expecting value at character 1); what is",
        ),
        (
            "read -r turn; echo; echo '{\"choice\":0}'; echo '{\"choice\":1}'; cat >&2",
            "the program's line 3, '{\"choice\":1}': nothing was asked that is not answered yet",
        ),
        (
            "read -r turn; echo '{\"choice\":0.5}'; cat >&2",
            "the program's line 1, '{\"choice\":0.5}': a number with a fraction; send a whole number",
        ),
        ("yes | tr -d '\\n'", "the program has written a line of more than 65536 bytes, 'yyy"),
    ],
    ids=[
        "exits",
        "is-killed",
        "closes-stdout",
        "half-a-line",
        "junk",
        "too-many",
        "fraction",
        "no-line-end",
    ],
)
def test_a_program_that_fails_ends_the_adapter(
    tmp_path: Path, program: str, complaint: str
) -> None:
    with playing(tmp_path, HEAR_THE_START + program) as adapter:
        with suppress(BrokenPipeError, ConnectionResetError):  # it may be gone by now
            adapter.arena.say(turn_of(1, 1))
        code, said = adapter.left()
    assert code == 1
    (error,) = [line for line in said.splitlines() if line.startswith("Error:")]
    assert error.startswith(f"Error: {complaint}")


def test_a_remark_that_cannot_be_kept_costs_the_remark(tmp_path: Path) -> None:
    answers = r"""
    printf '\357\273\277{"choice":0,"info":{"win":0.53}}\r\n'; read -r turn
    echo '{"choice":1,"info":{"win":NaN}}'; read -r turn
    echo '{"choice":0,"info":"a\\ud83c"}'; read -r turn
    echo '{"choice":1,"info":{"nodes":3.0}}'; cat >&2"""
    with playing(tmp_path, f"{HEAR_THE_START}read -r turn\n{answers}") as adapter:
        for number, choice in enumerate((0, 1, 0), start=1):
            adapter.arena.say(turn_of(1, number))
            assert adapter.arena.expect(Play) == Play(game=1, turn=number, choice=choice)
        adapter.arena.say(turn_of(1, 4))
        assert adapter.arena.expect(Play) == Play(game=1, turn=4, choice=1, info={"nodes": 3})
        code, complaint = adapter.end()
    assert code == 0
    [told] = [line for line in complaint.splitlines() if "left out" in line]
    assert (
        "a number with a fraction; send a whole number, such as thousandths, or text - at `$.info.win`"
        in told
    )


def test_a_program_that_does_not_read_holds_up_nothing(tmp_path: Path) -> None:
    with playing(tmp_path, "exec sleep 60") as adapter:
        long_turn = msgspec.structs.replace(TURN, position={"points": "x" * 200_000})
        with suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(1000):
                adapter.arena.say(long_turn)
        code, said = adapter.left()
    assert code == 1
    assert "the program does not read its standard input" in said


@pytest.mark.slow
@pytest.mark.parametrize("end", ["bye", "fatal", "hang-up", "SIGTERM", "SIGINT", "SIGKILL"])
def test_the_program_never_outlives_the_adapter(tmp_path: Path, end: str) -> None:
    program = f"trap '' TERM; echo $$ > {tmp_path}/pid.new; mv {tmp_path}/pid.new {tmp_path}/pid; exec sleep 60"
    with playing(tmp_path, program) as adapter:
        await_true((tmp_path / "pid").exists)
        pid = int((tmp_path / "pid").read_text())
        expected = 0
        if end == "bye":
            adapter.arena.say(Bye())
        elif end == "fatal":
            adapter.arena.say(Error(code="flooding", message="Too much.", fatal=True))
            expected = 1
        elif end == "hang-up":
            adapter.arena.stream.close()
        else:
            adapter.process.send_signal(signal.Signals[end])
            expected = {"SIGTERM": 143, "SIGINT": 130, "SIGKILL": -9}[end]
        code, _ = adapter.left()
    assert code == expected
    await_true(lambda: not is_running(pid))


@pytest.mark.parametrize(
    ("arguments", "code", "complaint"),
    [
        (("stdio",), 2, "Missing argument 'PROGRAM...'"),
        (
            ("stdio", "--", "true"),
            2,
            "no address and no name and no token is given; start the bot through the arena",
        ),
        (
            ("stdio", "--address", "tcp:127.0.0.1:1", "--name", "a", "--", "true"),
            2,
            "no token is given",
        ),
        (
            ("stdio", "--address", "x", "--name", "a", "--token", "t", "no-such-program"),
            1,
            "the program 'no-such-program' cannot be started: No such file or directory; give a program that is there",
        ),
        (
            ("stdio", "--address", "x", "--name", "a", "--token", "t", "cat", "-u"),
            1,
            "cannot connect to x: the address must be unix:/path, tcp:host:port or tls:host:port",
        ),
    ],
)
def test_wrong_use_is_told_in_one_sentence(
    arguments: tuple[str, ...], code: int, complaint: str
) -> None:
    assert_complains(*arguments, code=code, complaint=complaint)


def test_over_tls_every_read_takes_everything(tmp_path: Path) -> None:
    """It waits for the socket, which does not show what TLS has decoded already: each read takes all of it."""
    _, _, authority = certificates.write_files(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE_S)
        seat = ("--address", f"tls:127.0.0.1:{listener.getsockname()[1]}", "--name", "anna")
        command = [
            sys.executable,
            "-m",
            "arena",
            "adapter",
            "stdio",
            *seat,
            "--",
            "sh",
            "-c",
            ANSWER_TURNS,
        ]
        more = {"ARENA_TOKEN": TOKEN, "ARENA_CA": str(authority)}
        with subprocess.Popen(
            command, env=environment(**more), stdin=subprocess.DEVNULL
        ) as process:
            try:
                with certificates.server().wrap_socket(
                    listener.accept()[0], server_side=True
                ) as stream:
                    arena = FakeArena(stream)
                    arena.welcome()
                    arena.start(*range(1, 6))
                    turns = [
                        msgspec.structs.replace(TURN, game=game, legal=LONG) for game in range(1, 6)
                    ]
                    arena.say(*turns)
                    assert [arena.expect(Play).game for _ in turns] == [1, 2, 3, 4, 5]
                    arena.say(Bye())
                    assert process.wait(PATIENCE_S) == 0
            finally:
                process.kill()


def test_the_program_does_not_see_the_token(tmp_path: Path) -> None:
    """It has no use for it, and might print it."""
    with playing(tmp_path, f"env > {tmp_path}/env; cat >&2") as adapter:
        adapter.arena.say(Bye())
        adapter.left()
    assert "ARENA_NAME=anna" in (tmp_path / "env").read_text()
    assert "ARENA_TOKEN" not in (tmp_path / "env").read_text()
    assert os.environ.get("ARENA_TOKEN") is None
    assert WELCOME.resume_key not in (tmp_path / "env").read_text().split()
