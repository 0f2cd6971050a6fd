"""Launched programs can harm the machine, not only the match: each gets its verdict, and leaves nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from arena.words import say
from tests.fixtures.arena_runs import Run, arena, assert_verified, honest, rogue, write_plan
from tests.processes import pids_marked
from tests.zoo.programs import FAULTS

MATCH = "r1-anna-v-rogue"
ENDED = "disconnect, its program was ended: more than {}"
HUNG_UP = "disconnect, it hung up"
KEPT_BYTES = 1_048_576
"""How much of each stream of a launched bot is kept, as docs/what-if.md promises,"""
NOTE = b"\n[only the first 1048576 bytes are kept]\n"
"""and the note that is added if there was more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A program of `tests.zoo.programs`, and what follows."""

    expected: str
    """Why it forfeits its first game, or `played on`."""
    against: str = ""
    """Which of these programs is its honest opponent, if a special one."""
    at_turn: int = 3
    """When its fault comes."""
    limits: Mapping[str, int] = field(default_factory=dict)
    clock: Mapping[str, int] = field(default_factory=dict)
    ways: tuple[str, ...] = ("auto",)
    """With which `sandbox` it is played; the arena finds a program's processes differently in each."""


BOTH = ("auto", "off")
SHORT = {"delay_ms": 1000, "bank_ms": 1000}
"""For a fault whose verdict is that the flag falls; the honest opponent is at home in the delay
alone."""
SOME_SECONDS = {"startup_ms": 10_000}
"""For a fault whose verdict is that they have passed; the honest opponent, too, has to start in
them."""
SLOWED_DOWN = 4
"""A turn of 50 ms takes no more than so many times as long beside burners; if nobody held them, it
would be twenty."""

A_PAIR = {"pairs": 1, "games": None}
"""Both games at the same time: a program that never answers again costs the time of one."""

CASES = {
    "crash": Case(expected=HUNG_UP),
    "exits": Case(expected="no_show, its program ended with exit status 3"),
    "stranger": Case(expected="no_show", limits=SOME_SECONDS),
    "otherwise": Case(expected="no_reveal"),
    "secretive": Case(expected="no_reveal", limits=SOME_SECONDS),
    "children": Case(expected=ENDED.format("64 processes"), ways=BOTH),
    "memory": Case(expected=ENDED.format("1024 MiB of memory"), ways=BOTH),
    "memfds": Case(
        expected=ENDED.format("128 MiB of memory"), limits={"memory_mib": 128}, ways=BOTH
    ),
    "thinking": Case(
        expected=ENDED.format("1000 ms of CPU time"), limits={"cpu_ms": 1000}, ways=BOTH
    ),
    "burners": Case(expected="played on", against="steady", at_turn=8, ways=BOTH),
    "file": Case(expected=HUNG_UP, limits={"file_mib": 8}, ways=BOTH),
    "output": Case(expected="time", clock=SHORT),
    "chatter": Case(expected="played on"),
    "stays": Case(expected="played on", ways=BOTH),
    "daemon": Case(expected="played on", ways=BOTH),
    "looks": Case(expected="played on"),
    "crowd": Case(expected="played on", against="late", ways=BOTH),
}
"""Every fault of a launched program; its function says what it does."""
QUICK = ("chatter", "otherwise")
"""Played every day; that others are caught is shown every day by tests/end_to_end and tests/server."""
LONG = ("output", "secretive", "stranger")
"""What comes of them has to be waited for."""


def _marks(name: str, way: str) -> list[pytest.MarkDecorator]:
    """When it is played: what is outside of the sandbox is shown by tests/server as well."""
    if name in QUICK:
        return []
    return [pytest.mark.soak if name in LONG or way == "off" else pytest.mark.slow]


IN_EVERY_WAY = [
    pytest.param(name, case, way, id=f"{name}-{way}", marks=_marks(name, way))
    for name, case in CASES.items()
    for way in case.ways
]


@pytest.mark.parametrize(("name", "case", "way"), IN_EVERY_WAY)
def test_a_program_with_the_fault(name: str, case: Case, way: str, tmp_path: Path) -> None:
    mark = str(tmp_path)
    (tmp_path / "anna.token").write_text("to be found")
    bots = {"anna": rogue(case.against, mark) if case.against else honest()}
    bots["rogue"] = rogue(name, mark, at_turn=case.at_turn)
    limits = {"startup_ms": 20_000, "turns": 40, "sandbox": way, **case.limits}
    clock = {"delay_ms": 3000, "bank_ms": 60_000, **case.clock}
    plan = write_plan(
        tmp_path, bots, tournament={} if case.against else A_PAIR, limits=limits, clock=clock
    )
    run = Run(tmp_path / "run")

    result = arena("run", plan, "--out", run.folder)

    if name == "looks" and run.facts("bots_contained")[0]["bots"]["rogue"] == "none":
        pytest.skip("nothing contains launched programs here")
    games = run.forfeits("rogue")[MATCH]
    cause = games[0][1]
    gone = [
        fact
        for event in ("bot_left", "bot_missing")
        for fact in run.match(MATCH, event)
        if fact["seat"] == 2
    ]
    why = [say(fact["reason"]) for fact in gone[:1] if cause in ("disconnect", "no_show")]
    assert ", ".join([cause or "played on", *why]) == case.expected, result.stderr
    assert {winner for winner, cause in games if cause is not None} <= {"anna"}
    assert run.settled()[MATCH]["violations"][0] == 0
    assert result.returncode == (cause == "no_show"), result.stderr
    if case.against == "steady":
        before, after = turns_around(run, case.at_turn)
        assert median(after) < SLOWED_DOWN * median(before), (before, after)
    assert_verified(run.folder)
    assert pids_marked(mark) == []
    for stream in ("stdout", "stderr"):
        assert run.output_of(MATCH, "rogue", stream)[KEPT_BYTES:] in (b"", NOTE)
    assert name not in FAULTS or b"fault at " in run.output_of(MATCH, "rogue", "stderr")


def turns_around(run: Run, at_turn: int) -> tuple[list[int], list[int]]:
    """The milliseconds that the honest opponent took for its turns: up to the fault, and from then on."""
    played = run.match(MATCH, "turn_played")
    [*_, fault] = [place for place, fact in enumerate(played) if fact["seat"] == 2][:at_turn]
    own = [(place, fact["spent_ms"]) for place, fact in enumerate(played) if fact["seat"] == 1]
    return [spent for place, spent in own if place < fault], [
        spent for place, spent in own if place > fault
    ]
