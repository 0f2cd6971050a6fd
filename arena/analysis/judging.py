"""Every decision and every roll of a match record, judged by an evaluator: what was lost, and what was luck.

The value of a turn is what the side that plays it may expect after it, in points. The loss of a
decision is the value of the best less that of what was played. The luck of a roll is the value of
the best turn with it, less the mean of this over all rolls, each with its probability. So luck has
the mean zero in every position, whatever the evaluator thinks: the points of a game less the luck
of its rolls have the same expectation as the points, and less variance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from arena.analysis.arrays import Floats, counts_of, has_contact
from arena.analysis.evaluator import Evaluator
from arena.analysis.files import is_played_alike
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.search import best_turns, ranked_by, values_of
from arena.games.interface import Dice, Ending
from arena.games.playing import rolls
from arena.games.result import Seat
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.games.tables.turns import Turns
from arena.matches.facts import DiceCalled, MatchOpened, MatchVoided, TurnPlayed
from arena.records.analysed import Analysis, AnalysisHead, sha256_of
from arena.records.lines import Attempt, RecordError, read_as_far_as_possible, rules_on_record
from arena.records.replay import Replay
from arena.records.rows import DecisionRow, Mark, RollRow
from arena.records.timeline import Moment, Timeline
from arena.words import Said

MARKS: Final[Mapping[Mark, int]] = {"blunder": 120, "bad": 60, "doubtful": 20}
"""The least loss of each mark in thousandths of a point, the gravest first; docs/analysis.md says
why these."""

AT_ONCE: Final = 64
"""Rolls that are looked at in one go: some 20,000 positions. More would only take more memory."""


def mark_of(loss: float) -> Mark | None:
    """The mark of a decision that cost so many thousandths of a point."""
    return next((mark for mark, least in MARKS.items() if loss >= least), None)


def chances_of(dice: int, *, is_opening: bool = False) -> Mapping[Dice, float]:
    """Every roll of so many dice with its probability; the throw for the start is no double (G2)."""
    chances = rolls(dice)
    return {roll: 1 / 15 for roll in chances if roll[0] != roll[1]} if is_opening else chances


@dataclass(frozen=True, slots=True)
class Question:
    """A position in which dice are rolled, with all that may come, and what did."""

    position: Position
    chances: Mapping[Dice, float]
    rolled: Dice | None = None
    """In ascending order; None for dice that were not called for."""


@dataclass(frozen=True, slots=True)
class Looked:
    """Answer of an evaluator to a question."""

    best: Mapping[Dice, float]
    """The value of the best turn with each roll."""
    mean: float
    """Of these, each with its probability."""
    wins: Mapping[Dice, float]
    """How likely that turn wins the game."""
    win_mean: float
    turns: Turns | None
    """With the roll that came."""
    values: Floats | None
    """What each of these is worth, in their order."""

    def luck(self, rolled: Dice) -> float:
        """Return how much more the best turn with this roll is worth than the mean, in points."""
        return self.best[rolled] - self.mean


def look(game: TablesGame, evaluator: Evaluator, asked: Sequence[Question]) -> Iterator[Looked]:
    """Answer questions, many of them with one call of the evaluator."""
    left = iter(asked)
    while part := list(islice(left, AT_ONCE)):
        answers = best_turns(
            game, evaluator, [(one.position, roll) for one in part for roll in one.chances]
        )
        wins = iter(
            evaluator.wins([answer.state for answer in answers if not answer.ending]).tolist()
        )
        rest = iter([(answer.points, 1.0 if answer.ending else next(wins)) for answer in answers])
        came = [game.legal_turns(one.position, one.rolled) if one.rolled else None for one in part]
        values = iter(values_of(evaluator, [turns for turns in came if turns]))
        for one, turns in zip(part, came, strict=True):
            rows = {roll: next(rest) for roll in one.chances}
            best, won = ({roll: row[column] for roll, row in rows.items()} for column in (0, 1))
            mean, win_mean = (
                sum(chance * of[roll] for roll, chance in one.chances.items()) for of in (best, won)
            )
            yield Looked(best, mean, won, win_mean, turns, next(values) if turns else None)


def analyse(name: str, data: bytes, evaluator: Evaluator, plies: int = 1) -> Analysis:
    """Judge every decision and every roll of a match record.

    Decisions are looked into so many turns ahead, rolls always one. A record that is not in order
    is judged up to the place where it is not, which the head names. Raises `RecordError` if nothing
    of it can be read, and `EvaluatorError` if the evaluator is for another ruleset.
    """
    attempts, broken = read_as_far_as_possible(name, data)
    decisions: list[DecisionRow] = []
    luck: list[RollRow] = []
    for attempt in attempts:
        game = rules_on_record(attempt.opened.ruleset, attempt.where)
        if not isinstance(game, TablesGame) or not is_played_alike(game.rules, evaluator.rules):
            values = {
                "record": name,
                "ruleset": game.name,
                "name": evaluator.name,
                "other": evaluator.rules.name,
            }
            raise EvaluatorError(Said("evaluator.of_record", values))
        found = _walk(name, game, attempt)
        broken = broken or found.broken
        judge = _Judge(game, evaluator.under(game.rules), plies, found)
        decisions += judge.decisions()
        luck += judge.luck()
    opened = attempts[0].opened
    head = AnalysisHead(
        record=name,
        record_sha256=sha256_of(data),
        match=opened.match,
        ruleset=str(opened.ruleset["name"]),
        entrants=opened.entrants,
        evaluator=evaluator.name,
        evaluator_sha256=evaluator.sha256,
        plies=plies,
        void=tuple(
            attempt.opened.attempt for attempt in attempts if isinstance(attempt.end, MatchVoided)
        ),
        broken=broken,
    )
    return Analysis(head, decisions, luck)


Cells = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Decision:
    """A turn that was played, or a call for dice (B11.3)."""

    cells: Cells
    """The cells of its row that the record tells."""
    position: Position
    """Before it, from the view of the side to move."""
    result: tuple[int, Ending | None] | None = None
    """Of a turn: the position after it, packed, from the side that has moved, and the ending."""
    choices: tuple[int, ...] = ()
    """Of a call: the numbers of dice."""


@dataclass(slots=True)
class _Walk:
    """All there is to judge in an attempt, in the order of the record."""

    rolls: list[tuple[Cells, Question]] = field(default_factory=list)
    """Every roll, played or not, with the cells of its row; its line is the one after which it was
    rolled."""
    decisions: list[_Decision] = field(default_factory=list)
    broken: str = ""
    """Why the attempt could not be followed to its end: the record contradicts itself there."""


def _walk(name: str, game: TablesGame, attempt: Attempt) -> _Walk:
    """Follow an attempt as far as it goes."""
    found, seen = _Walk(), set[tuple[int, int]]()
    try:
        replay = Replay.of(attempt)
        book = Timeline(attempt.opened, attempt.where, replay=replay)
        for where, fact in attempt.facts:
            calls = (
                {one.number: one.calls for one in replay.match.games}
                if isinstance(fact, DiceCalled)
                else {}
            )
            told = book.take(where, fact)
            if isinstance(fact, DiceCalled):
                cells = _cells(name, attempt.opened, told, fact.game, fact.turn, fact.seat)
                cells |= {"kind": "call", "dice": [], "played": str(fact.dice)}
                found.decisions.append(_Decision(cells, told.before, choices=calls[fact.game]))
            elif isinstance(fact, TurnPlayed):
                cells = _cells(name, attempt.opened, told, fact.game, fact.turn, fact.seat)
                played = game.format_turn(fact.moves, told.before, told.ending)
                cells |= {"kind": "turn", "dice": list(fact.dice), "played": played}
                found.decisions.append(
                    _Decision(cells, told.before, (told.after.state, told.ending))
                )
            for each in replay.match.games:
                if each.dice and (each.number, each.turn) not in seen:
                    seen.add((each.number, each.turn))
                    is_opening = each.turn == 1 and game.opening == "higher_starts"
                    chances = chances_of(len(each.dice), is_opening=is_opening)
                    cells = _cells(name, attempt.opened, told, each.number, each.turn, each.mover)
                    cells |= {"dice": list(each.dice), "opening": is_opening}
                    found.rolls.append(
                        (cells, Question(each.position, chances, tuple(sorted(each.dice))))
                    )
    except RecordError as error:
        found.broken = str(error)
    return found


def _cells(name: str, opened: MatchOpened, told: Moment, game: int, turn: int, seat: Seat) -> Cells:
    """The cells that say where something was."""
    return {
        "file": name,
        "line": told.line,
        "at_ms": told.fact.at_ms,
        "match": opened.match,
        "attempt": opened.attempt,
        "ruleset": opened.ruleset["name"],
        "game": game,
        "turn": turn,
        "seat": seat,
        "bot": opened.entrants[seat - 1],
        "opponent": opened.entrants[2 - seat],
    }


class _Judge:
    """Judges what was found in an attempt."""

    def __init__(self, game: TablesGame, evaluator: Evaluator, plies: int, found: _Walk) -> None:
        self._game = game
        self._evaluator = evaluator
        self._plies = plies
        self._found = found
        looked = look(game, evaluator, [question for _, question in found.rolls])
        self._looked = {(cells["game"], cells["turn"]): next(looked) for cells, _ in found.rolls}
        """What was said to the roll of each turn of a game."""

    def luck(self) -> Iterator[RollRow]:
        """Every roll, in the order of the record."""
        for (cells, question), looked in zip(self._found.rolls, self._looked.values(), strict=True):
            assert question.rolled is not None
            yield RollRow(
                **cells,
                best_value=round(looked.best[question.rolled], 6),
                mean=round(looked.mean, 6),
                luck=round(looked.luck(question.rolled), 6),
                win_luck=round(looked.wins[question.rolled] - looked.win_mean, 6),
                evaluator=self._evaluator.name,
            )

    def decisions(self) -> Iterator[DecisionRow]:
        """Every call and every turn that was played, in the order of the record."""
        decisions = self._found.decisions
        counts = counts_of([one.position.state for one in decisions])
        contact = has_contact(counts, self._evaluator.rules.facing)
        asked = [
            Question(one.position, chances_of(dice)) for one in decisions for dice in one.choices
        ]
        calls = look(self._game, self._evaluator, asked)
        for one, meets in zip(decisions, contact, strict=True):
            value, best, best_value, choices = (
                self._call(one, calls) if one.choices else self._turn(one)
            )
            loss = round(1000 * (best_value - value), 1)
            yield DecisionRow(
                **one.cells,
                best=best,
                value=round(value, 4),
                best_value=round(best_value, 4),
                loss=loss,
                mark=mark_of(loss),
                choices=choices,
                forced=choices == 1,
                phase="contact" if meets else "race",
                evaluator=self._evaluator.name,
                plies=self._plies,
            )

    def _call(self, one: _Decision, looked: Iterator[Looked]) -> tuple[float, str, float, int]:
        """B11.3: a number of dice is worth the mean over its rolls; the value of what was called, what was best."""
        played = int(one.cells["played"])
        worth = {number: next(looked).mean for number in one.choices}
        best = max(worth, key=lambda number: (worth[number], number == played))
        return worth[played], str(best), worth[best], len(worth)

    def _turn(self, one: _Decision) -> tuple[float, str, float, int]:
        """Return the value of the turn played, what was best, the value of that, and how many turns were legal."""
        looked = self._looked[one.cells["game"], one.cells["turn"]]
        assert one.result is not None
        assert looked.turns is not None
        assert looked.values is not None
        results = looked.turns.results()
        place = results.index(one.result)
        [ranking] = ranked_by(
            self._game, self._evaluator, [looked.turns], [looked.values], self._plies, also=[place]
        )
        values = dict(ranking)
        best = max(
            (place, ranking[0].place), key=values.__getitem__
        )  # of equal ones what was played
        text = one.cells["played"]
        if best != place:
            text = self._game.format_turn(looked.turns.moves(best), one.position, results[best][1])
        return values[place], text, values[best], len(results)
