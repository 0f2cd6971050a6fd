"""The fork server: orders of any size, and a new one when it was ended from outside."""

import fcntl
import os
import signal
import socket
import sys
import termios
import threading
from pathlib import Path

import pytest

from arena.server.programs import fork_server as fork_server_module
from arena.server.programs.fork_server import (
    LENGTH_BYTES,
    ForkServer,
    fork_server,
    receive_order,
    send_order,
)
from tests.processes import await_true

WORDS = ["256", "60000", "32", "256", "8", "0", "-1", "", "0", "0"]


def told_by(server: ForkServer, words: list[str], folder: str = "/") -> bytes:
    """All that the supervisor of a program says."""
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            server.start(
                [*WORDS, *words], {"LONG": "x" * 100_000}, Path(folder), [theirs.fileno(), 1, 2]
            )
        ours.settimeout(30)
        return b"".join(iter(lambda: ours.recv(4096), b""))


def test_an_order_may_be_longer_than_one_read() -> None:
    with fork_server() as server:
        told = told_by(server, ["sh", "-c", "test ${#LONG} = 100000 && exit 7"])
    assert told.splitlines()[-1].startswith(b"ended 7 ")


def test_orders_that_wait_together_stay_apart() -> None:
    """The system splits orders of this size: a read could take the end of one with the beginning of the next."""
    arena, server = socket.socketpair()
    orders = [bytes([number]) * 60_000 for number in (1, 2)]

    def send() -> None:
        for order in orders:
            send_order(arena, order, [arena.fileno()] * 3)

    def waiting() -> int:
        number = bytearray(4)
        fcntl.ioctl(server, termios.FIONREAD, number)
        return int.from_bytes(number, sys.byteorder)

    with arena, server:
        sender = threading.Thread(target=send)  # it waits until there is room for the end
        sender.start()
        await_true(lambda: waiting() > len(orders[0]) + LENGTH_BYTES)
        received = [receive_order(server) for _ in orders]
        sender.join()
    for _, files in received:
        for number in files:
            os.close(number)
    assert [order for order, _ in received] == orders
    assert [len(files) for _, files in received] == [3, 3]


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


def test_one_that_stands_still_is_ended_and_takes_no_order() -> None:
    with fork_server() as server:
        assert not server.stands_still
        os.kill(server.process.pid, signal.SIGSTOP)
        await_true(lambda: server.stands_still)
        with pytest.raises(BrokenPipeError):
            server.start([*WORDS, "true"], {}, Path("/"), [0, 1, 2])
        assert not server.is_there
        with fork_server() as another:
            os.kill(another.process.pid, signal.SIGSTOP)
            await_true(lambda: another.stands_still)
    assert another.process.returncode == -signal.SIGKILL


def test_one_that_reads_no_more_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_server_module, "ORDER_SECONDS", 0.1)
    monkeypatch.setattr(ForkServer, "stands_still", False)
    with fork_server() as server:
        os.kill(server.process.pid, signal.SIGSTOP)
        with pytest.raises(TimeoutError):
            server.start([*WORDS, "true"], {"LONG": "x" * 10_000_000}, Path("/"), [0, 1, 2])
        assert not server.is_there
