"""Analyses: what `arena analyse` makes of a match record, a file beside it.

They are derived data, safe to delete.

The first line says what it was made from. Each of the others is a row of the tables `decisions` and
`rolls`, without the columns that follow from the first line.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

import msgspec

from arena.records.files import Files, analysis_file
from arena.records.lines import UNREADABLE, RecordError, digest_of, whole_lines
from arena.records.rows import DecisionRow, GamePhase, JudgedRow, Mark, RollRow

PHASES: Final[tuple[GamePhase, ...]] = get_args(GamePhase)
MARKS: Final[tuple[Mark, ...]] = get_args(Mark)
_EVENTS: Final[dict[str, type[JudgedRow]]] = {"decision": DecisionRow, "roll": RollRow}
BEGINNING: Final = b'{"event":"analysis_made"'
"""How such a file begins."""


class AnalysisFileError(Exception):
    """Something else than an analysis, or a damaged one."""


class AnalysisHead(
    msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="analysis_made"
):
    """Header of an analysis: what it was made from, and with what."""

    format: Literal["brade-analysis-3"] = "brade-analysis-3"
    """It changes with what an evaluator says, too, so that an older analysis is made again."""
    record: str
    record_sha256: str
    """Of its whole lines, hexadecimal."""
    match: str
    ruleset: str
    entrants: tuple[str, str]
    evaluator: str
    evaluator_sha256: str
    plies: int
    """How many turns ahead decisions were looked into."""
    void: tuple[int, ...] = ()
    """The attempts that count for nothing."""
    broken: str = ""
    """Why the record could not be followed to its end; empty if it could."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """Every decision and every roll of a match record, in the order of its lines."""

    head: AnalysisHead
    decisions: list[DecisionRow] = field(default_factory=list)
    rolls: list[RollRow] = field(default_factory=list)

    @property
    def counted(self) -> tuple[list[DecisionRow], list[RollRow]]:
        """Those of the attempts that are not void."""
        void = self.head.void
        decisions = [one for one in self.decisions if one.attempt not in void]
        return decisions, [one for one in self.rolls if one.attempt not in void]


def sha256_of(record: bytes) -> str:
    """The hash by which an analysis knows its record: an incomplete last line is not part of it."""
    return digest_of(whole_lines(record))


def encode_analysis(analysis: Analysis) -> bytes:
    """The file of an analysis."""
    lines: list[object] = [analysis.head]
    for event, rows in (("decision", analysis.decisions), ("roll", analysis.rolls)):
        for row in rows:
            told, cells = _head_cells(analysis.head, row.seat), msgspec.structs.asdict(row)
            lines.append(
                {"event": event} | {name: cell for name, cell in cells.items() if name not in told}
            )
    return msgspec.json.Encoder().encode_lines(lines)


def decode_analysis(data: bytes) -> Analysis:
    """The inverse of `encode_analysis`; raises `AnalysisFileError`."""
    first, *lines = data.split(b"\n")
    try:
        analysis = Analysis(msgspec.json.decode(first, type=AnalysisHead))
        decode = msgspec.json.Decoder(dict[str, Any]).decode
        for line in lines[:-1]:
            fields = decode(line)
            row = msgspec.convert(
                fields | _head_cells(analysis.head, fields["seat"]), _EVENTS[fields.pop("event")]
            )
            (analysis.decisions if isinstance(row, DecisionRow) else analysis.rolls).append(row)  # type: ignore[arg-type]
    except (*UNREADABLE, KeyError, IndexError, TypeError) as error:
        raise AnalysisFileError(f"it cannot be read: {error}") from error
    if not lines or lines[-1]:
        raise AnalysisFileError("its last line is incomplete")
    return analysis


def _head_cells(head: AnalysisHead, seat: int) -> dict[str, Any]:
    """The cells of a row that the head tells, or the tournament record may still change; files leave them out."""
    return {
        "annulled": False,
        "file": head.record,
        "match": head.match,
        "ruleset": head.ruleset,
        "bot": head.entrants[seat - 1],
        "opponent": head.entrants[2 - seat],
        "evaluator": head.evaluator,
        "plies": head.plies,
    }


def analysis_of(files: Files, record: str) -> Analysis | None:
    """The analysis of a match record; None if there is none, it is damaged, or the record has changed since."""
    if record not in files:
        return None
    try:
        analysis = decode_analysis(files[analysis_file(record)])
    except (KeyError, RecordError, AnalysisFileError):
        return None
    return analysis if analysis.head.record_sha256 == sha256_of(files[record]) else None


@dataclass(slots=True)
class BotLosses:
    """The decisions and rolls of one bot; attempts that are void do not count, nor what was forced."""

    bot: str
    games: int = 0
    """Games in which it rolled."""
    annulled: int = 0
    """Games of annulled matches, which count for nothing else."""
    decisions: Counter[GamePhase] = field(default_factory=Counter)
    """How many, by phase."""
    lost: dict[GamePhase, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    """Thousandths of a point, by phase."""
    marks: Counter[Mark] = field(default_factory=Counter)
    rolls: int = 0
    luck: float = 0.0
    """Points that its own rolls brought it above the mean."""

    def mean_loss(self, *phases: GamePhase) -> float | None:
        """Thousandths of a point a decision, in these phases or in all; None without a decision."""
        phases = phases or PHASES
        number = sum(self.decisions[phase] for phase in phases)
        return sum(self.lost[phase] for phase in phases) / number if number else None

    @property
    def luck_per_game(self) -> float | None:
        """Points; None without a game."""
        return self.luck / self.games if self.games else None


class Losses:
    """Counts analyses one after the other."""

    def __init__(self) -> None:
        self._found: dict[str, BotLosses] = {}

    def take(self, analysis: Analysis, *, is_annulled: bool = False) -> None:
        """One more match; of an annulled one (M5) the games are only counted."""
        decisions, rolls = analysis.counted
        if is_annulled:
            for name, _ in {(roll.bot, roll.game) for roll in rolls}:
                self._found.setdefault(name, BotLosses(name)).annulled += 1
            return
        played: set[tuple[str, int]] = set()
        for roll in rolls:
            bot = self._found.setdefault(roll.bot, BotLosses(roll.bot))
            bot.rolls += 1
            bot.luck += roll.luck
            bot.games += (roll.bot, roll.game) not in played
            played.add((roll.bot, roll.game))
        for one in decisions:
            bot = self._found.setdefault(one.bot, BotLosses(one.bot))
            if one.forced:
                continue
            bot.decisions[one.phase] += 1
            bot.lost[one.phase] += one.loss
            if one.mark:
                bot.marks[one.mark] += 1

    def ranked(self) -> list[BotLosses]:
        """Every bot that has rolled, the one that lost least a decision first; of equal ones by name."""
        return sorted(
            self._found.values(), key=lambda bot: (not bot.decisions, bot.mean_loss() or 0, bot.bot)
        )
