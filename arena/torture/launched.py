"""Programs that the arena launches itself: they can harm the machine, not only the match."""

from __future__ import annotations

from typing import Any

from arena.torture.case import Case
from arena.torture.own_arena import SHORT_CLOCK, TIGHT_CLOCK
from arena.torture.stages import launched

ENDED = "forfeit: disconnect, its program was ended: more than {}"
HUNG_UP = "forfeit: disconnect, it hung up"


def _case(name: str, what: str, expected: str, fault: str, **plan: Any) -> Case:
    return Case(name=f"program-{name}", what=what, expected=expected, play=launched(fault, **plan))


def _both_ways(name: str, what: str, expected: str, fault: str, **plan: Any) -> tuple[Case, Case]:
    """In the sandbox, if there is one, and without: the arena finds a program's processes differently in each."""
    return (
        _case(name, what, expected, fault, **plan),
        _case(f"{name}-unconfined", f"{what}, without a sandbox", expected, fault, is_confined=False, **plan),
    )


CASES = (
    _case("crash", "ends with an exit status at its third turn", HUNG_UP, "crash"),
    _case(
        "exits-at-once", "ends before it connects", "forfeit: no_show, its program ended with exit status 3", "exits"
    ),
    _case("never-logs-in", "connects and never logs in", "forfeit: no_show", "stranger", limits={"startup_ms": 3000}),
    _case("reveals-otherwise", "reveals other entropy than it has committed to", "forfeit: no_reveal", "otherwise"),
    _case(
        "reveals-nothing",
        "commits to entropy and never reveals it",
        "forfeit: no_reveal",
        "secretive",
        limits={"startup_ms": 3000},
    ),
    *_both_ways("200-children", "starts 200 children and plays on", ENDED.format("64 processes"), "children"),
    *_both_ways("2-GiB", "takes 2 GiB and plays on", ENDED.format("1024 MiB of memory"), "memory"),
    *_both_ways(
        "200-MiB-mapped-nowhere",
        "holds 200 MiB in memory that is mapped nowhere, and plays on",
        ENDED.format("128 MiB of memory"),
        "memfds",
        limits={"memory_mib": 128},
    ),
    *_both_ways(
        "endless-thinking",
        "thinks without end, in a child",
        ENDED.format("1000 ms of CPU time"),
        "thinking",
        limits={"cpu_ms": 1000},
    ),
    *_both_ways(
        "40-burning-children",
        "leaves 40 children, each in a session of its own, that use the processor without end, and plays on",
        "played on",
        "burners",
        against="steady",
        clock=TIGHT_CLOCK,
    ),
    *_both_ways("endless-file", "writes a file without end", HUNG_UP, "file", limits={"file_mib": 8}),
    _case("endless-output", "writes output without end", "forfeit: time", "output", clock=SHORT_CLOCK),
    _case("10-MB-of-output", "writes 10 MB to both its streams and plays on", "played on", "chatter"),
    *_both_ways("ignores-SIGTERM", "ignores SIGTERM, leaves a child that does so too", "played on", "stays"),
    *_both_ways("daemon", "leaves a daemon that ignores signals, and plays on", "played on", "daemon"),
    Case(
        name="program-looks-around",
        what="looks for records, keys and tokens on the whole machine, and leaves if it can read one",
        expected="played on",
        play=launched("looks", needs_sandbox=True),
    ),
    *_both_ways(
        "fills-the-hall",
        "opens hundreds of connections, from many sessions of processes, before its opponent has come",
        "played on",
        "crowd",
        against="late",
    ),
)
