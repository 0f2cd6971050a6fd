"""The fork server: orders of any size, and a new one when it was ended from outside."""

import os
import signal
import socket
from pathlib import Path

from arena.server.programs.fork_server import ForkServer, fork_server

WORDS = ["256", "60000", "32", "256", "8", "0", "-1", "", "0", "0"]


def ordered(server: ForkServer, words: list[str], folder: str = "/", *, long: int = 100_000) -> socket.socket:
    """Order a supervisor for a program; gives the socket to it."""
    ours, theirs = socket.socketpair()
    with theirs:
        server.start([*WORDS, *words], {"LONG": "x" * long}, Path(folder), [theirs.fileno(), 1, 2])
    ours.settimeout(30)
    return ours


def all_said(supervisor: socket.socket) -> bytes:
    """All that a supervisor says."""
    with supervisor:
        return b"".join(iter(lambda: supervisor.recv(4096), b""))


def told_by(server: ForkServer, words: list[str], folder: str = "/") -> bytes:
    """All that the supervisor of a program says."""
    return all_said(ordered(server, words, folder))


def test_an_order_may_be_longer_than_one_read() -> None:
    with fork_server() as server:
        told = told_by(server, ["sh", "-c", "test ${#LONG} = 100000 && exit 7"])
    assert told.splitlines()[-1].startswith(b"ended 7 ")


def test_orders_that_wait_together_stay_apart() -> None:
    """The system splits orders of this size, and a read may take the end of one with the beginning of the next."""
    with fork_server() as server:
        os.kill(server.process.pid, signal.SIGSTOP)
        supervisors = []
        for status in (7, 8):
            words = ["sh", "-c", f"test ${{#LONG}} = 60000 && exit {status}"]
            supervisors.append(ordered(server, words, long=60_000))
        os.kill(server.process.pid, signal.SIGCONT)
        ends = [all_said(supervisor).splitlines()[-1].split()[:2] for supervisor in supervisors]
    assert ends == [[b"ended", b"7"], [b"ended", b"8"]]


def test_a_folder_that_is_gone_is_told() -> None:
    with fork_server() as server:
        assert told_by(server, ["true"], "/no/such/folder") == b"failed No such file or directory\n"


def test_one_serves_all_and_ends_with_the_last_and_a_killed_one_is_replaced() -> None:
    with fork_server() as one, fork_server() as same:
        assert one is same
        one.process.kill()
        one.process.wait()
        with fork_server() as another:
            assert told_by(another, ["sh", "-c", "exit 7"]).splitlines()[-1].startswith(b"ended 7 ")
        assert another.process.returncode == 0
