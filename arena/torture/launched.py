"""Programs the arena launches itself: they can harm the machine, not only the match."""

from __future__ import annotations

from arena.torture.case import Case
from arena.torture.own_arena import SHORT_CLOCK
from arena.torture.stages import launched

CASES = (
    Case(
        name="program-200-children",
        what="starts 200 children and plays on",
        expected="forfeit: disconnect, its program was ended: more than 64 processes",
        play=launched("children"),
    ),
    Case(
        name="program-2-GiB",
        what="takes 2 GiB and plays on",
        expected="forfeit: disconnect, its program was ended: more than 1024 MiB of memory",
        play=launched("memory"),
    ),
    Case(
        name="program-endless-output",
        what="writes output without end",
        expected="forfeit: time",
        play=launched("output", clock=SHORT_CLOCK),
    ),
    Case(
        name="program-ignores-SIGTERM",
        what="ignores SIGTERM, leaves a child that does so too",
        expected="played on",
        play=launched("stays"),
    ),
    Case(
        name="program-looks-around",
        what="looks for records, keys and tokens on the whole machine, and leaves if it can read one",
        expected="played on",
        play=launched("looks", needs_sandbox=True),
    ),
    Case(
        name="program-fills-the-hall",
        what="opens hundreds of connections, from many sessions of processes, before its opponent has come",
        expected="played on",
        play=launched("crowd", against="late"),
    ),
)
