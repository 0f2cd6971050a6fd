"""The pages behind Caddy: the commands of docs/watching.md and docs/playing.md, and the `Caddyfile` as it is there.

Only ports, the name, the certificate and the run are put in their place.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPResponse, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests import certificates
from tests.fixtures.asked_pages import write_run
from tests.fixtures.doc_pages import ROOT, blocks
from tests.fixtures.small_run import FIXTURE, small_run
from tests.processes import await_true

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        shutil.which("caddy") is None, reason="Caddy is not installed (Debian: apt install caddy)"
    ),
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
                    command,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                    cwd=tmp_path,
                    env=os.environ | home,
                )
            )
        return running[-1]

    yield begin
    for process in reversed(running):
        process.terminate()
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(PATIENCE_SECONDS) == 0, (
            tmp_path / f"{running.index(process)}.log"
        ).read_text()


def documented(page: str, language: str, words: str) -> str:
    """The text in blocks of a page that has these words: a whole file, or the line of a command."""
    texts = [block.text for block in blocks(ROOT / "docs" / page) if block.language == language]
    found = (
        texts if language == "caddyfile" else [line for text in texts for line in text.splitlines()]
    )
    [text] = [text for text in found if words in text]
    return text


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port


class Behind:
    """Pages behind Caddy, and how a browser reaches them: at the root of a site, or under a path of it."""

    def __init__(self, start: Start, folder: Path, page: str, site: str = "arena.example") -> None:
        """Serve by the command of a page and the `Caddyfile` for this site, with `localhost` in its place."""
        (folder / "friday").mkdir(exist_ok=True)
        self.inner_port, self.port = free_port(), free_port()
        line = documented(page, "sh", "--behind-proxy").replace("8017", str(self.inner_port))
        line = line.replace("arena.example", site.replace(site.partition("/")[0], "localhost"))
        assert line.startswith("arena ")
        pages = start(sys.executable, "-m", "arena", *line.split()[1:], "--no-open")
        assert pages.stdout is not None
        self.front, _, self.token = pages.stdout.readline().strip().partition("#")
        certificate, key, _ = certificates.write_files(folder)
        name = site.partition("/")[0]
        text = documented("watching.md", "caddyfile", f"{name} {{").replace(
            "8017", str(self.inner_port)
        )
        text = text.replace(
            f"{name} {{", f"localhost:{self.port} {{\n\tbind 127.0.0.1\n\ttls {certificate} {key}"
        )
        (folder / "Caddyfile").write_text(FOR_TESTS.format(port=self.port) + text)
        self._caddy = start("caddy", "run")
        self.origin = f"https://localhost:{self.port}"
        await_true(self._listens, seconds=PATIENCE_SECONDS)

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
        with closing(
            HTTPSConnection("localhost", self.port, context=trusting, timeout=PATIENCE_SECONDS)
        ) as connection:
            connection.request(method, target, body, given)
            with connection.getresponse() as answer:
                yield answer

    def act(self, body: bytes = b"", **headers: str) -> int:
        """The status with which something that a person does is answered."""
        body = body or json.dumps({"do": "learn", "tab": TAB, "lesson": "start"}).encode()
        given = {
            "x_seat": self.token,
            "origin": self.origin,
            "content_type": "application/json",
        } | headers
        with self.ask("/api/act", "POST", body, **given) as answer:
            return answer.status


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
    assert pages.front == "https://localhost/"
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
        too_long = b" " * (65 << 10)
        assert pages.act(too_long) == 413, "though Caddy still sends it"
        assert pages.act(b"{") == 400
        plain = socket.create_connection(("127.0.0.1", pages.port))
        with certificates.client().wrap_socket(plain, server_hostname="localhost") as halfway:
            halfway.sendall(
                f"POST /api/act HTTP/1.1\r\nHost: localhost:{pages.port}\r\nOrigin: {pages.origin}\r\n"
                f"X-Seat: {pages.token}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n{{".encode()
            )
            assert pages.act() == 200
        assert '"lesson"' in message(stream)[1]


# Under a path of a site

SITE = "club.example/arena"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """A page that trusts the certificate, may complain of nothing and ask for nothing outside of the path."""
    context = browser.new_context(ignore_https_errors=True, locale="en-GB")
    opened = context.new_page()
    opened.set_default_timeout(PATIENCE_SECONDS * 1000)
    complaints: list[str] = []
    opened.on("console", lambda message: complaints.append(message.text))
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    asked: list[str] = []
    opened.on("request", lambda request: asked.append(urlsplit(request.url).path))
    yield opened
    context.close()
    assert complaints == []
    assert [path for path in asked if not path.startswith("/arena/")] == []


def test_a_run_is_watched_under_a_path(run: Path, start: Start, page: Any) -> None:
    pages = Behind(start, run.parent, "watching.md", SITE)
    assert pages.front == "https://localhost/arena/"
    with pages.ask("/arena") as answer:
        assert (answer.status, answer.headers["location"]) == (302, "/arena/")
    page.goto(f"{pages.origin}/arena/")
    page.locator("#standings").wait_for()
    page.goto(f"{pages.origin}/arena/#{FIXTURE}")
    page.locator(".move").first.wait_for()
    page.get_by_role("link", name="anna").first.click()
    page.locator("#against").wait_for()


def test_a_person_plays_under_a_path(tmp_path: Path, start: Start, page: Any) -> None:
    """And invites another by a link under the same path."""
    pages = Behind(start, tmp_path, "playing.md", SITE)
    assert pages.front == "https://localhost/arena/"
    page.goto(f"{pages.origin}/arena/#{pages.token}")
    page.get_by_role("tab", name="Lessons").click()
    page.get_by_role("button", name="Single on the first half").click()
    page.locator(".can-lift").first.wait_for()
    page.get_by_role("button", name="To the lobby").click()
    page.get_by_role("tab", name="Play a match").click()
    page.locator(".pick", has_text="another person").click()
    page.get_by_role("button", name="Sit down").click()
    invitation = page.locator(".invitation")
    invitation.wait_for()
    link = invitation.get_attribute("href")
    assert link.startswith(f"{pages.origin}/arena/#")
    other = page.context.new_page()
    other.goto(link)
    other.locator(".hand-table").wait_for()
