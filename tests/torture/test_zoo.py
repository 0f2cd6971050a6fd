"""The fault zoo: every case gets exactly the verdict that docs/what-if.md promises."""

from __future__ import annotations

import re

import pytest
import trio

from arena.torture.crowd import AT_ONCE, HONEST, play_crowd
from arena.torture.zoo import CASES, run_cases

BY_NAME = {case.name: case for case in CASES}
QUICK = (
    "deadline-minus-1",
    "deadline-0",
    "deadline-plus-1",
    "door-http",
    "siege-silent",
    "siege-guesses",
    "host-stopped",
    "frame-duplicate-keys",
    "answer-double",
)
"""One of each kind that takes no more than a second or two, for every day; the slow tests run the others."""


def test_the_zoo_is_complete() -> None:
    """Every kind of fault that was ever asked for has a case, names are words, and no two cases have the same."""
    wanted = {
        "silent connect": "door-silent",
        "half frame": "frame-half",
        "length 2^32-1": "frame-huge-length",
        "deep nesting": "frame-deep-nesting",
        "duplicate keys": "frame-duplicate-keys",
        "junk": "frame-junk",
        "huge ints": "frame-huge-integer",
        "NaN": "frame-nan",
        "wrong types": "frame-wrong-type",
        "stale replies": "answer-stale",
        "double replies": "answer-double",
        "replies for foreign games": "answer-foreign-game",
        "ping floods": "pace-ping-flood",
        "byte-at-a-time writes": "pace-byte-by-byte",
        "never reading": "pace-never-reads",
        "crash at turn k": "pace-crash",
        "illegal at turn k": "answer-illegal-always",
        "answer at deadline -1": "deadline-minus-1",
        "answer at deadline 0": "deadline-0",
        "answer at deadline +1": "deadline-plus-1",
        "crashes": "program-crash",
        "ends before it connects": "program-exits-at-once",
        "never logs in": "program-never-logs-in",
        "starts 200 children": "program-200-children",
        "takes 2 GiB": "program-2-GiB",
        "holds memory that is mapped nowhere": "program-200-MiB-mapped-nowhere",
        "burns in 40 sessions while its opponent thinks": "program-40-burning-children",
        "writes output without end": "program-endless-output",
        "writes a file without end": "program-endless-file",
        "uses the processor without end": "program-endless-thinking",
        "ignores SIGTERM": "program-ignores-SIGTERM",
        "leaves a daemon": "program-daemon",
        "fills the arena with connections": "program-fills-the-hall",
        "lists and reads what it finds": "program-looks-around",
    }
    assert set(wanted.values()) <= BY_NAME.keys()
    assert len(BY_NAME) == len(CASES)
    assert all(re.fullmatch(r"[a-z]+(-[0-9A-Za-z]+)+", name) for name in BY_NAME)
    assert all(case.what and not case.what.endswith(".") for case in CASES)


def test_one_case_of_each_kind_has_its_verdict() -> None:
    """At the door, at the table and at the deadline to the millisecond."""
    results = trio.run(run_cases, [BY_NAME[name] for name in QUICK])
    assert [(one.case.name, one.found.verdict) for one in results] == [(name, BY_NAME[name].expected) for name in QUICK]


@pytest.mark.slow
def test_every_other_fault_has_its_verdict() -> None:
    """Word for word; all run together, since most of the time they wait."""
    others = [case for case in CASES if case.name not in QUICK]
    results = trio.run(run_cases, others)
    assert {one.case.name: one.found.verdict for one in results} == {case.name: case.expected for case in others}


@pytest.mark.slow
def test_hundreds_of_matches_with_twenty_misbehaving_bots_leave_every_honest_result_intact() -> None:
    """200 at once; no honest bot is blamed, no game among honest bots is forfeited, and all records verify."""
    found = trio.run(play_crowd)
    assert found.problems == ()
    assert found.at_once == AT_ONCE
    assert found.honest == HONEST * (HONEST - 1) // 2
