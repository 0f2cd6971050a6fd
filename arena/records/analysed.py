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
from arena.records.lines import (
    UNREADABLE,
    RecordError,
    digest_of,
    whole_lines,
)
from arena.records.rows import (
    DecisionRow,
    GamePhase,
    JudgedRow,
    Mark,
    RollRow,
)

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
    """The attempts that do not count."""
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
        """Decisions and rolls of the attempts that are not void."""
        void = self.head.void
        decisions = [decision for decision in self.decisions if decision.attempt not in void]
        rolls = [roll for roll in self.rolls if roll.attempt not in void]
        return decisions, rolls


def sha256_of(record: bytes) -> str:
    """Return the hash by which an analysis knows its record, without an incomplete last line."""
    return digest_of(whole_lines(record))


def encode_analysis(analysis: Analysis) -> bytes:
    """Return the bytes of an analysis file."""
    decisions = [_line("decision", row, analysis.head) for row in analysis.decisions]
    rolls = [_line("roll", row, analysis.head) for row in analysis.rolls]
    return msgspec.json.Encoder().encode_lines([analysis.head, *decisions, *rolls])


def _line(event: str, row: JudgedRow, head: AnalysisHead) -> dict[str, Any]:
    """Return the fields of a row's line: its cells without those that follow from the head."""
    fields = {"event": event} | msgspec.structs.asdict(row)
    for name in _head_cells(head, row.seat):
        fields.pop(name, None)
    return fields


def decode_analysis(data: bytes) -> Analysis:
    """Parse an analysis file, the inverse of `encode_analysis`; raises `AnalysisFileError`."""
    first, *lines = data.split(b"\n")
    try:
        analysis = Analysis(msgspec.json.decode(first, type=AnalysisHead))
        decode = msgspec.json.Decoder(dict[str, Any]).decode
        for line in lines[:-1]:
            fields = decode(line)
            cells = fields | _head_cells(analysis.head, fields["seat"])
            row = msgspec.convert(cells, _EVENTS[fields["event"]])
            if isinstance(row, DecisionRow):
                analysis.decisions.append(row)
            elif isinstance(row, RollRow):
                analysis.rolls.append(row)
    except (*UNREADABLE, KeyError, IndexError, TypeError) as error:
        raise AnalysisFileError(f"it cannot be read: {error}") from error
    if not lines or lines[-1]:
        raise AnalysisFileError("its last line is incomplete")
    return analysis


def _head_cells(head: AnalysisHead, seat: int) -> dict[str, Any]:
    """Return the cells that files leave out.

    The head has them, or the tournament record may still change them.
    """
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
    """Return the analysis of a match record.

    None if there is none, if it is damaged, or if the record has changed since it was made.
    """
    if record not in files:
        return None
    try:
        analysis = decode_analysis(files[analysis_file(record)])
    except (KeyError, RecordError, AnalysisFileError):
        return None
    if analysis.head.record_sha256 != sha256_of(files[record]):
        return None
    return analysis


@dataclass(slots=True)
class BotLosses:
    """The decisions and rolls of one bot; void attempts and forced turns do not count."""

    bot: str
    games: int = 0
    """Games in which it rolled."""
    annulled: int = 0
    """Games of annulled matches, which count for nothing else."""
    decisions: Counter[GamePhase] = field(default_factory=Counter)
    """Number of decisions, by phase."""
    lost: dict[GamePhase, float] = field(default_factory=lambda: dict.fromkeys(PHASES, 0.0))
    """Thousandths of a point, by phase."""
    marks: Counter[Mark] = field(default_factory=Counter)
    rolls: int = 0
    luck: float = 0.0
    """Points that its rolls brought it above the mean."""

    def mean_loss(self, *phases: GamePhase) -> float | None:
        """Return the mean loss of a decision in these phases, or in all, in thousandths of a point.

        None without a decision.
        """
        phases = phases or PHASES
        decisions = sum(self.decisions[phase] for phase in phases)
        if not decisions:
            return None
        return sum(self.lost[phase] for phase in phases) / decisions

    @property
    def luck_per_game(self) -> float | None:
        """Points of luck a game; None without a game."""
        return self.luck / self.games if self.games else None


class Losses:
    """The losses and the luck of every bot, added up analysis by analysis."""

    def __init__(self) -> None:
        self._bots: dict[str, BotLosses] = {}

    def add(self, analysis: Analysis, *, is_annulled: bool = False) -> None:
        """Count one more match; of an annulled match (M5) count only the games."""
        decisions, rolls = analysis.counted
        games_of_bots = {(roll.bot, roll.game) for roll in rolls}
        for name, _ in games_of_bots:
            bot = self._losses_of(name)
            if is_annulled:
                bot.annulled += 1
            else:
                bot.games += 1
        if is_annulled:
            return
        for roll in rolls:
            bot = self._losses_of(roll.bot)
            bot.rolls += 1
            bot.luck += roll.luck
        for decision in decisions:
            bot = self._losses_of(decision.bot)
            if decision.forced:
                continue
            bot.decisions[decision.phase] += 1
            bot.lost[decision.phase] += decision.loss
            if decision.mark:
                bot.marks[decision.mark] += 1

    def _losses_of(self, name: str) -> BotLosses:
        return self._bots.setdefault(name, BotLosses(name))

    def ranked(self) -> list[BotLosses]:
        """Return every bot that has rolled, the smallest mean loss first, then by name."""

        def rank(bot: BotLosses) -> tuple[bool, float, str]:
            return not bot.decisions, bot.mean_loss() or 0, bot.bot

        return sorted(self._bots.values(), key=rank)
