"""Says what the search would play in a position, so that `arena play` can show it to a person.

Reads JSON, `{"ruleset": {...}, "position": {...}}`, both as they come over the wire. Writes a list
of moves, the best first, each with its value in hundredths of a white warrior and with what is
sure: `["d1", "c1"], -35, ""`, or `wins` or `loses`.
"""

import json
import sys
from collections.abc import Mapping
from typing import Any

from board import Board, named, read
from search import SURE, Search

PLIES = 4  # a quarter of a second, and the same hints every time
SLACK = 100  # hundredths of a white warrior that a move may be worse than the best to be named


def hints(
    ruleset: Mapping[str, Any], position: Mapping[str, Any]
) -> list[tuple[list[str], int, str]]:
    """The moves that are hardly worse than the best, the best first."""
    found = Search(Board(ruleset)).best(read(position), depth=PLIES, slack=SLACK)
    best = sorted(found.near.items(), key=lambda item: -item[1])
    return [
        (named(move), worth, "wins" if worth > SURE else "loses" if worth < -SURE else "")
        for move, worth in best
    ]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    json.dump(hints(asked["ruleset"], asked["position"]), sys.stdout)
