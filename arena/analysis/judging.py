"""Every decision and every roll of a match record, judged by an evaluator: what was lost, and what was luck.

The value of a turn is what the side that plays it may expect after it, in points. The loss of a decision is the value
of the best less that of what was played. The luck of a roll is the value of the best turn with it, less the mean of
this over all rolls, each with its probability. So luck has the mean zero in every position, whatever the evaluator
thinks: the points of a game less the luck of its rolls have the same expectation as the points, and less variance.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from arena.analysis.arrays import Floats
from arena.analysis.errors import EvaluatorError
from arena.analysis.evaluator import Evaluator
from arena.analysis.files import is_played_alike
from arena.analysis.search import each_result, looked_into, two_turns_ahead
from arena.analysis.sides import counts_of
from arena.analysis.walk import CalledMoment, Due, PlayedMoment, Rolled, Walk, walk
from arena.games.interface import Dice, Ending
from arena.games.playing import rolls
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.games.tables.turns import Turns
from arena.matches.facts import MatchVoided
from arena.records.analysed import Analysis, AnalysisHead, sha256_of
from arena.records.lines import Attempt, read_as_far_as_possible, rules_on_record
from arena.records.rows import DecisionKind, DecisionRow, GamePhase, Mark, RollRow

MARKS: Final[Mapping[Mark, int]] = {"blunder": 120, "bad": 60, "doubtful": 20}
"""The least loss of each mark in thousandths of a point, the gravest first; docs/analysis.md says why these."""

AT_ONCE: Final = 64
"""Rolls that are looked at in one go: some 20,000 positions. More would only take more memory."""


def mark_of(loss: float) -> Mark | None:
    """The mark of a decision that cost so many thousandths of a point."""
    return next((mark for mark, least in MARKS.items() if loss >= least), None)


def chances_of(dice: int, *, is_opening: bool = False) -> Mapping[Dice, float]:
    """Every roll of so many dice with its probability; the throw for the start is no double (G2)."""
    if not is_opening:
        return rolls(dice)
    unequal = {roll: chance for roll, chance in rolls(dice).items() if roll[0] != roll[1]}
    whole = sum(unequal.values())
    return {roll: chance / whole for roll, chance in unequal.items()}


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

    def win_luck(self, rolled: Dice) -> float:
        """Return how much likelier the best turn with this roll wins the game than the mean."""
        return self.wins[rolled] - self.win_mean


def look(game: TablesGame, evaluator: Evaluator, asked: Sequence[Question]) -> Iterator[Looked]:
    """Answer questions, many of them with one call of the evaluator."""
    left = iter(asked)
    while part := list(islice(left, AT_ONCE)):
        yield from _look(game, evaluator, part)


def _look(game: TablesGame, evaluator: Evaluator, asked: Sequence[Question]) -> Iterator[Looked]:
    found = [game.legal_turns(question.position, roll) for question in asked for roll in question.chances]
    rest = zip(found, each_result(found, _won, evaluator.points_and_wins), strict=True)
    for question in asked:
        answers = {roll: next(rest) for roll in question.chances}
        rows = {roll: values[values[:, 0].argmax()].tolist() for roll, (_, values) in answers.items()}
        best, wins = ({roll: row[column] for roll, row in rows.items()} for column in (0, 1))
        mean, win_mean = (sum(chance * of[roll] for roll, chance in question.chances.items()) for of in (best, wins))
        turns, values = (None, None) if question.rolled is None else answers[question.rolled]
        yield Looked(best, mean, wins, win_mean, turns, None if values is None else values[:, 0])


def _won(ending: Ending) -> tuple[float, float]:
    """Return the worth of a turn that ends the game, and that it has won."""
    return ending.points, 1.0


def analyse(name: str, data: bytes, evaluator: Evaluator, plies: int = 1) -> Analysis:
    """Judge every decision and every roll of a match record.

    Decisions are looked into one turn ahead or two, rolls always one. A record that is not in order is judged up to the
    place where it is not, which the head names. Raises `RecordError` if nothing of it can be read, and `EvaluatorError`
    if the evaluator is for another ruleset.
    """
    attempts, broken = read_as_far_as_possible(name, data)
    decisions: list[DecisionRow] = []
    luck: list[RollRow] = []
    for attempt in attempts:
        game = rules_on_record(attempt.opened.ruleset, attempt.where)
        if not isinstance(game, TablesGame) or not is_played_alike(game.rules, evaluator.rules):
            raise EvaluatorError(
                f"{name} is of {game.name}, and {evaluator.name} was asked about {evaluator.rules.name}"
            )
        found = walk(game, attempt)
        broken = broken or found.broken
        judge = _Judge(game, evaluator.under(game.rules), plies, name, attempt)
        decisions += judge.decisions(found)
        luck += judge.rolls(found)
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
        void=tuple(attempt.opened.attempt for attempt in attempts if isinstance(attempt.end, MatchVoided)),
        broken=broken,
    )
    return Analysis(head, decisions, luck)


class _Judge:
    """Judges what was found in one attempt."""

    def __init__(self, game: TablesGame, evaluator: Evaluator, plies: int, name: str, attempt: Attempt) -> None:
        self._game = game
        self._evaluator = evaluator
        self._plies = plies
        self._name = name
        self._attempt = attempt
        self._looked: dict[tuple[int, int], tuple[Rolled, Looked]] = {}
        """The roll of each turn, with what was said to it."""

    def decisions(self, found: Walk) -> list[DecisionRow]:
        """Every call and every turn that was played, in the order of the record."""
        asked = [
            Question(one.position, chances_of(len(one.dice), is_opening=one.is_opening), tuple(sorted(one.dice)))
            for one in found.rolled
        ]
        for one, looked in zip(found.rolled, look(self._game, self._evaluator, asked), strict=True):
            self._looked[one.game, one.turn] = one, looked
        rows = [*self._calls(found.called), *self._turns(found.played)]
        return sorted(rows, key=lambda row: row.line)

    def rolls(self, found: Walk) -> Iterator[RollRow]:
        """Every roll; `decisions` comes first."""
        for one in found.rolled:
            _, looked = self._looked[one.game, one.turn]
            rolled = tuple(sorted(one.dice))
            yield RollRow(
                **self._place(one),
                dice=list(one.dice),
                opening=one.is_opening,
                best_value=round(looked.best[rolled], 6),
                mean=round(looked.mean, 6),
                luck=round(looked.luck(rolled), 6),
                win_luck=round(looked.win_luck(rolled), 6),
                evaluator=self._evaluator.name,
            )

    def _calls(self, called: Sequence[CalledMoment]) -> Iterator[DecisionRow]:
        """B11.3: a number of dice is worth the mean over its rolls."""
        asked = [Question(one.position, chances_of(number)) for one in called for number in one.choices]
        looked = look(self._game, self._evaluator, asked)
        for one, phase in zip(called, self._phases(called), strict=True):
            worth = {number: next(looked).mean for number in one.choices}
            best = max(worth, key=lambda number: (worth[number], number == one.dice))
            yield self._decision(
                one, "call", phase, [], (str(one.dice), worth[one.dice]), (str(best), worth[best]), len(one.choices)
            )

    def _turns(self, played: Sequence[PlayedMoment]) -> Iterator[DecisionRow]:
        for one, phase in zip(played, self._phases(played), strict=True):
            rolled, looked = self._looked[one.game, one.turn]
            assert looked.turns is not None
            assert looked.values is not None
            results = looked.turns.results()
            place = results.index((one.state, one.ending))
            values = dict(enumerate(looked.values.tolist()))
            if self._plies > 1 and len(results) > 1:
                asked = (looked.turns, looked.values, looked_into(looked.values, also=place))
                [values] = two_turns_ahead(self._game, self._evaluator, [asked])
            best = max(values, key=lambda other: (values[other], other == place))
            text = one.text
            if best != place:
                text = self._game.format_turn(looked.turns.moves(best), one.position, results[best][1])
            yield self._decision(
                one, "turn", phase, list(rolled.dice), (one.text, values[place]), (text, values[best]), len(results)
            )

    def _decision(
        self,
        moment: Due,
        kind: DecisionKind,
        phase: GamePhase,
        dice: list[int],
        played: tuple[str, float],
        best: tuple[str, float],
        choices: int,
    ) -> DecisionRow:
        loss = round(1000 * (best[1] - played[1]), 1)
        return DecisionRow(
            **self._place(moment),
            dice=dice,
            kind=kind,
            played=played[0],
            best=best[0],
            value=round(played[1], 4),
            best_value=round(best[1], 4),
            loss=loss,
            mark=mark_of(loss),
            choices=choices,
            forced=choices == 1,
            phase=phase,
            evaluator=self._evaluator.name,
            plies=self._plies,
        )

    def _phases(self, moments: Sequence[Due]) -> list[GamePhase]:
        contact = self._evaluator.in_contact(counts_of([one.position.state for one in moments]))
        return ["contact" if each else "race" for each in contact]

    def _place(self, moment: Due) -> dict[str, Any]:
        opened, seat = self._attempt.opened, moment.seat
        return {
            "file": self._name,
            "line": moment.line,
            "at_ms": moment.at_ms,
            "match": opened.match,
            "attempt": opened.attempt,
            "ruleset": opened.ruleset["name"],
            "game": moment.game,
            "turn": moment.turn,
            "seat": seat,
            "bot": opened.entrants[seat - 1],
            "opponent": opened.entrants[2 - seat],
        }
