"""Bots that hang, crash, flood and cheat cost the others next to nothing, even if all seats are taken."""

import random
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Final

import pytest
import trio

from arena.server.io import secret_values
from arena.server.play.session import UNASKED
from arena.tournaments.schedule import parse_fixture
from protocol.messages import Turn
from tests.fixtures.playing_room import Guest
from tests.server.ladder_club import Act, Club, plays
from tests.zoo.faults import JUNK, PING, hangs_up, illegal_always, is_silent, writes

HOURS_S: Final = 3 * 3600
LEAST_SHARE: Final = 0.95
"""Of what the others play without such bots."""
FILE: Final = """
[venue]
name = "club"
[listen]
address = "unix:{folder}/door/socket"
[limits]
idle_ms = 0
[[ladder]]
name = "vasa"
ruleset = "vasa"
pairs = 1
seats = 8
[ladder.clock]
delay_ms = 1000
bank_ms = 112000
[ladder.limits]
turns = 4
sandbox = "off"
"""
OTHERS: Final = [f"bot-{letter}" for letter in "abcdefghijklmno"]
FAULTS: Final[Mapping[str, Act]] = {
    "hangs": is_silent,
    "crashes": hangs_up,
    "floods": writes(PING * (UNASKED + 50)),
    "babbles": writes(JUNK),
    "cheats": illegal_always,
}
"""What bad bots do at each turn. Those that lose their connection come back at once."""


@pytest.mark.soak
async def test_bad_bots_cost_the_others_next_to_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = await matches_of_others(tmp_path / "alone", {}, monkeypatch)
    beside = await matches_of_others(tmp_path / "beside", FAULTS, monkeypatch)
    assert beside.total() >= LEAST_SHARE * alone.total()
    assert min(beside.values()) >= (LEAST_SHARE - 0.05) * min(alone.values())


async def matches_of_others(
    folder: Path, faults: Mapping[str, Act], patch: pytest.MonkeyPatch
) -> Counter[str]:
    """Play three hours; gives how many matches each of the others has begun with another good bot."""
    chance = random.Random(7)
    patch.setattr(secret_values, "new_dice_key", partial(chance.randbytes, 32))

    async def thinks(guest: Guest, turn: Turn) -> None:
        await trio.sleep(chance.uniform(49, 56))  # so that matches end at different times
        await plays(guest, turn)

    club = Club(folder, text=FILE, think_s=53.0)
    async with club.served() as bots:
        for name in [*OTHERS, *faults]:
            await club.join(name)
            act = faults.get(name, thinks)
            bots.start_soon(partial(club.live, name, think_s=0.0, act=act))
        await trio.sleep(HOURS_S)
    [day] = club.days()
    matches = Counter[str]()
    for line in club.lines(day, "fixture_issued"):
        names = [entrant.rpartition("-")[0] for entrant in parse_fixture(line["fixture"]).entrants]
        if faults.keys().isdisjoint(names):
            matches.update(name for name in names if name in OTHERS)
    assert club.rested(day) == {f"{name}-1" for name in faults}
    assert club.verified(day)
    return matches
