"""The way in: where bots connect, who may log in, and the bots that come from elsewhere."""

from __future__ import annotations

import socket
from importlib.metadata import version
from itertools import count
from pathlib import Path

import trio

from arena.server import chance
from arena.server.bot import Bot
from arena.server.folder import RunFolder, Secrets
from arena.server.hall import Hall
from arena.server.link import SocketLink
from arena.server.listener import accept_links, address_of, open_listener
from arena.server.lobby import Lobby
from arena.server.plan import BotSection, Plan
from arena.server.reporting import Report
from arena.server.session import Session


class Entrance:
    """The open addresses of a run: a private one for launched bots, and one for remote bots if there are any."""

    def __init__(self, hall: Hall, plan: Plan, folder: RunFolder, directory: Path, report: Report) -> None:
        self._hall = hall
        self._plan = plan
        self._folder = folder
        self._directory = directory
        self._report = report
        self._numbers = count(1)
        self._listeners: list[socket.socket] = []
        self._server = f"arena {version('brade-arena')}"
        self.lobby = Lobby()
        self.address = ""
        """Where launched bots connect."""
        self.remote: dict[str, Bot] = {}
        """The bots that connect from elsewhere, by name."""

    def open(self, private: str, secrets: Secrets) -> None:
        """Listen. Raises `ListenError`, and `OSError` for a token file that cannot be read."""
        self.address = self._listen(private)
        remote = [section for section in self._plan.bot if section.remote]
        if not remote:
            return
        for section in remote:
            self._expect_remote(section, secrets)
        address = self._listen(self._plan.listen.address)
        tokens = self._folder.path / "secrets.json"
        self._report(f"waiting at {address} for {', '.join(self.remote)}; their tokens are in {tokens}")

    def _listen(self, address: str) -> str:
        listener = open_listener(address)
        self._listeners.append(listener)
        self._hall.spawn(accept_links, self._hall, listener, self._serve)
        return address_of(listener)

    def _serve(self, link: SocketLink) -> None:
        name, idle_ms = f"s{next(self._numbers)}", self._plan.limits.idle_ms
        link.serve(Session(self._hall, link, name, self._server, self.lobby.find, idle_ms=idle_ms))

    def _expect_remote(self, section: BotSection, secrets: Secrets) -> None:
        if section.token_file is not None:
            token = read_token(self._directory / section.token_file)
        else:
            token = secrets.tokens.setdefault(section.name, chance.new_token())
            self._folder.write_secrets(secrets)
        bot = Bot(section.name, token, grace_ms=self._plan.limits.grace_ms)
        self.remote[section.name] = bot
        self.lobby.expect(bot)

    async def await_remote(self) -> None:
        """Give the bots from elsewhere time to log in; who does not come forfeits match by match."""
        with trio.move_on_after(self._plan.limits.join_ms / 1000):
            for bot in self.remote.values():
                if bot.session is None:
                    joined = trio.Event()
                    bot.on_login = joined.set
                    await joined.wait()

    def shut(self) -> None:
        """Take no further connection."""
        for listener in self._listeners:
            listener.close()


def read_token(path: Path) -> str:
    """The token in a file, without white space around it. Raises `OSError`, and `ValueError` for an empty one."""
    token = path.read_text().strip()
    if not token:
        raise ValueError("the file is empty")
    return token


def token_problems(plan: Plan, directory: Path) -> list[str]:
    """Which token files cannot be used; an operator's mistake, told before anything begins."""
    problems = []
    for section in plan.bot:
        if section.token_file is not None:
            try:
                read_token(directory / section.token_file)
            except (OSError, ValueError) as error:
                problems.append(f"bot {section.name}: token_file {section.token_file!r} cannot be used: {error}")
    return problems
