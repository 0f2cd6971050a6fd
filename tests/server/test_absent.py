"""Remote bots that are away while their matches wait for them: `absent = "wait"`."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TypeVar

import pytest
import trio

from arena.records.facts import (
    EntrantsAbsent,
    EntrantsAwaited,
    EntrantWithdrawn,
    FixtureSettled,
    FixtureVoided,
)
from arena.records.verify import verify_run
from arena.server.io.operator_log import Event
from arena.server.run.tournament import Run, direct
from arena.server.setup.run_folder import RunFolder
from arena.server.setup.tournament_file import parse_plan
from protocol.messages import GameStart
from tests.fixtures.playing_room import Guest, token_of, until

Fact = TypeVar("Fact")
NAMES = ["anna", "bert", "cleo"]
JOIN_S = 60
PLAN = """
[tournament]
absent = "wait"
[limits]
turns = 4
violations = 1
join_ms = 60000
[listen]
address = "unix:{folder}/socket"
"""
"""Its matches take no time."""


class Evening:
    """A round robin of three remote bots; it may be stopped and go on."""

    def __init__(self, nursery: trio.Nursery, directory: Path) -> None:
        self._nursery = nursery
        self._directory = directory
        self._text = PLAN.format(folder=directory)
        for name in NAMES:
            self._text += f'[[bot]]\nname = "{name}"\nremote = true\ntoken_file = "{name}.token"\n'
            (directory / f"{name}.token").write_text(token_of(name))
        self._facts: list[object] = []
        self._events: list[Event] = []
        self._scope = trio.CancelScope()
        self.is_over = trio.Event()

    async def start(self) -> None:
        """Begin, or go on."""
        self._events.clear()
        self._scope, self.is_over = trio.CancelScope(), trio.Event()
        self._nursery.start_soon(self._play)
        await until(lambda: any(event["event"] == "waiting_for_bots" for event in self._events))

    async def _play(self) -> None:
        folder = RunFolder(self._directory / "run")
        folder.open(self._text)
        plan, report, show = parse_plan(self._text), self._facts.append, self._events.append
        with closing(folder), self._scope:
            await direct(
                Run(plan=plan, folder=folder, directory=self._directory, report=report, show=show)
            )
        self.is_over.set()

    async def stop(self) -> None:
        """End at once."""
        self._scope.cancel()
        await self.is_over.wait()

    async def comes(self, name: str, *, plays: bool = True) -> Guest:
        """A bot logs in, and plays unless the test does."""
        guest = Guest(
            await trio.open_unix_socket(str(self._directory / "socket")), lambda: 0, lambda _: 0.0
        )
        await guest.log_in(name)
        if plays:
            self._nursery.start_soon(self._play_along, guest)
        return guest

    async def _play_along(self, guest: Guest) -> None:
        async with guest.stream:
            await guest.play_along()

    def told(self, kind: type[Fact]) -> list[Fact]:
        """The lines of one kind that were written."""
        return [fact for fact in self._facts if isinstance(fact, kind)]

    @property
    def awaited(self) -> list[list[str]]:
        """Who was waited for, one after the other."""
        return [list(fact.away) for fact in self.told(EntrantsAwaited)]

    @property
    def given_up(self) -> list[str]:
        """Who was waited for in vain; nobody is withdrawn for it, and the record is in order."""
        assert verify_run(RunFolder(self._directory / "run").files).is_finished
        assert not self.told(EntrantWithdrawn)
        return [name for fact in self.told(EntrantsAbsent) for name in fact.away]


@pytest.fixture
async def evening(
    nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Evening:
    async def at_once(call: Callable[..., object], *args: object) -> object:
        return call(*args)

    monkeypatch.setattr(
        trio.to_thread, "run_sync", at_once
    )  # else the mock clock jumps while a thread works
    made = Evening(nursery, tmp_path)
    await made.start()
    return made


async def test_matches_are_played_when_their_bots_come(evening: Evening) -> None:
    for name in NAMES:
        await evening.comes(name)
        await trio.sleep(JOIN_S - 5)
    await evening.is_over.wait()
    assert evening.awaited == [NAMES, ["bert", "cleo"], [], ["cleo"], []]
    assert len(evening.told(FixtureSettled)) == 3
    assert evening.given_up == []


async def test_matches_of_a_bot_that_never_comes_hold_up_no_other_and_are_void_in_the_end(
    evening: Evening,
) -> None:
    await evening.comes("anna")
    await evening.comes("bert")
    await trio.sleep(JOIN_S - 1)
    assert [fact.fixture for fact in evening.told(FixtureSettled)] == ["r2-anna-v-bert"]
    assert evening.awaited[-1] == ["cleo"]
    with trio.fail_after(2):
        await evening.is_over.wait()
    assert evening.given_up == ["cleo"]


async def test_bots_that_come_and_go_prolong_the_wait_once_each(evening: Evening) -> None:
    for name in ("anna", "bert", "anna", "bert", "anna"):
        guest = await evening.comes(name, plays=False)
        await trio.sleep(14)
        await guest.hang_up()
        await trio.sleep(2)
    assert evening.is_over.is_set()
    assert evening.awaited == [NAMES, ["bert", "cleo"], ["anna", "cleo"]]
    assert evening.given_up == ["bert", "cleo"]


async def test_a_match_that_both_have_left_waits_until_both_are_back(evening: Evening) -> None:
    anna, bert = await evening.comes("anna", plays=False), await evening.comes("bert", plays=False)
    for guest in (anna, bert):
        await guest.take_seat()
    for guest in (anna, bert):
        await guest.wait_for(GameStart)
        await guest.hang_up()
    await trio.sleep(JOIN_S - 15)
    assert len(evening.told(FixtureVoided)) == 1
    for name in NAMES:
        await evening.comes(name)
    await evening.is_over.wait()
    assert len(evening.told(FixtureVoided)) == 1
    assert len(evening.told(FixtureSettled)) == 3
    assert evening.given_up == []


async def test_a_match_under_way_waits_after_a_resumption_and_is_then_judged(
    evening: Evening,
) -> None:
    anna, bert = await evening.comes("anna", plays=False), await evening.comes("bert", plays=False)
    for guest in (anna, bert):
        await guest.take_seat()
    await anna.wait_for(GameStart)
    await evening.stop()
    for guest in (anna, bert):
        await guest.hang_up()
    await evening.start()
    await evening.comes("anna")
    await trio.sleep(JOIN_S - 1)
    assert not evening.told(FixtureSettled)
    await evening.is_over.wait()
    [settled] = evening.told(FixtureSettled)
    assert [game.cause for game in settled.games] == ["no_show"] * 3
    assert settled.winner == "anna"
    assert evening.given_up == ["bert", "cleo"]
