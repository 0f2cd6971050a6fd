"""A run that waits for its remote bots, at the entrance that all runs have."""

from contextlib import closing
from pathlib import Path

import trio

from arena.server.io.operator_log import Event
from arena.server.run.tournament import Run, direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from protocol.greetings import Hello, Welcome
from protocol.messages import Error
from tests.fixtures.playing_room import Guest, login, until

PLAN = """
[limits]
join_ms = 100000000
second_login = "{second_login}"
[listen]
address = "unix:{socket}"
[[bot]]
name = "anna"
remote = true
token_file = "anna.token"
[[bot]]
name = "bo"
remote = true
token_file = "bo.token"
[[bot]]
name = "zoe"
remote = true
"""
"""Zoe never comes, so that no match begins."""


class Arena:
    """A run that waits for its remote bots."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._guests: list[Guest] = []

    async def close(self) -> None:
        """Let go of every connection."""
        with trio.CancelScope(shield=True):
            for guest in self._guests:
                await trio.aclose_forcefully(guest.stream)

    @property
    def path(self) -> str:
        [waiting] = self.told("waiting_for_bots")
        return str(waiting["address"]).removeprefix("unix:")

    def told(self, name: str) -> list[Event]:
        """The events of this name."""
        return [event for event in self.events if event["event"] == name]

    async def connect(self, address: str = "") -> Guest:
        """A connection to a Unix socket, by default to the one for bots from elsewhere."""
        stream = await trio.open_unix_socket(address.removeprefix("unix:") or self.path)
        self._guests.append(Guest(stream, lambda: 0, lambda _: 0.0))
        return self._guests[-1]

    async def try_to_log_in(
        self, name: str, token: str, *, address: str = "", **more: object
    ) -> Welcome | Error:
        """What is said to a login."""
        guest = await self.connect(address)
        await guest.hear(Hello)
        await guest.say(login(name, token, **more))
        said = await guest.hear_next()
        assert isinstance(said, Welcome | Error)
        if isinstance(said, Error):
            await guest.is_cut_off()
        return said

    @property
    def last(self) -> Guest:
        """The last connection."""
        return self._guests[-1]


async def waiting_arena(
    nursery: trio.Nursery,
    tmp_path: Path,
    second_login: str = "refuse",
    text: str = "",
    mode: int = 0o600,
) -> Arena:
    for name in ("anna", "bo"):
        (tmp_path / f"{name}.token").write_text(f"the-token-of-{name}\n")
        (tmp_path / f"{name}.token").chmod(mode)
    text = text or PLAN.format(second_login=second_login, socket=tmp_path / "s")
    folder = RunFolder(tmp_path / "run")
    folder.open(text)
    arena = Arena()

    async def run() -> None:
        with closing(folder):
            await direct(
                Run(
                    plan=parse_plan(text),
                    folder=folder,
                    directory=tmp_path,
                    report=lambda _: None,
                    show=arena.events.append,
                )
            )

    nursery.start_soon(run)
    await until(
        lambda: bool(
            arena.told("waiting_for_persons" if "person = true" in text else "waiting_for_bots")
        )
    )
    return arena
