"""An examination: positions with known losses of all turns, and the error rate of a bot in them.

The loss of a turn is the value of the best turn minus its own. Phases are strata: each has as many
positions as its error needs, and counts as often as it comes up in games.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, variance
from typing import Annotated, Any, Final, Literal, NamedTuple, get_args

import msgspec
from msgspec import Meta

from arena.analysis import headed_files as headed
from arena.analysis.headed_files import SHIPPED, EvaluatorError, Kind, Name, Sha256
from arena.games import Game, GameError, load_game
from arena.games.interface import LegalTurns

SUFFIX: Final = ".positions"
WORST: Final = 100_000
"""Thousandths of a point; no game pays more."""
NO_HASH: Final = "0" * 64
"""Placeholder for the hash of a file while the hash is computed."""

TablesPhase = Literal[
    "opening", "contact", "crashed", "race", "bearing off", "handsome near", "jan near"
]
"""Subject of a position of a tables game; `arena.lab.playing_out` says how it is chosen."""
TaflPhase = Literal["win at once", "win", "threat", "trap"]
"""Subject of a position of Brandubh; `arena.lab.proving` says how it is chosen."""
ExamPhase = Literal[TablesPhase, TaflPhase]
PHASES: Final[tuple[ExamPhase, ...]] = get_args(ExamPhase)

Die = Annotated[int, Meta(ge=1, le=6)]
Roll = Annotated[tuple[Die, ...], Meta(max_length=2)]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Share = Annotated[float, Meta(ge=0, le=1)]
Thousandths = Annotated[float, Meta(ge=0, le=WORST)]
Moved = Annotated[tuple[tuple[int | str, int | str], ...], Meta(max_length=6)]


class ExamPosition(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    array_like=True,
    forbid_unknown_fields=True,
):
    """A decision, and the loss of each of its turns."""

    position: Annotated[str, Meta(max_length=400)]
    """The position before the turn as its literal."""
    dice: Roll
    """Empty for a game without dice."""
    turn: Annotated[int, Meta(ge=1, le=2**31)]
    """The number of the turn in its game."""
    last: tuple[Roll, Moved] | None
    """The opponent's last roll and turn, in its own numbering."""
    phase: ExamPhase
    value: Annotated[float, Meta(ge=-WORST, le=WORST)]
    """The expected points of the best turn."""
    losses: Annotated[tuple[Annotated[int, Meta(ge=0, le=WORST)], ...], Meta(min_length=2)]
    """The loss of every turn in thousandths of a point, in the order of the literals of the
    positions after them."""
    floor: Thousandths
    """The expected loss of the turn that is really the best: values have errors."""


class PositionsHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The first line of a file of positions."""

    format: int
    ruleset: dict[str, Any]
    version: Name
    """The version of the arena that made it."""
    licence: Name
    judge: Name
    """The evaluator that played the turns out, or the search that proved them."""
    judged_with: dict[Name, int | float | Name]
    """The options with which it was used, such as `error` of `arena positions`."""
    seed: int
    shares: dict[ExamPhase, Share]
    """The share of each phase in the decisions of games."""
    count: Count
    size_bytes: Count
    """The size of the positions."""
    scale: dict[Name, tuple[Thousandths, Thousandths]] = {}
    """The error rate of sample bots, and half the width of its interval."""
    sha256: Sha256 = NO_HASH
    """The hash of this line, with zeros in the place of this field, and of the positions."""


KIND: Final = Kind(
    what="file of positions",
    format=3,
    head=PositionsHead,
    advice="make one with `arena positions RULESET`",
)


@dataclass(frozen=True, slots=True)
class ExamQuestion:
    """A decision as it is put to a bot."""

    of: ExamPosition
    position: Any
    turns: LegalTurns[Any]
    losses: tuple[int, ...]
    """Thousandths of a point, in the order of `turns`."""

    @property
    def best(self) -> int:
        """The place of the best turn."""
        return self.losses.index(min(self.losses))


@dataclass(frozen=True, slots=True)
class PositionSet:
    """A file of positions, ready to be put to bots."""

    head: PositionsHead
    game: Game[Any]
    questions: tuple[ExamQuestion, ...]
    sha256: str
    """The hash of the positions that bots were asked, in hexadecimal."""

    def rates(self, losses: Sequence[float]) -> "dict[str, Rate]":
        """Return the error rate over all positions, under "all", and in each phase.

        `losses` has the loss in each position.
        """
        by_phase: defaultdict[ExamPhase, list[float]] = defaultdict(list)
        for question, loss in zip(self.questions, losses, strict=True):
            by_phase[question.of.phase].append(loss)
        rates = {"all": error_rate(by_phase, self.head.shares)}
        for phase in PHASES:
            if phase in by_phase:
                rates[phase] = error_rate({phase: by_phase[phase]}, {phase: 1})
        return rates

    def place_of(self, question: ExamQuestion, moves: Any) -> int:
        """Return the index of the legal turn that these moves play."""
        verdict = self.game.judge(question.position, question.of.dice, moves)
        reached = [(turn.position, turn.ending) for turn in question.turns]
        return reached.index(verdict)  # type: ignore[arg-type]  # legal


class Rate(NamedTuple):
    """A mean loss in thousandths of a point."""

    mean: float
    half_width: float
    """Half the width of its interval of 95 %."""
    positions: int

    @property
    def interval(self) -> tuple[float, float]:
        """The interval in which the rate lies with 95 % confidence."""
        return self.mean - self.half_width, self.mean + self.half_width


def error_rate(
    losses: Mapping[ExamPhase, Sequence[float]],
    shares: Mapping[ExamPhase, float],
) -> Rate:
    """Return the mean loss by strata.

    Each phase counts by its share of all decisions, not by the number of its positions.
    """
    weights = {phase: shares.get(phase, 0) for phase in losses if losses[phase]}
    whole = sum(weights.values())
    if not whole:
        return Rate(0, 0, 0)
    means = []
    squares = []
    for phase, weight in weights.items():
        of_phase = losses[phase]
        means.append(weight / whole * fmean(of_phase))
        if len(of_phase) > 1:
            squares.append((weight / whole) ** 2 * variance(of_phase) / len(of_phase))
    positions = sum(map(len, losses.values()))
    return Rate(sum(means), 1.96 * sqrt(sum(squares)), positions)


def in_order(game: Game[Any], turns: LegalTurns[Any]) -> list[int]:
    """Return the places of turns in the order in which files have their losses.

    That order does not depend on the order of the engine.
    """
    texts = []
    for turn in turns:
        ending = turn.ending.name if turn.ending else ""
        texts.append((game.format_position(turn.position), ending))
    return sorted(range(len(texts)), key=texts.__getitem__)


def write_positions(head: PositionsHead, positions: Sequence[ExamPosition], path: Path) -> None:
    """Write a file of positions; it is whole at every moment."""
    packed = msgspec.msgpack.encode(positions)
    head = msgspec.structs.replace(
        head,
        format=KIND.format,
        count=len(positions),
        size_bytes=len(packed),
    )
    headed.write_headed(msgspec.structs.replace(head, sha256=_hash_of(head, packed)), packed, path)


def _hash_of(head: PositionsHead, packed: bytes) -> str:
    """Return the SHA-256 of all that a file says."""
    line = msgspec.json.encode(msgspec.structs.replace(head, sha256=NO_HASH))
    return hashlib.sha256(line + b"\n" + packed).hexdigest()


def read_positions(path: Path) -> tuple[PositionsHead, list[ExamPosition], str]:
    """Return the content of a file and the SHA-256 of its positions.

    Raises `EvaluatorError` if it is damaged.
    """
    head, packed, _ = headed.read_headed(path, KIND, lambda head: head.size_bytes)
    if head.sha256 != _hash_of(head, packed):
        raise headed.damage_error(
            path,
            KIND,
            "its content does not have the SHA-256 that its first line says",
        )
    try:
        positions = msgspec.msgpack.decode(packed, type=list[ExamPosition])
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise headed.damage_error(path, KIND, str(error)) from None
    return head, positions, hashlib.sha256(packed).hexdigest()


def read_position_set(path: Path) -> PositionSet:
    """Return the positions of a file as questions; raises `EvaluatorError` if one is invalid."""
    head, positions, sha256 = read_positions(path)
    try:
        game = load_game(head.ruleset)
        questions = tuple(_question(game, position) for position in positions)
    except (GameError, ValueError) as error:
        raise headed.damage_error(path, KIND, str(error)) from None
    return PositionSet(head, game, questions, sha256)


def shipped_positions_path(ruleset: Mapping[str, Any]) -> Path:
    """Return the path of the shipped positions whose ruleset equals this one; the names may differ.

    Raises `EvaluatorError` if there are none.
    """
    paths = sorted(SHIPPED.glob(f"*{SUFFIX}"))
    heads = {path: headed.read_head(path, KIND) for path in paths}
    for path, head in heads.items():
        if {**head.ruleset, "name": ""} == {**ruleset, "name": ""}:
            return path
    names = ", ".join(str(head.ruleset["name"]) for head in heads.values()) or "none"
    raise EvaluatorError(
        f"no positions ship for {ruleset['name']}, only for {names}. "
        f"Make some with `arena positions`, and give them with --positions"
    )


def _question(game: Game[Any], recorded: ExamPosition) -> ExamQuestion:
    """Return a recorded decision as a question.

    Raises `GameError` or `ValueError` for one that cannot be put to a bot.
    """
    position = game.parse_position(recorded.position)
    turns = game.legal_turns(position, recorded.dice)
    if len(recorded.losses) != len(turns):
        raise ValueError(
            f"{len(recorded.losses)} losses for a roll with {len(turns)} legal turns; "
            f"expected one loss per turn"
        )
    if min(recorded.losses) != 0:
        raise ValueError(f"the least loss of a roll is {min(recorded.losses)}; expected 0")
    losses = [0] * len(turns)
    for place, loss in zip(in_order(game, turns), recorded.losses, strict=True):
        losses[place] = loss
    return ExamQuestion(recorded, position, turns, tuple(losses))
