"""Judgement of every decision and every roll of a match record by an evaluator: losses and luck.

The value of a turn is the expected points, after the turn, of the side that plays it. The loss of a
decision is the value of the best turn minus the value of the turn played. The luck of a roll is the
value of the best turn with it, minus the mean of this value over all rolls, weighted by their
probabilities. So luck has the mean zero in every position, even if the evaluator is wrong. The
points of a game minus the luck of its rolls have the same expectation as the points, and less
variance.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from arena.analysis.arrays import Floats, counts_of, has_contact
from arena.analysis.evaluator import Evaluator
from arena.analysis.files import is_played_alike
from arena.analysis.headed_files import EvaluatorError
from arena.analysis.search import BestTurn, best_turns, rank_by, values_of
from arena.games.interface import Dice, Ending
from arena.games.playing import rolls
from arena.games.result import Seat
from arena.games.tables.game import TablesGame
from arena.games.tables.position import Position
from arena.games.tables.turns import Turns
from arena.matches.facts import DiceCalled, MatchFact, MatchOpened, MatchVoided, TurnPlayed
from arena.matches.state import GameState
from arena.records.analysed import Analysis, AnalysisHead, sha256_of
from arena.records.lines import Attempt, RecordError, read_as_far_as_possible, rules_on_record
from arena.records.replay import Replay
from arena.records.rows import DecisionRow, Mark, RollRow
from arena.records.timeline import Moment, Timeline
from arena.words import Said

MARKS: Final[Mapping[Mark, int]] = {"blunder": 120, "bad": 60, "doubtful": 20}
"""The least loss of each mark in thousandths of a point, the gravest first; docs/analysis.md says
why these."""

ROLLS_PER_BATCH: Final = 64
"""Rolls that are evaluated in one go: some 20,000 positions. More would only take more memory."""


def mark_of(loss: float) -> Mark | None:
    """Return the mark of a decision that lost this many thousandths of a point."""
    for mark, least in MARKS.items():
        if loss >= least:
            return mark
    return None


def chances_of(dice: int, *, is_opening: bool = False) -> Mapping[Dice, float]:
    """Return every roll of this number of dice with its probability.

    The throw for the start is never a double (G2).
    """
    chances = rolls(dice)
    if not is_opening:
        return chances
    return {roll: 1 / 15 for roll in chances if roll[0] != roll[1]}


@dataclass(frozen=True, slots=True)
class Question:
    """A position in which dice are rolled, with the chance of each roll, and the roll that came."""

    position: Position
    chances: Mapping[Dice, float]
    rolled: Dice | None = None
    """In ascending order; None for dice that were not called for."""


class TurnValues(NamedTuple):
    """The legal turns with a roll, and the value of each in their order."""

    turns: Turns
    points: Floats


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Answer of an evaluator to a question."""

    best: Mapping[Dice, float]
    """The value of the best turn with each roll."""
    mean: float
    """The mean of these values, weighted by the chances."""
    wins: Mapping[Dice, float]
    """The probability that the best turn with each roll wins the game."""
    win_mean: float
    """The mean of these probabilities, weighted by the chances."""
    of_turns: TurnValues | None
    """For the roll that came; None if none came."""

    def luck(self, rolled: Dice) -> float:
        """Return how much more the best turn with this roll is worth than the mean, in points."""
        return self.best[rolled] - self.mean


def evaluate_questions(
    game: TablesGame, evaluator: Evaluator, questions: Sequence[Question]
) -> Iterator[Evaluation]:
    """Answer questions, many of them with one call of the evaluator."""
    for begin in range(0, len(questions), ROLLS_PER_BATCH):
        yield from _evaluate_batch(game, evaluator, questions[begin : begin + ROLLS_PER_BATCH])


def _evaluate_batch(
    game: TablesGame,
    evaluator: Evaluator,
    questions: Sequence[Question],
) -> Iterator[Evaluation]:
    """Answer questions with one call of the evaluator for each kind of figure."""
    throws: list[tuple[Position, Dice]] = []
    turns_at: dict[int, Turns] = {}
    for place, question in enumerate(questions):
        throws += [(question.position, roll) for roll in question.chances]
        if question.rolled:
            turns_at[place] = game.legal_turns(question.position, question.rolled)
    best = best_turns(game, evaluator, throws)
    wins = _wins_after(evaluator, best)
    points_of_turns = values_of(evaluator, list(turns_at.values()))
    values_at: dict[int, TurnValues] = {}
    for (place, turns), points in zip(turns_at.items(), points_of_turns, strict=True):
        values_at[place] = TurnValues(turns, points)
    begin = 0
    for place, question in enumerate(questions):
        end = begin + len(question.chances)
        best_points = [turn.points for turn in best[begin:end]]
        points_of_roll = dict(zip(question.chances, best_points, strict=True))
        wins_of_roll = dict(zip(question.chances, wins[begin:end], strict=True))
        yield Evaluation(
            best=points_of_roll,
            mean=_weighted_mean(points_of_roll, question.chances),
            wins=wins_of_roll,
            win_mean=_weighted_mean(wins_of_roll, question.chances),
            of_turns=values_at.get(place),
        )
        begin = end


def _wins_after(evaluator: Evaluator, turns: Sequence[BestTurn]) -> list[float]:
    """Return the probability that the side that plays each turn wins the game."""
    wins = [1.0] * len(turns)
    going_on = [place for place, turn in enumerate(turns) if not turn.ending]
    chances = evaluator.wins([turns[place].state for place in going_on]).tolist()
    for place, chance in zip(going_on, chances, strict=True):
        wins[place] = chance
    return wins


def _weighted_mean(figures: Mapping[Dice, float], chances: Mapping[Dice, float]) -> float:
    """Return the mean of the figures of all rolls, weighted by the chance of each roll."""
    return sum(chance * figures[roll] for roll, chance in chances.items())


def analyse(name: str, record: bytes, evaluator: Evaluator, plies: int = 1) -> Analysis:
    """Judge every decision and every roll of a match record.

    Decisions are judged `plies` turns ahead, rolls always one. A record that is not in order
    is judged up to the place where it is not, which the head names. Raises `RecordError` if nothing
    of it can be read, and `EvaluatorError` if the evaluator is for another ruleset.
    """
    attempts, broken = read_as_far_as_possible(name, record)
    decisions: list[DecisionRow] = []
    luck: list[RollRow] = []
    for attempt in attempts:
        game = _game_of(name, attempt, evaluator)
        walk = _walk(name, game, attempt)
        broken = broken or walk.broken
        judge = _Judge(game, evaluator.under(game.rules), plies, walk)
        decisions += judge.decisions()
        luck += judge.luck()
    opened = attempts[0].opened
    voided = [attempt for attempt in attempts if isinstance(attempt.end, MatchVoided)]
    head = AnalysisHead(
        record=name,
        record_sha256=sha256_of(record),
        match=opened.match,
        ruleset=str(opened.ruleset["name"]),
        entrants=opened.entrants,
        evaluator=evaluator.name,
        evaluator_sha256=evaluator.sha256,
        plies=plies,
        void=tuple(attempt.opened.attempt for attempt in voided),
        broken=broken,
    )
    return Analysis(head, decisions, luck)


def _game_of(name: str, attempt: Attempt, evaluator: Evaluator) -> TablesGame:
    """Return the rules of an attempt; raises `EvaluatorError` if they are not the evaluator's."""
    game = rules_on_record(attempt.opened.ruleset, attempt.where)
    if isinstance(game, TablesGame) and is_played_alike(game.rules, evaluator.rules):
        return game
    names = {
        "record": name,
        "ruleset": game.name,
        "name": evaluator.name,
        "other": evaluator.rules.name,
    }
    raise EvaluatorError(Said("evaluator.of_record", names))


Cells = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn that was played."""

    cells: Cells
    """The cells of its row that come from the record."""
    position: Position
    """Before it, from the view of the side to move."""
    reached: tuple[int, Ending | None]
    """The position after it, packed, from the side that has moved, and the ending."""


@dataclass(frozen=True, slots=True)
class _Call:
    """A call for dice (B11.3)."""

    cells: Cells
    """The cells of its row that come from the record."""
    position: Position
    """Before it, from the view of the side to move."""
    choices: tuple[int, ...]
    """The numbers of dice to choose from."""


@dataclass(frozen=True, slots=True)
class _Roll:
    """A roll, whether a turn was played with it or not."""

    cells: Cells
    """The cells of its row that come from the record; its line is the one before the roll."""
    dice: Dice
    """In ascending order."""
    question: Question


@dataclass(frozen=True, slots=True)
class _Walk:
    """All there is to judge in an attempt, in the order of the record."""

    rolls: Sequence[_Roll]
    decisions: Sequence[_Turn | _Call]
    broken: str
    """Why the attempt could not be followed to its end: the record contradicts itself there."""


def _walk(name: str, game: TablesGame, attempt: Attempt) -> _Walk:
    """Follow an attempt to its end, or to the place where the record contradicts itself."""
    rolled: dict[tuple[int, int], _Roll] = {}
    decisions: list[_Turn | _Call] = []
    broken = ""
    try:
        replay = Replay.of(attempt)
        timeline = Timeline(attempt.opened, attempt.where, replay=replay)
        for where, fact in attempt.facts:
            choices = _choices_of_call(fact, replay.match.games)
            moment = timeline.add(where, fact)
            if isinstance(fact, DiceCalled | TurnPlayed):
                cells = _cells(name, moment, attempt.opened, fact.game, fact.turn, fact.seat)
                decisions.append(_decision_of(game, cells, moment, fact, choices))
            for state in replay.match.games:
                key = state.number, state.turn
                if state.dice and key not in rolled:
                    cells = _cells(
                        name,
                        moment,
                        attempt.opened,
                        state.number,
                        state.turn,
                        state.mover,
                    )
                    rolled[key] = _roll_of(game, cells, state)
    except RecordError as error:
        broken = str(error)
    return _Walk(list(rolled.values()), decisions, broken)


def _choices_of_call(fact: MatchFact, games: Sequence[GameState]) -> tuple[int, ...]:
    """Return the numbers of dice that a call chooses from; none for any other fact."""
    if isinstance(fact, DiceCalled):
        for game in games:
            if game.number == fact.game:
                return game.calls
    return ()


def _decision_of(
    game: TablesGame,
    cells: Cells,
    moment: Moment,
    fact: DiceCalled | TurnPlayed,
    choices: tuple[int, ...],
) -> _Turn | _Call:
    """Return the decision that a fact records.

    `cells` has the game, turn and line of the decision.
    """
    if isinstance(fact, DiceCalled):
        number = fact.dice
        cells = {**cells, "kind": "call", "dice": [], "played": str(number)}
        return _Call(cells, moment.before, choices)
    roll = fact.dice
    played = game.format_turn(fact.moves, moment.before, moment.ending)
    cells = {**cells, "kind": "turn", "dice": list(roll), "played": played}
    return _Turn(cells, moment.before, reached=(moment.after.state, moment.ending))


def _roll_of(game: TablesGame, cells: Cells, state: GameState) -> _Roll:
    """Return the roll that a game waits to be played with; `cells` say where it was."""
    assert state.dice is not None
    is_opening = state.turn == 1 and game.opening == "higher_starts"
    cells = {**cells, "dice": list(state.dice), "opening": is_opening}
    chances = chances_of(len(state.dice), is_opening=is_opening)
    dice = tuple(sorted(state.dice))
    return _Roll(cells, dice, Question(state.position, chances, dice))


def _cells(
    name: str,
    moment: Moment,
    opened: MatchOpened,
    game: int,
    turn: int,
    seat: Seat,
) -> Cells:
    """Return the cells that say where something was."""
    return {
        "file": name,
        "line": moment.line,
        "at_ms": moment.fact.at_ms,
        "match": opened.match,
        "attempt": opened.attempt,
        "ruleset": opened.ruleset["name"],
        "game": game,
        "turn": turn,
        "seat": seat,
        "bot": opened.entrants[seat - 1],
        "opponent": opened.entrants[2 - seat],
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Verdict:
    """Judgement of a decision."""

    points: float
    """The value of what was played or called."""
    best: str
    """The best turn or call, as text."""
    best_points: float
    choices: int
    """The number of legal turns, or of numbers of dice to choose from."""


class _Judge:
    """Judge of what a walk through an attempt collected."""

    def __init__(self, game: TablesGame, evaluator: Evaluator, plies: int, walk: _Walk) -> None:
        self._game = game
        self._evaluator = evaluator
        self._plies = plies
        self._walk = walk
        self._evaluations: dict[tuple[int, int], Evaluation] = {}
        """The answer to the roll of each turn, by game and turn."""
        questions = [rolled.question for rolled in walk.rolls]
        answers = evaluate_questions(game, evaluator, questions)
        for rolled, evaluation in zip(walk.rolls, answers, strict=True):
            self._evaluations[_place_of(rolled.cells)] = evaluation

    def luck(self) -> Iterator[RollRow]:
        """Yield the row of every roll, in the order of the record."""
        for rolled in self._walk.rolls:
            evaluation = self._evaluations[_place_of(rolled.cells)]
            win_luck = evaluation.wins[rolled.dice] - evaluation.win_mean
            yield RollRow(
                **rolled.cells,
                best_value=round(evaluation.best[rolled.dice], 6),
                mean=round(evaluation.mean, 6),
                luck=round(evaluation.luck(rolled.dice), 6),
                win_luck=round(win_luck, 6),
                evaluator=self._evaluator.name,
            )

    def decisions(self) -> Iterator[DecisionRow]:
        """Yield the row of every call and every turn played, in the order of the record."""
        decisions = self._walk.decisions
        counts = counts_of([decision.position.state for decision in decisions])
        contact = has_contact(counts, self._evaluator.rules.facing)
        means = self._means_of_choices()
        begin = 0
        for decision, meets in zip(decisions, contact, strict=True):
            if isinstance(decision, _Call):
                end = begin + len(decision.choices)
                verdict = _verdict_on_call(decision, means[begin:end])
                begin = end
            else:
                verdict = self._verdict_on_turn(decision)
            loss = round(1000 * (verdict.best_points - verdict.points), 1)
            yield DecisionRow(
                **decision.cells,
                best=verdict.best,
                value=round(verdict.points, 4),
                best_value=round(verdict.best_points, 4),
                loss=loss,
                mark=mark_of(loss),
                choices=verdict.choices,
                forced=verdict.choices == 1,
                phase="contact" if meets else "race",
                evaluator=self._evaluator.name,
                plies=self._plies,
            )

    def _means_of_choices(self) -> list[float]:
        """Return the mean over the rolls of each choice of each call (B11.3), call by call."""
        questions: list[Question] = []
        for decision in self._walk.decisions:
            if isinstance(decision, _Call):
                position = decision.position
                questions += [Question(position, chances_of(dice)) for dice in decision.choices]
        evaluations = evaluate_questions(self._game, self._evaluator, questions)
        return [evaluation.mean for evaluation in evaluations]

    def _verdict_on_turn(self, turn: _Turn) -> _Verdict:
        """Judge a turn against all legal ones; of equally good turns the one played is the best."""
        evaluated = self._evaluations[_place_of(turn.cells)].of_turns
        assert evaluated is not None, "a turn is played with a roll"
        reachable = evaluated.turns.results()
        played_place = reachable.index(turn.reached)
        [ranking] = rank_by(
            self._game,
            self._evaluator,
            [evaluated.turns],
            [evaluated.points],
            self._plies,
            also=[played_place],
        )
        points = {rated.place: rated.points for rated in ranking}
        best_place = ranking[0].place
        if points[best_place] <= points[played_place]:
            best_place = played_place
        text = turn.cells["played"]
        if best_place != played_place:
            _, ending = reachable[best_place]
            text = self._game.format_turn(evaluated.turns.moves(best_place), turn.position, ending)
        return _Verdict(
            points=points[played_place],
            best=text,
            best_points=points[best_place],
            choices=len(reachable),
        )


def _verdict_on_call(call: _Call, means: Sequence[float]) -> _Verdict:
    """Judge a call by the mean of each choice (B11.3); of equal ones the one called is best."""
    called = int(call.cells["played"])
    points = dict(zip(call.choices, means, strict=True))
    best = max(points, key=lambda dice: (points[dice], dice == called))
    return _Verdict(
        points=points[called],
        best=str(best),
        best_points=points[best],
        choices=len(points),
    )


def _place_of(cells: Cells) -> tuple[int, int]:
    """Return the numbers of the game and of the turn that cells belong to."""
    return cells["game"], cells["turn"]
