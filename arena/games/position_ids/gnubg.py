"""IDs of GNU Backgammon: a position ID, alone or as `POSITION:MATCH` with the dice and the terms.

Its manual describes both: "A technical description of the Position ID", "... of the Match ID". The
last field of a match ID is newer than the manual.
"""

import re
from base64 import b64decode, b64encode
from typing import Final

from arena.games.position_ids.written import Written, damaged, no_turn, unplayed
from arena.games.tables.board import CHECKERS

NAME: Final = "GNU Backgammon ID"
_ID: Final = re.compile(r"([A-Za-z0-9+/]{14})(?::([A-Za-z0-9+/]{12}))?")
_FIELDS: Final = {
    "cube": (0, 4),  # its logarithm
    "on_roll": (6, 1),
    "crawford": (7, 1),
    "state": (8, 3),  # 1 while a game is played, more after it
    "offered": (12, 3),  # a double or a resignation
    "first_die": (15, 3),
    "second_die": (18, 3),
    "match_points": (21, 15),
    "score_0": (36, 15),
    "score_1": (51, 15),
    "no_jacoby": (66, 1),
}
"""The first bit of each field of a match ID, and its bits."""
_BEFORE_ROLL: Final = "cAkAAAAAAAAE"
"""The match ID of an unlimited match without a cube, the second player on roll."""


def parse_id(text: str) -> Written:
    """Read an ID. Raises `GameError`."""
    match = _ID.fullmatch(text)
    if match is None:
        raise damaged(NAME, text, "4HPwATDgc/ABMA:cIkFAAAAAAAE")
    position, terms = match.groups()
    written = _parse_position(position)
    if terms is None:
        return written
    bits = _decode(terms)
    fields = {}
    for name, (first, width) in _FIELDS.items():
        fields[name] = bits >> first & 2**width - 1
    if fields["offered"] or fields["state"] > 1:
        raise no_turn(NAME)
    score = [fields["score_0"], fields["score_1"]]
    if fields["on_roll"]:
        score.reverse()
    match_points = fields["match_points"]
    rules = []
    if fields["crawford"]:
        rules.append("Crawford")
    if not match_points and not fields["no_jacoby"]:
        rules.append("Jacoby")
    return written._replace(
        dice=(fields["first_die"], fields["second_die"]),
        match_points=match_points,
        left_out=unplayed(2 ** fields["cube"], match_points, score, rules),
    )


def _parse_position(text: str) -> Written:
    bits = _decode(text)
    counts = [0] * 26
    for place in range(50):
        count = (~bits & bits + 1).bit_length() - 1  # ones before the first zero
        bits >>= count + 1
        if place < 25:
            counts[24 - place] -= count
        else:
            counts[place - 24] += count
    written = Written(counts=counts, dice=(0, 0))
    if max(map(abs, counts)) > CHECKERS or format_position_id(written) != text:
        raise damaged(NAME, text, "4HPwATDgc/ABMA")
    return written


def format_id(written: Written) -> str:
    """Write position ID and match ID; the player on roll is the second of the match."""
    first_die, second_die = written.dice
    bits = _decode(_BEFORE_ROLL) | first_die << 15 | second_die << 18 | written.match_points << 21
    return f"{format_position_id(written)}:{_encode(bits, 9)}"


def format_position_id(written: Written) -> str:
    """Write the position ID alone.

    The opponent's checkers come first. Each side is read from its own first point to its bar, with
    a one for each checker and a zero after each point, the lowest bit first.
    """
    bits = 0
    shift = 0
    mine = [max(0, count) for count in written.counts[1:]]
    theirs = [max(0, -count) for count in written.counts[24::-1]]
    for count in (*theirs, *mine):
        bits |= (2**count - 1) << shift
        shift += count + 1
    return _encode(bits, 10)


def _decode(text: str) -> int:
    return int.from_bytes(b64decode(text + "=="), "little")


def _encode(bits: int, size: int) -> str:
    return b64encode(bits.to_bytes(size, "little")).decode().rstrip("=")
