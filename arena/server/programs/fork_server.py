"""Fork server: one process with the modules of a supervisor, which forks one for each program.

A supervisor with a Python of its own costs 16 ms of processor time, as much as a quick bot, and a
forked one 4 ms. The arena sends an order for each: four bytes of length, then JSON `[words,
environment, folder]`, with the files that are the supervisor's standard input, output and error,
and that of its `AwaitedTime` if it has one. The fork server ends when the arena has gone; the
supervisors then end by themselves.
"""

import gc
import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

import arena
from arena.server.programs.family import stands_still
from arena.server.programs.supervisor import Supervisor, tell_failure

SERVE: Final = (
    f"import sys; sys.path.append({str(Path(arena.__file__).parents[1])!r}); "
    "from arena.server.programs.fork_server import serve; serve()"
)
"""Starts a fork server. It is imported since Python keeps no compiled form of a file that it is
told to run."""
LENGTH_BYTES: Final = 4
READ_BYTES: Final = 1 << 16
MOST_FILES: Final = 4
ORDER_SECONDS: Final = 30.0
"""How long it may take to read an order; the whole arena waits meanwhile."""
END_SECONDS: Final = 3.0
"""How long it may take to end when the arena has closed its end."""
AWAITED: Final = 6
"""The place among the words of a supervisor where the number of its `AwaitedTime` stands."""


class ForkServer:
    """The side of the arena."""

    def __init__(self) -> None:
        self.users = 0
        """Number of its users: programs with a supervisor, and others that need it to stay."""
        self._orders, theirs = socket.socketpair()
        self._orders.settimeout(ORDER_SECONDS)
        with theirs:
            # -I and -S: nothing of the environment or a bot's folder gets into the supervisors.
            # It also starts sooner.
            words = [sys.executable, "-I", "-S", "-c", SERVE]
            self.process = subprocess.Popen(  # noqa: S603 - our own words
                words, stdin=theirs.fileno(), cwd="/", env={}, start_new_session=True
            )

    @property
    def is_there(self) -> bool:
        """False if it was ended from outside."""
        return self.process.poll() is None

    @property
    def stands_still(self) -> bool:
        """True if it was stopped from outside (SIGSTOP); False if unknown."""
        return self.is_there and stands_still(self.process.pid)

    def start(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        directory: Path,
        files: Sequence[int],
    ) -> None:
        """Order a supervisor with these words, in this folder.

        Raises `OSError` if the server is gone, or takes no orders any more; then it is ended.
        """
        if self.stands_still:
            self.kill()
        order = json.dumps([words, environment, str(directory)]).encode()
        try:
            send_order(self._orders, order, files)
        except TimeoutError:
            self.kill()  # the next order would be read as the end of this one
            raise

    def kill(self) -> None:
        """End it at once. Supervisors go on; orders that it has not carried out are lost."""
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """End it, and wait for that; kill it if it does not end by itself."""
        self._orders.close()
        seconds = 0 if self.stands_still else END_SECONDS
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()


def send_order(
    orders: socket.socket,
    order: bytes,
    files: Sequence[int],
) -> None:
    """Send an order with its files, as `receive_order` receives it. Raises `OSError`."""
    order = len(order).to_bytes(LENGTH_BYTES, "big") + order
    sent = socket.send_fds(orders, [order], files)
    orders.sendall(order[sent:])


_servers: Final[list[ForkServer]] = []
"""Servers in use, the newest last; there are several only after one was ended from outside."""


@contextmanager
def fork_server() -> Iterator[ForkServer]:
    """Return the fork server of this process; its first user starts it, its last one ends it."""
    if not _servers or not _servers[-1].is_there:
        _servers.append(ForkServer())
    server = _servers[-1]
    server.users += 1
    try:
        yield server
    finally:
        server.users -= 1
        if not server.users:
            _servers.remove(server)
            server.close()


# In the fork server


def serve() -> NoReturn:
    """Fork a supervisor for each order, until the arena closes its end."""
    orders = socket.socket(fileno=0)
    gc.freeze()  # shared memory stays shared
    while True:
        try:
            order, files = receive_order(orders)
        except EOFError:
            os._exit(0)
        _reap()
        _fork_supervisor(order, files)
        for number in files:
            os.close(number)


def receive_order(orders: socket.socket) -> tuple[bytes, list[int]]:
    """Receive one order with its files, and nothing of the next one. Raises `EOFError`.

    The system delivers the files with the first byte. A read beyond the end of an order would take
    the beginning of the next one, and its files would be lost.
    """
    head, files, _, _ = socket.recv_fds(orders, LENGTH_BYTES, MOST_FILES)
    if not head:
        raise EOFError
    head += receive_exactly(orders, LENGTH_BYTES - len(head))
    return receive_exactly(orders, int.from_bytes(head, "big")), files


def receive_exactly(orders: socket.socket, number: int) -> bytes:
    """Receive this number of bytes. Raises `EOFError` if there are fewer."""
    parts = []
    while number:
        part = orders.recv(min(number, READ_BYTES))
        if not part:
            raise EOFError
        parts.append(part)
        number -= len(part)
    return b"".join(parts)


def _reap() -> None:
    try:
        while True:
            pid, _ = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
    except ChildProcessError:
        pass  # there is none


def _fork_supervisor(order: bytes, files: list[int]) -> None:
    try:
        is_supervisor = not os.fork()
    except OSError:
        tell_failure(files[0])
    else:
        if is_supervisor:
            _supervise(order, files)


def _supervise(order: bytes, files: list[int]) -> NoReturn:
    try:
        for number, file in enumerate(files[:3]):
            os.dup2(file, number)
            os.close(file)
        os.setsid()
        words, environment, directory = json.loads(order)
        words[AWAITED] = "-1"
        if len(files) > 3:
            words[AWAITED] = str(files[3])
        os.environ.clear()
        os.environ.update(environment)
        try:
            os.chdir(directory)
        except OSError as error:
            os.write(0, f"failed {error.strerror}\n".encode())
        else:
            Supervisor(words).run()
    except BaseException:  # noqa: BLE001 - each failure is reported to the arena
        tell_failure(0)
    finally:
        os._exit(0)
