"""A game from another package: the side that takes the last counter of a heap has won.

It imports `arena.games` and nothing else of the arena, and is found by the entry point in the
metadata beside it.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from arena.games import (
    Dice,
    DrawnLine,
    Ending,
    Family,
    GameError,
    Illegal,
    Legal,
    LegalTurn,
    Span,
    Turn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """A heap, and how many counters may be taken at once."""

    name: str
    family: Literal["nim"] = "nim"
    heap: int = 21
    most: int = 3
    points: int = 1


class Turns:
    """Take one counter, or two, and so on."""

    def __init__(self, rules: Ruleset, heap: int) -> None:
        self.rules, self.heap = rules, heap

    def __len__(self) -> int:
        return min(self.rules.most, self.heap)

    def moves(self, index: int, /) -> list[list[Any]]:
        return [["take", range(1, len(self) + 1)[index]]]

    def __getitem__(self, index: int, /) -> LegalTurn[int]:
        moves = self.moves(index)
        left = self.heap - moves[0][1]
        return LegalTurn(moves, left, ending(self.rules, left))

    def __iter__(self) -> Iterator[LegalTurn[int]]:
        return map(self.__getitem__, range(len(self)))


def ending(rules: Ruleset, heap: int) -> Ending | None:
    """Who took the last one has won."""
    return None if heap else Ending(name="last_counter", points=rules.points, clause="N2")


class NimGame:
    """Nim with one heap (a `Game` of `int`, the counters left)."""

    opening: Literal["alternate"] = "alternate"
    agreement = None
    is_ranked = False
    colours = None

    def __init__(self, rules: Ruleset) -> None:
        if not rules.heap or not rules.most:
            raise GameError([f"heap = {rules.heap} and most = {rules.most}; expected 1 or more"])
        self.rules = rules

    @property
    def name(self) -> str:
        return self.rules.name

    @property
    def ruleset(self) -> dict[str, Any]:
        return asdict(self.rules)

    @property
    def points_forfeit(self) -> int:
        return self.rules.points

    def start(self) -> int:
        return self.rules.heap

    def dice_to_roll(self, position: int) -> int:
        return 0

    def dice_to_call(self, position: int) -> tuple[int, ...]:
        return ()

    def legal_turns(self, position: int, dice: Dice = ()) -> Turns:
        return Turns(self.rules, position)

    def judge(self, position: int, dice: Dice, moves: Turn) -> Legal[int] | Illegal:
        for turn in Turns(self.rules, position):
            if [
                list(move) if isinstance(move, list | tuple) else move for move in moves
            ] == turn.moves:
                return Legal(turn.position, turn.ending)
        return self.unreadable(position, dice, moves)

    def unreadable(self, position: int, dice: Dice, given: object) -> Illegal:
        legal = Turns(self.rules, position)
        values = {
            "text": f"{given!r} is no turn",
            "legal": f"take 1 to {len(legal)}, as in {legal.moves(0)}",
        }
        return Illegal(code="bad_take", clause="N1", values=values, legal_turns=len(legal))

    def flip(self, position: int) -> int:
        return position

    def to_plain(self, position: int) -> dict[str, Any]:
        return {"heap": position}

    def from_plain(self, plain: object) -> int:
        if (
            not isinstance(plain, dict)
            or [*plain] != ["heap"]
            or type(plain["heap"]) is not int
            or plain["heap"] < 0
        ):
            raise GameError([f'expected {{"heap": number}}, found {plain!r}'])
        return int(plain["heap"])

    def parse_position(self, text: str) -> int:
        if not text.isdecimal():
            raise GameError([f"expected a number of counters, found {text!r}"])
        return int(text)

    def format_position(self, position: int) -> str:
        return str(position)

    def format_turn(
        self, moves: Turn, position: int | None = None, ending: Ending | None = None
    ) -> str:
        return f"takes {moves[0][1]}" + (f", {ending.name.replace('_', ' ')}" if ending else "")

    def count_hits(self, position: int, moves: Turn) -> tuple[int, int]:
        return 0, 0

    def parse_turn(
        self, text: str, position: int | None = None, dice: Dice | None = None
    ) -> list[list[Any]]:
        return [["take", int(text.removeprefix("takes ").partition(",")[0])]]

    def draw(self, position: int) -> str:
        return "o" * position or "-"

    def picture(
        self, position: int, *, before: int | None = None, dice: Dice = (), is_mine: bool = True
    ) -> list[DrawnLine]:
        taken = 0 if before is None else before - position
        return [
            [Span(self.draw(position)), *([Span(f"({'-' * taken})", "moved")] if taken else [])]
        ]


FAMILY = Family(
    name="nim",
    ruleset=Ruleset,
    game=NimGame,
    rulesets={"nim": Ruleset(name="nim")},
    options={"nim": {"long": {"heap": 100, "most": 10}}},
)
