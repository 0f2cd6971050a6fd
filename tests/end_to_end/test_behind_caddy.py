"""The pages behind Caddy: the commands of docs/watching.md and docs/playing.md, and the `Caddyfile` as it is there.

Only ports, the name, the certificate and the run are put in their place.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any

import pytest

from tests import certificates
from tests.docs.pages import ROOT, blocks
from tests.pages.live.conftest import write_run
from tests.records.small_run import FIXTURE, small_run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("caddy") is None, reason="Caddy is not installed (Debian: apt install caddy)"),
]

PATIENCE_SECONDS = 30
"""Far more than anything here takes; what does not come fails its test."""
FOR_TESTS = "{{\n admin off\n auto_https disable_redirects\n https_port {port}\n}}\n"
"""What a Caddy beside others needs: it listens on its own port alone."""
TAB = "aaaaaaaa"

Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts programs, and ends each by its process id; a home of their own keeps what they store."""
    running: list[subprocess.Popen[str]] = []
    home = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}

    def begin(*command: str) -> subprocess.Popen[str]:
        with (tmp_path / f"{len(running)}.log").open("w") as log:
            running.append(
                subprocess.Popen(
                    command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=tmp_path, env=os.environ | home
                )
            )
        return running[-1]

    yield begin
    for process in reversed(running):
        process.terminate()
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(PATIENCE_SECONDS) == 0, (tmp_path / f"{running.index(process)}.log").read_text()


def documented(page: str, language: str, words: str) -> str:
    """The text in blocks of a page that has these words: a whole file, or the line of a command."""
    texts = [block.text for block in blocks(ROOT / "docs" / page) if block.language == language]
    found = texts if language == "caddyfile" else [line for text in texts for line in text.splitlines()]
    [text] = [text for text in found if words in text]
    return text


class Behind:
    """Pages behind Caddy, and how a browser reaches them."""

    def __init__(self, start: Start, folder: Path, page: str) -> None:
        (folder / "friday").mkdir(exist_ok=True)
        line = documented(page, "sh", "--behind-proxy").replace("8017", "0").replace("arena.example", "localhost")
        assert line.startswith("arena ")
        pages = start(sys.executable, "-m", "arena", *line.split()[1:], "--no-open")
        assert pages.stdout is not None
        address = pages.stdout.readline()
        self.token = address.strip().partition("#")[2]
        self.inner_port = int(re.findall(r":(\d+)/", address)[0])
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        certificate, key, _ = certificates.write_files(folder)
        text = documented("watching.md", "caddyfile", "reverse_proxy").replace("8017", str(self.inner_port))
        text = text.replace("arena.example {", f"localhost:{self.port} {{\n\tbind 127.0.0.1\n\ttls {certificate} {key}")
        (folder / "Caddyfile").write_text(FOR_TESTS.format(port=self.port) + text)
        self._caddy = start("caddy", "run")
        self.origin = f"https://localhost:{self.port}"
        until(self._listens)

    def _listens(self) -> bool:
        assert self._caddy.poll() is None, "Caddy does not start"
        with closing(socket.socket()) as sock:
            return sock.connect_ex(("127.0.0.1", self.port)) == 0

    @contextmanager
    def ask(
        self, target: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> Iterator[HTTPResponse]:
        """The answer to a request on a connection of its own."""
        given = {name.replace("_", "-"): headers[name] for name in headers}
        trusting = certificates.client()
        with closing(HTTPSConnection("localhost", self.port, context=trusting, timeout=PATIENCE_SECONDS)) as connection:
            connection.request(method, target, body, given)
            with connection.getresponse() as answer:
                yield answer

    def act(self, body: bytes = b"", **headers: str) -> int:
        """The status with which something that a person does is answered."""
        body = body or json.dumps({"do": "learn", "tab": TAB, "lesson": "start"}).encode()
        given = {"x_seat": self.token, "origin": self.origin, "content_type": "application/json"} | headers
        with self.ask("/api/act", "POST", body, **given) as answer:
            return answer.status


def until(condition: Callable[[], Any]) -> None:
    """Wait until something is true."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def message(stream: HTTPResponse) -> tuple[str, str]:
    """The kind of the next message of an event stream, and its data."""
    kind = ""
    while line := stream.readline().decode():
        field, _, value = line.rstrip().partition(": ")
        if field == "event":
            kind = value
        elif field == "data":
            return kind, value
    raise AssertionError("the stream has ended")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_run(tmp_path / "friday", small_run())


def test_a_run_is_watched(run: Path, start: Start) -> None:
    """Its pages load by TLS; under another name there are none, neither from Caddy nor from the arena behind it."""
    pages = Behind(start, run.parent, "watching.md")
    for target, expected in (
        ("/", "<!doctype html>"),
        ("/api/run", '"name":"small"'),
        (f"/api/matches/{FIXTURE}", '"state":"settled"'),
    ):
        with pages.ask(target) as answer:
            assert answer.status == 200, target
            assert "default-src 'none'" in answer.headers["content-security-policy"]
            assert expected in answer.read().decode().lower()
    with pages.ask("/api/run", host="evil.example") as answer:
        assert answer.read() == b""
    with socket.create_connection(("127.0.0.1", pages.inner_port)) as direct:
        direct.sendall(b"GET /api/run HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        assert direct.recv(100).startswith(b"HTTP/1.1 421")


def test_a_person_plays(tmp_path: Path, start: Start) -> None:
    """And is told what happens at once: Caddy does not keep the messages of a stream until it has many."""
    pages = Behind(start, tmp_path, "playing.md")
    with pages.ask(f"/events?tab={TAB}", x_seat=pages.token) as stream:
        assert message(stream)[0] == "state"
        assert pages.act(x_seat="00" * 32) == 403
        assert pages.act(origin="https://evil.example") == 403
        assert pages.act(origin="https://localhost.evil.example") == 403
        assert pages.act(x_forwarded_host="evil.example", origin="https://evil.example") == 403
        assert pages.act(b" " * (65 << 10)) in (413, 502)  # 502: it was refused while Caddy still sent it
        assert pages.act(b"{") == 400
        plain = socket.create_connection(("127.0.0.1", pages.port))
        with certificates.client().wrap_socket(plain, server_hostname="localhost") as halfway:
            halfway.sendall(
                f"POST /api/act HTTP/1.1\r\nHost: localhost:{pages.port}\r\nOrigin: {pages.origin}\r\n"
                f"X-Seat: {pages.token}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{{".encode()
            )
            assert pages.act() == 200
        assert '"lesson"' in message(stream)[1]
