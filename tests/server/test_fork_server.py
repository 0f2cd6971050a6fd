"""The fork server: orders of any size, and a new one when it was ended from outside."""

import socket
from pathlib import Path

from arena.server.programs.fork_server import ForkServer, fork_server

WORDS = ["256", "60000", "32", "256", "8", "0", "-1", "", "0", "0"]


def told_by(server: ForkServer, words: list[str], folder: str = "/") -> bytes:
    """All that the supervisor of a program says."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            server.start([*WORDS, *words], {"LONG": "x" * 100_000}, Path(folder), [theirs.fileno(), 1, 2])
        ours.settimeout(30)
        return b"".join(iter(lambda: ours.recv(4096), b""))


def test_an_order_may_be_longer_than_one_read() -> None:
    with fork_server() as server:
        told = told_by(server, ["sh", "-c", "test ${#LONG} = 100000 && exit 7"])
    assert told.splitlines()[-1].startswith(b"ended 7 ")


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
