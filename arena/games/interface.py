"""The interface of games: the Protocol of every game, and the values that rules return."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, NamedTuple, Protocol, TypeVar

from arena.words import DEFAULT, ProblemsError, Said, say

Move = Sequence[int | str]
"""One move: [from, to]. Tables games use 0 for the bar and 25 for off; Brandubh names squares."""

Turn = Sequence[Move]
"""All moves of one roll in the order played; a pass is empty."""

Dice = tuple[int, ...]
"""The numbers of one roll; empty for a game without dice."""

Opening = Literal["lower_starts", "higher_starts", "alternate"]
"""Who begins: decided by a throw of one die each (B2.1, G2), or seat 1 first and then alternating
(T1)."""

Style = Literal["", "first", "second", "moving", "moved", "quiet"]
"""What a part of a drawing is: a checker of either side, numbers of the side that moves, what has
just changed."""


class Span(NamedTuple):
    """A part of a line of a drawing.

    What the style says can be seen in the text as well; it is for colours.
    """

    text: str | Said
    style: Style = ""


DrawnLine = list[Span]
"""One line of a drawing."""


def text_of(lines: Sequence[DrawnLine], language: str = DEFAULT) -> str:
    """Return a drawing without its styles."""
    texts = []
    for line in lines:
        text = "".join(say(span.text, language) for span in line)
        texts.append(text.rstrip())
    return "\n".join(texts)


P = TypeVar("P")
P_co = TypeVar("P_co", covariant=True)


class GameError(ProblemsError, ValueError):
    """The caller gave something that is no position, ruleset or roll; lists every problem."""


class OptionError(GameError):
    """The caller gave an option that the ruleset does not take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Ending of a game over the board.

    The side that played the last turn has won, unless the game is drawn.
    """

    name: str
    """A name of B10 such as `jan`, `gammon` or `backgammon` (G6), one of T8 and T9, or one of
    another game."""
    points: int
    """The winner's points, the monk included."""
    clause: str
    """The clause that ends the game."""
    monk: bool = False
    """B10.1: the loser had a checker on the bar (handsome and bearing-off wins only)."""
    rank: int | None = None
    """B10's rank for tie-breaks, 1 is best; None if the ruleset has no ranks."""
    is_drawn: bool = False
    """True if neither side has won (T9)."""


class Legal(NamedTuple, Generic[P]):
    """The verdict on a legal turn; a named tuple, because one is made every turn."""

    position: P
    """The position after the turn, still from the view of the side that played it."""
    ending: Ending | None
    """Set when the turn ended the game."""


class Verdict:
    """The words of a verdict on an illegal turn, for what holds its code and values."""

    __slots__ = ()
    code: str
    values: Mapping[str, Any]

    @property
    def said(self) -> Said:
        """The fault of the turn and what would have been legal, to be said."""
        return verdict_said(self.code, self.values)

    @property
    def message(self) -> str:
        """The same in English."""
        return f"{say(self.said)}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Illegal(Verdict):
    """The verdict on an illegal turn: what was wrong, and what would have been legal."""

    code: str
    """A stable short word; docs/rulesets.md lists them."""
    clause: str
    """The clause of the rule book that forbids it."""
    values: Mapping[str, Any]
    """The values of its sentence; `legal` says what would have been legal (`Said`)."""
    legal_turns: int
    """How many distinct results the roll has."""


class Breach(NamedTuple):
    """Breach of a rule by a turn."""

    code: str
    clause: str
    values: Mapping[str, Any] = {}


def cut_short(written: object) -> str:
    """Return anything as Python writes it, at most 60 characters of it."""
    try:
        text = repr(written)
    except ValueError:  # Python does not print numbers of more than 4,300 digits
        return "a number of thousands of digits"
    if len(text) <= 60:
        return text
    return text[:57] + "..."


def verdict_said(code: str, values: Mapping[str, Any]) -> Said:
    """Return what a verdict says: what was wrong (`wrong_said`), and what would have been legal."""
    return Said("verdict.illegal", {"wrong": wrong_said(code, values), "legal": values["legal"]})


def wrong_said(code: str, values: Mapping[str, Any]) -> Said:
    """Return what a verdict says of the turn alone."""
    return Said(f"illegal.{code}", values)


@dataclass(frozen=True, slots=True)
class LegalTurn(Generic[P_co]):
    """One distinct result of a roll, with one way to play it."""

    moves: Turn
    position: P_co
    """The position after the turn, from the view of the side that played it."""
    ending: Ending | None


class LegalTurns(Protocol[P_co]):
    """All distinct results of a roll; moves and positions are computed on demand."""

    __slots__ = ()

    def __len__(self) -> int:
        """Return the number of distinct results; a forced pass is one."""

    def __getitem__(self, index: int, /) -> LegalTurn[P_co]:
        """Return one result, whole."""

    def __iter__(self) -> Iterator[LegalTurn[P_co]]:
        """Iterate over all results, whole."""
        return map(self.__getitem__, range(len(self)))

    def moves(self, index: int, /) -> list[list[Any]]:
        """Return one way to play a result, in the form of the wire: `[[from, to], ...]`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Games that one engine plays under rulesets with the same fields.

    An entry point of `arena.games` provides one. A ruleset is a frozen dataclass with a field
    `name`, a field `family` that defaults to the family's name, and fields of the types bool, int,
    str, a Literal of words, tuples of these, or one of them or None.
    """

    name: str
    """Its name: the `family` of its rulesets, and the name of the entry point."""
    ruleset: type[Any]
    """The class of its rulesets."""
    game: "Callable[[Any], Game[Any]]"
    """Makes a game under one ruleset; raises `GameError` if the fields contradict each other."""
    rulesets: Mapping[str, Any]
    """The rulesets known by name."""
    options: Mapping[str, Mapping[str, Mapping[str, object]]] = field(default_factory=dict)
    """Ruleset to option to the fields it changes."""


class Game(Protocol[P]):
    """The rules of one game under one ruleset; a position is always seen from the side to move."""

    @property
    def name(self) -> str:
        """The ruleset's name."""

    @property
    def ruleset(self) -> Mapping[str, Any]:
        """The whole ruleset as plain data: every field by name."""

    @property
    def opening(self) -> Opening:
        """Rule for who begins a match and its later games (B2.1, G2, T1)."""

    @property
    def agreement(self) -> str | None:
        """The clause that allows accepting an offered draw instead of the next turn (T9).

        None if there is none.
        """

    @property
    def points_forfeit(self) -> int:
        """Points that a forfeited game pays (B10.2)."""

    @property
    def is_ranked(self) -> bool:
        """True if every winning ending has a rank in B10, so that M2 can compare won games."""

    @property
    def colours(self) -> tuple[str, str] | None:
        """The names of the side that begins and of the other (T); None if the two play alike."""

    def start(self) -> P:
        """Return the position before the first turn."""

    def dice_to_roll(self, position: P) -> int:
        """Return how many dice the side to move rolls if it does not call.

        They are 2, or 1 (B11.3), or 0 in a game without dice.
        """

    def dice_to_call(self, position: P) -> tuple[int, ...]:
        """Return the numbers of dice that the side to move may call for before it rolls (B11.3).

        Empty if it has no choice.
        """

    def legal_turns(self, position: P, dice: Dice) -> LegalTurns[P]:
        """Return every distinct result of the roll."""

    def judge(self, position: P, dice: Dice, moves: Turn) -> Legal[P] | Illegal:
        """Judge whether this list of moves, in this order, is a legal turn."""

    def unreadable(self, position: P, dice: Dice, turn: object) -> Illegal:
        """Return the verdict on something that does not have the form of this game's moves.

        `judge` returns the same.
        """

    def flip(self, position: P) -> P:
        """Return the same position from the other side's view."""

    def to_plain(self, position: P) -> dict[str, Any]:
        """Return the position in the form of the wire and of records (docs/protocol.md)."""

    def from_plain(self, plain: object) -> P:
        """Return the position that `to_plain` wrote; raises `GameError` with every problem."""

    def parse_position(self, text: str) -> P:
        """Read a position from its literal, one line for people and tests.

        Raises `GameError` with every problem.
        """

    def format_position(self, position: P) -> str:
        """Write the literal that `parse_position` reads."""

    def format_turn(
        self, moves: Turn, position: P | None = None, ending: Ending | None = None
    ) -> str:
        """Write a legal turn for a person, in one line: `1/7 12/15(2)`, `d1-c1`.

        With the position before it, it marks what is hit, struck or captured: `1/7* bar/5**`,
        `d1-c1xc2`. With the ending that it brings about, it names it: `bar/5**, forced jan`.
        """

    def count_hits(self, position: P, moves: Turn) -> tuple[int, int]:
        """Count the moves of a legal turn that hit, and those that strike.

        In Brandubh these are the pieces that it captures, and 0.
        """

    def parse_turn(self, text: str, position: P | None = None, dice: Dice | None = None) -> Turn:
        """Read a turn in the forms that `format_turn`, people and other programs write.

        With the position and the dice it returns the legal turn that is meant, where a text leaves
        something out; if none is meant, what is written. Raises `GameError`: names each wrong word,
        or the readings of an ambiguous text.
        """

    def draw(self, position: P) -> str:
        """Draw the board for a person as text, some lines from the view of the side to move."""

    def picture(
        self, position: P, *, before: P | None = None, dice: Dice = (), is_mine: bool = True
    ) -> Sequence[DrawnLine]:
        """Return the lines of `draw` with styles, at most 76 characters long.

        It is drawn from the side whose view the position is. `before` is the position before the
        last turn, from the same side: what has changed since is marked. `dice` are drawn beside the
        board. `is_mine` says whether that side moves, or has just moved; else it is the other.
        """
