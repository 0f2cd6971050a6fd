"""Run folders on the disk, and requests to the pages without sockets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
import trio
from starlette.types import ASGIApp

from arena.pages.live import runs
from arena.pages.serving.listening import ListeningPlace
from arena.records.files import TOURNAMENT_RECORD
from arena.server.io.listening import NetAddress
from tests.records.small_run import RECORD, Files, small_run, unfinished_run

if TYPE_CHECKING:
    from tests.pages.live.hand_matches import Site

Write = Callable[[Files], Path]
HERE = ListeningPlace(address=NetAddress(kind="tcp", host="127.0.0.1", port=0))


def write_run(folder: Path, files: Files) -> Path:
    (folder / "matches").mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def lines_of(data: bytes) -> list[bytes]:
    return data.split(b"\n")[:-1]


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def begun(files: Files, match_lines: int) -> Files:
    """A run whose only match is being played: its record has so many lines."""
    log, record = lines_of(files[TOURNAMENT_RECORD]), lines_of(files[RECORD])
    return files | {TOURNAMENT_RECORD: joined(log[:2]), RECORD: joined(record[:match_lines])}


def add(folder: Path, name: str, lines: Iterable[bytes]) -> None:
    """Append lines to a record, as the arena does it."""
    with (folder / name).open("ab") as file:
        file.write(joined(lines))


@pytest.fixture
def written(tmp_path: Path) -> Write:
    return lambda files: write_run(tmp_path / "run", files)


class Answered:
    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.arrived = trio.Event()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def events(self) -> list[tuple[str, str, Any]]:
        """The messages of a stream so far: kind, id, content."""
        found = []
        for block in self.text.split("\n\n"):
            fields = dict(
                line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":"
            )
            if "event" in fields:
                found.append((fields["event"], fields.get("id", ""), json.loads(fields["data"])))
        return found


async def ask(
    app: ASGIApp, target: str, *, method: str = "GET", body: bytes = b"", **headers: str
) -> Answered:
    """Ask an application as a browser does; a header's name is written with underlines."""
    answered = Answered()
    await ask_into(app, answered, target, method, body, headers)
    return answered


async def follow(app: ASGIApp, target: str, nursery: trio.Nursery, **headers: str) -> Answered:
    answered = Answered()
    nursery.start_soon(ask_into, app, answered, target, "GET", b"", headers)
    await answered.arrived.wait()
    return answered


async def ask_into(
    app: ASGIApp,
    answered: Answered,
    target: str,
    method: str,
    body: bytes,
    headers: MutableMapping[str, str],
) -> None:
    """Ask, and have the answer in `answered` as far as it comes."""
    parts = urlsplit(target)
    given = {
        "host": "127.0.0.1:8017",
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    if body and "content-length" not in given:
        given["content-length"] = str(len(body))
    scope = {
        "type": "http",
        "method": method,
        "path": unquote(parts.path),
        "raw_path": parts.path.encode(),
        "query_string": parts.query.encode(),
        "root_path": "",
        "scheme": "http",
        "headers": [(name.encode(), value.encode()) for name, value in given.items()],
        "http_version": "1.1",
        "server": ("127.0.0.1", 8017),
        "client": ("127.0.0.1", 5),
        "asgi": {"version": "3.0", "spec_version": "2.3"},
    }
    sent = False

    async def receive() -> MutableMapping[str, Any]:
        nonlocal sent
        if sent:
            await trio.sleep_forever()
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            answered.status = message["status"]
            answered.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            answered.body += message.get("body", b"")
            answered.arrived.set()

    await app(scope, receive, send)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "brade-arena"


@pytest.fixture
def club(tmp_path: Path, cache: Path, at_once: None) -> Path:
    """A folder with three runs, at two depths."""
    folder = tmp_path / "club"
    write_run(folder / "friday", small_run())
    write_run(folder / "2026" / "cup", unfinished_run())
    write_run(folder / "2026" / "Så & så #1", small_run())
    return folder


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that has changed is read again with the next look."""
    monkeypatch.setattr(runs, "REST", 0)


@pytest.fixture
def site(browser: Any, tmp_path: Path) -> Iterator[Site]:
    """Pages of playing by hand, and what the arena behind them would say."""
    from tests.pages.live.hand_matches import Site  # it needs what is above

    with closing(Site(browser, tmp_path)) as site:
        yield site
