"""Turns of a tables game read from text, as the arena, other programs and people write them.

`1/7* 12/15(2)` is the arena's own form (`notation.py`). Also read are `bar` and `off` in either
case or as numbers (in Bräde 0 and 25, in backgammon 25 and 0), hyphens, commas between moves, the
moves of one checker in a chain (`24/18*/13`), bare numbers in pairs (`8 5 6 5`), and words for a
pass. With the position and the dice, moves that leave out where a checker lands on its way
(`24/13`) are spelt out. What can be read in several ways is refused, with the readings.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from arena.games.interface import Dice, Ending, Game, GameError, Legal, LegalTurn, Turn
from arena.games.tables.board import BAR, OFF, Facing
from arena.games.tables.notation import ENDINGS, format_moves
from arena.games.tables.position import Position
from arena.words import Said

Moves: TypeAlias = list[tuple[int, int]]

PASSES: Final = frozenset(
    {
        *("pass", "passes", "none", "no move", "no moves", "no legal move", "no legal moves"),
        *("cannot move", "can not move", "can't move", "dance", "dances", "fan", "fans"),
    }
)
"""What programs write when no die can be used."""

_BETWEEN_MOVES: Final = re.compile(r"[\s,;]+")
_BETWEEN_PLACES: Final = re.compile(r"/|->|-|\u2013")
"""The last is a dash, as programs for people put it in place of a hyphen."""
_REPEATED: Final = re.compile(r"(.+?)(?:\(([2-6])\)\*{0,2})?")
_NUMBER: Final = re.compile(r"[0-9]|[1-9][0-9]")
"""Of ASCII digits alone."""
_LONGEST_CHAIN: Final = 5
"""Places that one checker can touch in a turn: its own, and one for each move of doubles."""
_SHOWN_READINGS: Final = 4


def readings_of(text: str, facing: Facing) -> list[Moves]:
    """Return every way in which a text can be read without a position; mostly there is one.

    Marks of hits and the ending follow from the position, so they are read and left out. Raises
    `GameError` naming every word that is no move.
    """
    written = _without_ending(text).strip().lower()
    words = [word for word in _BETWEEN_MOVES.split(written) if word]
    if " ".join(words).replace("\u2019", "'") in PASSES:
        return [[]]
    if not words:
        raise GameError([Said("parse.nothing")])
    if not any(_BETWEEN_PLACES.search(word) for word in words):
        return _of_bare_places(words, text, facing)
    moves: Moves = []
    wrong: list[str] = []
    for word in words:
        of_word = _of_word(word, facing)
        moves += of_word
        if not of_word:
            wrong.append(word)
    if wrong:
        raise GameError([Said("parse.tables", {"word": repr(word)}) for word in wrong])
    return [moves]


def parse_moves(text: str, facing: Facing = "same_way") -> Moves:
    """Return the moves of a text that can be read in one way alone. Raises `GameError`."""
    readings = readings_of(text, facing)
    if len(readings) > 1:
        raise _ambiguous(text, [format_moves(moves, facing) for moves in readings])
    [moves] = readings
    return moves


def meant_turn(
    game: Game[Position], position: Position, dice: Dice, text: str, facing: Facing
) -> Moves:
    """Return the legal turn that a text means at a position; if none, its moves as written.

    Raises `GameError`: a word is no move, or several turns can be meant.
    """
    readings = readings_of(text, facing)
    turns: dict[tuple[Position, Ending | None], Moves] = {}
    for moves in readings:
        verdict = game.judge(position, dice, moves)
        if isinstance(verdict, Legal):
            turns.setdefault((verdict.position, verdict.ending), moves)
            continue
        for turn in _spelt_out(game, position, dice, moves):
            spelt = [(int(start), int(end)) for start, end in turn.moves]
            turns.setdefault((turn.position, turn.ending), spelt)
    if not turns:
        return parse_moves(text, facing)
    meant = list(turns.values())
    if len(meant) > 1:
        raise _ambiguous(text, [game.format_turn(moves, position) for moves in meant])
    return meant[0]


def _spelt_out(
    game: Game[Position], position: Position, dice: Dice, moves: Moves
) -> list[LegalTurn[Position]]:
    """Return the legal turns that move the same checkers as these moves.

    By convention a place where a checker hits is written. So turns that hit where these moves end,
    and nowhere else, come before others.
    """
    shift = _shift(moves)
    theirs = position.blots | position.closed
    hits = _hits(moves, theirs)
    same: list[LegalTurn[Position]] = []
    as_written: list[LegalTurn[Position]] = []
    for turn in game.legal_turns(position, dice):
        if _shift(turn.moves) == shift:
            same.append(turn)
            if _hits(turn.moves, theirs) == hits:
                as_written.append(turn)
    return as_written or same


def _shift(moves: Turn) -> dict[object, int]:
    """Return by how many checkers the moves change each place."""
    change: Counter[object] = Counter()
    for start, end in moves:
        change[start] -= 1
        change[end] += 1
    return {place: number for place, number in change.items() if number}


def _hits(moves: Turn, theirs: int) -> set[int]:
    """Return the points of the opponent on which the moves land."""
    hits = set()
    for _, end in moves:
        point = int(end)
        if theirs >> point & 1:
            hits.add(point)
    return hits


def _ambiguous(text: str, readings: Iterable[str]) -> GameError:
    shown = "; ".join(list(readings)[:_SHOWN_READINGS])
    return GameError([Said("parse.ambiguous", {"text": repr(text.strip()), "readings": shown})])


def _without_ending(text: str) -> str:
    """Return a text without the ending behind its last comma. Raises `GameError`: it is none."""
    moves, comma, ending = text.rpartition(",")
    name = ending.strip()
    if not comma or not name:
        return text
    if name in ENDINGS:
        return moves
    is_words = all(word.isalpha() for word in name.split()) and name.lower() not in ("bar", "off")
    if is_words:
        raise GameError([Said("parse.ending", {"ending": repr(name), "names": ", ".join(ENDINGS)})])
    return text


def _of_word(word: str, facing: Facing) -> Moves:
    """Return the moves of one word, such as `8/5*(2)` or `24/18*/13`; empty if it is none."""
    parts = _REPEATED.fullmatch(word)
    if parts is None:
        return []
    first, *others = _BETWEEN_PLACES.split(parts[1])
    places = [first, *map(_without_mark, others)]
    slots = [_slot(place, facing) for place in places]
    times = int(parts[2] or 1)
    return _chain(slots) * times


def _without_mark(place: str) -> str:
    return place.removesuffix("*").removesuffix("*")


def _slot(place: str, facing: Facing) -> int | None:
    """Return the slot of a place by its name or number; None if there is no such place."""
    if place == "bar":
        return BAR
    if place == "off":
        return OFF
    if not _NUMBER.fullmatch(place) or int(place) > OFF:
        return None
    number = int(place)
    return number if facing == "same_way" else OFF - number


def _chain(slots: Sequence[int | None]) -> Moves:
    """Return the moves of one checker from place to place; empty if one is impossible."""
    moves: Moves = []
    for start, end in pairwise(slots):
        if start is None or end is None or start == OFF or end == BAR:
            return []
        moves.append((start, end))
    return moves


def _of_bare_places(words: Sequence[str], text: str, facing: Facing) -> list[Moves]:
    """Return the readings of places with blanks alone between them: pairs, or one checker's way."""
    slots = [_slot(_without_mark(word), facing) for word in words]
    readings = []
    pairs = _pairs(slots)
    if pairs:
        readings.append(pairs)
    if 2 < len(slots) <= _LONGEST_CHAIN:
        chain = _chain(slots)
        if chain and _could_be_rolled(chain):
            readings.append(chain)
    if not readings:
        raise GameError([Said("parse.tables", {"word": repr(text.strip())})])
    return readings


def _pairs(slots: Sequence[int | None]) -> Moves:
    """Return the moves that the places give two by two; empty if one of them is no move."""
    if len(slots) % 2:
        return []
    moves: Moves = []
    for index in range(0, len(slots), 2):
        move = _chain(slots[index : index + 2])
        if not move:
            return []
        moves += move
    return moves


def _could_be_rolled(chain: Moves) -> bool:
    """Return whether one checker can make these moves: forward, three or four only with doubles."""
    steps_on_board = set()
    for start, end in chain:
        step = end - start
        if not 1 <= step <= 6:
            return False
        if end != OFF:
            steps_on_board.add(step)
    return len(chain) <= 2 or len(steps_on_board) <= 1
