"""The phases of a match at a seat: each is a value with only the things that exist in it."""

from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

from arena.person.continuations import Choices, Moves
from arena.words import Said
from protocol.client import CallView, MatchEnd, TurnView
from protocol.messages import Break

Phase = Literal["arriving", "call", "turn", "waiting", "break", "ready", "over", "left"]
"""The names of the phases."""

Position: TypeAlias = Any
"""A position of the game that is played: each game has a type of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arriving:
    """The opponent is coming."""

    name: ClassVar[Phase] = "arriving"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calling:
    """The person may call for a number of dice (B11.3)."""

    name: ClassVar[Phase] = "call"
    view: CallView
    """The question, as the kit gave it."""
    start: Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Turning:
    """The person puts a turn together."""

    name: ClassVar[Phase] = "turn"
    view: TurnView
    """The question, as the kit gave it."""
    start: Position
    """The position before the turn; the roll itself may have changed it (B11.1, B11.3)."""
    choices: Choices
    moves: Moves = ()
    """The moves so far."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The opponent plays, or the arena has the word."""

    name: ClassVar[Phase] = "waiting"
    answered: Calling | Turning | None = None
    """The last question of the game, which the person has answered; None before the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resting:
    """There is a break between two games."""

    name: ClassVar[Phase] = "break"
    pause: Break


@dataclass(frozen=True, slots=True, kw_only=True)
class Ready:
    """The person has ended the break, and waits for the opponent."""

    name: ClassVar[Phase] = "ready"
    pause: Break


@dataclass(frozen=True, slots=True, kw_only=True)
class Over:
    """The match is over."""

    name: ClassVar[Phase] = "over"
    end: MatchEnd


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """The seat was left."""

    name: ClassVar[Phase] = "left"
    reason: Said | None
    """None after a goodbye."""


AnyPhase: TypeAlias = Arriving | Calling | Turning | Waiting | Resting | Ready | Over | Left
