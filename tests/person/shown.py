"""What a person at a seat is shown, as a value that can be compared."""

from typing import Any

import msgspec
from msgspec.structs import replace

from arena.pages.by_hand.hand_state import table_of
from arena.person.sitting import Sitting


def shown(sitting: Sitting) -> Any:
    """Return what a page and a terminal are told; the time that is left is another a moment later."""
    table = table_of(sitting)
    assert table is not None, "a game has begun"
    clocks = replace(table.clocks, mine_ms=0, theirs_ms=0, delay_ms=0)
    untimed = replace(table, left_ms=0, clocks=clocks)
    return msgspec.json.decode(msgspec.json.encode([untimed, sitting.story]))
