"""Learning under supervision: positions of every kind, their worth by a deeper look, networks.

Self-play alone stops getting stronger: its lessons hold the luck of the games, and come from good
games alone. Here every position is looked at one turn deeper, or played out, and many of them come
from games of weak players. They are the best few turns of decisions, so that networks learn what
makes one turn better than another.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from random import Random
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.analysis.arrays import Counts, Floats, Phase, counts_of, phases_of, rows_of
from arena.analysis.evaluator import Evaluator, new_evaluator, other_side, points_of
from arena.analysis.network import Examples, Network, begins_of, loss_of
from arena.analysis.processes import in_processes
from arena.analysis.search import best_turns, dice_to_roll, rank_many, rollout, turns_near_best
from arena.games.playing import rolls
from arena.games.tables.board import Facing
from arena.games.tables.game import TablesGame
from arena.games.tables.position import from_state, swapped
from arena.games.tables.ruleset import Ruleset
from arena.games.tables.turns import Turns
from arena.lab.self_play import latest_positions
from arena.lab.strength import Weakened
from arena.lab.training import Adam, learn

NOISE: Final = (0.0, 0.0, 0.05, 0.15)
"""The noise, in points, of the players of the games that positions come from."""
PATIENCE: Final = 6
"""Turns that are played for each position wanted, at most; rare phases may then have fewer."""
BOARDS: Final = 32
"""Games of each player that positions are taken from, in step."""
PER_DECISION: Final = 2.5
"""Positions that a decision has, about."""
POSITIONS_PER_BATCH: Final = 40
"""Positions that are looked at one turn deeper in one batch."""
GAMES: Final = 36
"""The games in which a position is played out: one with each first roll."""
TURNS: Final = 7
"""Turns of a game that is played out, before the evaluator says what it is worth."""
HELD_OUT: Final = 20
"""One decision in 20 is not learnt, and tells which pass was the best."""
SIEVE_HIDDEN: Final = (64, 16)
SIEVE_ROLLS: Final = 60_000
"""Rolls that a sieve learns from."""
SIEVE_TURNS: Final = 24
"""Turns of a roll that it learns, at most."""
SIEVE_PASSES: Final = 20
SIEVE_RATES: Final = (3e-3, 5e-5)
OTHERS: Final = 0.3
"""The weight of positions of another phase with contact than that of a network."""

Seed: TypeAlias = tuple[int, ...]
Decisions: TypeAlias = Sequence[Sequence[int]]
"""For each decision the packed positions after its best turns, the best one first."""
Valuer: TypeAlias = Callable[[TablesGame, Evaluator, Decisions], Floats]
"""Returns the worth of these positions: probabilities, shape (positions, 2 * ways)."""


class Lessons(NamedTuple):
    """Positions under a ruleset, with their lessons."""

    rules: Ruleset
    states: Sequence[int]
    begins: NDArray[np.bool_]
    """True for the first position of each decision."""
    targets: Floats
    """Shape (states, 2 * ways)."""
    times: int = 1
    """The number of times that a pass learns them."""


LessonMaker: TypeAlias = Callable[[TablesGame, Evaluator, int, Seed], Lessons]
"""Makes lessons of about this number of positions, or of this number of rolls."""


def shares_of(facing: Facing) -> Mapping[Phase, float]:
    """Return the share of each phase in the positions; rare phases get more than in games."""
    if "crashed" in phases_of(facing):
        return {
            "contact": 0.6,
            "crashed": 0.25,
            "race": 0.15,
        }
    return {"contact": 0.85, "race": 0.15}


def draw_positions(
    game: TablesGame,
    evaluator: Evaluator,
    number: int,
    seed: Seed,
) -> list[int]:
    """Return positions after a turn, none twice, in random order.

    They come from games of players of several strengths. Games go on until the rarest phase has
    enough; the others are sampled. Positions that the evaluator's table knows are skipped: no
    network is asked about them.
    """
    shares = shares_of(game.rules.facing)
    random = Random(f"{seed}/diverse")
    wanted = {phase: round(share * number) for phase, share in shares.items()}
    distinct: dict[Phase, dict[int, None]] = {phase: {} for phase in shares}
    games_of_each = []
    for noise in NOISE:
        player = Weakened(evaluator, noise, seed)
        games_of_each.append(latest_positions(game, player, BOARDS, random))
    turns = 0
    # The first loop collects positions, the last one draws from them.
    while turns < PATIENCE * number and _is_short(distinct, wanted):
        latest: list[int] = []
        for games in games_of_each:
            latest += next(games)
            turns += BOARDS
        counts = counts_of(latest)
        is_known = _find_known(evaluator, counts)
        for phase, places in rows_of(counts, game.rules.facing).items():
            for place in places:
                if not is_known[place]:
                    distinct[phase][latest[place]] = None
    states: list[int] = []
    for phase, candidates in distinct.items():
        size = min(wanted[phase], len(candidates))
        states += random.sample(list(candidates), size)
    random.shuffle(states)
    return states


def _is_short(
    distinct: Mapping[Phase, Mapping[int, None]],
    wanted: Mapping[Phase, int],
) -> bool:
    return any(len(distinct[phase]) < wanted[phase] for phase in wanted)


def draw_decisions(
    game: TablesGame,
    evaluator: Evaluator,
    states: Sequence[int],
    random: Random,
) -> list[list[int]]:
    """Roll the dice in each position, and return the turns that deserve a deeper look.

    Turns are positions after them. Endings, and positions that the evaluator's table knows, are
    skipped, and so are decisions in which fewer than two turns remain.
    """
    rolled = list(_roll(game, evaluator, states, random))
    rankings = rank_many(game, evaluator, rolled)
    near: list[list[int]] = []
    for turns, ranking in zip(rolled, rankings, strict=True):
        endings = turns.results()
        going_on = []
        for rated in turns_near_best(ranking):
            state, ending = endings[rated.place]
            if ending is None:
                going_on.append(state)
        near.append(going_on)
    is_known = _find_known(evaluator, counts_of(_join(near)))
    drawn: list[list[int]] = []
    begin = 0
    for going_on in near:
        end = begin + len(going_on)
        unknown = []
        for state, is_skipped in zip(going_on, is_known[begin:end], strict=True):
            if not is_skipped:
                unknown.append(state)
        begin = end
        if len(unknown) > 1:
            drawn.append(unknown)
    return drawn


def _join(decisions: Decisions) -> list[int]:
    """Return the positions of all decisions in a row."""
    return list(chain.from_iterable(decisions))


def _roll(
    game: TablesGame,
    evaluator: Evaluator,
    states: Iterable[int],
    random: Random,
) -> Iterator[Turns]:
    """Yield the legal turns of the side to move in each position, with random dice."""
    for state in states:
        position = from_state(swapped(state), game.rules.layout)
        number = dice_to_roll(game, evaluator, position)
        dice = tuple(random.randrange(1, 7) for _ in range(number))
        yield game.legal_turns(position, dice)


def _find_known(evaluator: Evaluator, counts: Counts) -> NDArray[np.bool_]:
    """Return which positions the table of the evaluator knows."""
    if evaluator.table is None:
        return np.zeros(counts.shape[-1], np.bool_)
    return evaluator.table.covers(counts)


def look_deeper(game: TablesGame, evaluator: Evaluator, decisions: Decisions) -> Floats:
    """Compute the worth of positions after the opponent's best answers to all its rolls.

    The shape is (states, 2 * ways).
    """
    states = _join(decisions)
    batches = [_no_probabilities(evaluator)]
    for begin in range(0, len(states), POSITIONS_PER_BATCH):
        batch = states[begin : begin + POSITIONS_PER_BATCH]
        batches.append(_average_answers(game, evaluator, batch))
    return np.concatenate(batches)


def play_out(game: TablesGame, evaluator: Evaluator, decisions: Decisions) -> Floats:
    """Return the shares of the ways to end when positions are played out.

    The shape is (states, 2 * ways). All turns of a decision have the same dice, so that their
    differences have little luck.
    """
    shares = [_no_probabilities(evaluator)]
    for states in decisions:
        games = rollout(
            game,
            evaluator,
            states,
            games=GAMES,
            seed=states[0],  # any number that depends on the decision alone
            turns=TURNS,
        )
        shares.append(games.probabilities)
    return np.concatenate(shares)


def _no_probabilities(evaluator: Evaluator) -> Floats:
    """Return the worth of no positions: a small number of positions may have no decision."""
    return np.zeros((0, 2 * len(evaluator.ways)), dtype=np.float32)


def make_lessons(
    game: TablesGame,
    evaluator: Evaluator,
    number: int,
    seed: Seed,
    value: Valuer,
) -> Lessons:
    """Draw decisions with about `number` positions, and find their worth.

    A small number may give no decision.
    """
    states = draw_positions(game, evaluator, round(number / PER_DECISION), seed)
    drawn = draw_decisions(game, evaluator, states, Random(f"{seed}/dice"))
    return _lessons_of(game, drawn, value(game, evaluator, drawn))


def _lessons_of(game: TablesGame, drawn: Decisions, targets: Floats) -> Lessons:
    states = _join(drawn)
    begins = np.zeros(len(states), np.bool_)
    begin = 0
    for decision in drawn:
        if decision:
            begins[begin] = True
        begin += len(decision)
    return Lessons(game.rules, states, begins, targets)


def rate_every_turn(
    game: TablesGame,
    evaluator: Evaluator,
    number: int,
    seed: Seed,
) -> Lessons:
    """Roll the dice in `number` positions; return every turn with the evaluator's probabilities."""
    random = Random(f"{seed}/every turn")
    states = draw_positions(game, evaluator, number, seed)
    drawn: list[list[int]] = []
    for turns in _roll(game, evaluator, states, random):
        going_on, _ = turns.states_and_endings()
        distinct = list(dict.fromkeys(going_on))
        size = min(len(distinct), SIEVE_TURNS)
        drawn.append(random.sample(distinct, size))
    return _lessons_of(game, drawn, evaluator.probabilities(_join(drawn)))


def train_sieve(
    evaluator: Evaluator,
    lessons: Sequence[Lessons],
    seed: int,
    workers: int = 1,
) -> Evaluator:
    """Return small networks that have learnt an evaluator's probabilities of every turn."""
    sieve = new_evaluator(
        evaluator.name,
        evaluator.rules,
        SIEVE_HIDDEN,
        seed,
        is_sieve=True,
    )
    learn_from(
        sieve,
        lessons,
        SIEVE_PASSES,
        SIEVE_RATES,
        seed,
        workers,
    )
    return replace(sieve, table=evaluator.table)


def learn_from(
    evaluator: Evaluator,
    lessons: Sequence[Lessons],
    passes: int,
    rates: tuple[float, float],
    seed: int,
    workers: int = 1,
) -> dict[Phase, float]:
    """Learn in passes with a falling rate, and take the weights of the best pass.

    It changes the weights of the evaluator. Each network for positions with contact learns all of
    these, its own with more weight. Returns the loss of the last of `lessons` by what is held out,
    in nats. Up to one process for each network.
    """
    phases = list(evaluator.networks)
    make = partial(
        _learn,
        evaluator,
        lessons,
        passes,
        rates,
        seed,
    )
    losses: dict[Phase, float] = {}
    best_passes = in_processes(make, phases, min(workers, len(phases)))
    for phase, (arrays, loss) in zip(phases, best_passes, strict=True):
        losses[phase] = loss
        network = evaluator.networks[phase]
        for array, learnt in zip(network.arrays, arrays, strict=True):
            array[:] = learnt
    return losses


@dataclass(frozen=True, slots=True)
class _NetworkLessons:
    """Everything that one network learns."""

    examples: Examples
    order: NDArray[np.intp]
    """The rows that are learnt in a pass, some of them several times; those of a decision side by
    side."""
    held_out: NDArray[np.intp]
    """The rows that are not learnt."""

    def shuffle(self, chance: np.random.Generator) -> NDArray[np.intp]:
        """Return the order of another pass: decisions by chance, each in one piece."""
        decisions = self.examples.decisions
        assert decisions is not None
        begins = begins_of(decisions[self.order])
        parts = np.split(self.order, begins[1:])
        return np.concatenate([parts[place] for place in chance.permutation(len(parts))])


class _LessonRows(NamedTuple):
    """The rows that a network learns from one part of the lessons."""

    inputs: Floats
    targets: Floats
    is_own: NDArray[np.bool_]
    """True for positions of the network's own phase."""
    decisions: NDArray[np.intp]

    @property
    def weights(self) -> Floats:
        """The weight of each row."""
        return np.where(self.is_own, np.float32(1), np.float32(OTHERS))

    @property
    def is_held_out(self) -> NDArray[np.bool_]:
        """True for rows that are not learnt."""
        is_held_out: NDArray[np.bool_] = self.decisions % HELD_OUT == 0
        return is_held_out


def _rows_of(evaluator: Evaluator, phase: Phase, lessons: Lessons) -> _LessonRows:
    """Return the positions that concern a network: races, or all with contact."""
    counts = counts_of(lessons.states)
    places_of = rows_of(counts, evaluator.rules.facing)
    concerned = []
    for kind, places in places_of.items():
        if (kind == "race") == (phase == "race"):
            concerned.append(places)
    sorted_places = np.sort(np.concatenate(concerned))
    under = evaluator.under(lessons.rules)
    inputs = under.inputs_of(counts[..., sorted_places], phase)
    return _LessonRows(
        inputs=np.ascontiguousarray(inputs),
        targets=lessons.targets[sorted_places][:, evaluator.columns(phase)],
        is_own=np.isin(sorted_places, places_of[phase]),
        decisions=np.cumsum(lessons.begins)[sorted_places],
    )


def _join_lessons(
    evaluator: Evaluator, phase: Phase, lessons: Sequence[Lessons]
) -> _NetworkLessons:
    """Put the rows of all parts together; only the last part is held out."""
    parts = [_rows_of(evaluator, phase, part) for part in lessons]
    decisions = []
    order = [np.empty(0, np.intp)]
    held_out = [np.empty(0, np.intp)]
    first_row = first_decision = 0
    for part, rows in zip(lessons, parts, strict=True):
        decisions.append(first_decision + rows.decisions)
        first_decision += len(part.states)  # more than there are decisions
        numbers = np.arange(first_row, first_row + len(rows.decisions))
        first_row += len(numbers)
        order += [numbers[~rows.is_held_out]] * part.times
        if part is lessons[-1]:
            held_out.append(numbers[rows.is_held_out & rows.is_own])
    points = points_of(evaluator.ways, evaluator.rules)
    examples = Examples(
        inputs=np.concatenate([rows.inputs for rows in parts]),
        targets=np.concatenate([rows.targets for rows in parts]),
        weights=np.concatenate([rows.weights for rows in parts]),
        decisions=np.concatenate(decisions),
        points=points[evaluator.columns(phase)],
    )
    return _NetworkLessons(examples, np.concatenate(order), np.concatenate(held_out))


def _learn(
    evaluator: Evaluator,
    lessons: Sequence[Lessons],
    passes: int,
    rates: tuple[float, float],
    seed: int,
    phase: Phase,
) -> tuple[list[Floats], float]:
    """Return the arrays of the network of a phase after its best pass, and its loss."""
    network = evaluator.networks[phase]
    joined = _join_lessons(evaluator, phase, lessons)
    adam = Adam(network.arrays)
    chance = np.random.default_rng((seed, 1 << 32))
    least, best = _loss(network, joined), _copy_arrays(network)
    for rate in np.geomspace(*rates, passes):
        learn(
            network,
            adam,
            joined.examples,
            joined.shuffle(chance),
            float(rate),
        )
        loss = _loss(network, joined)
        if loss <= least:
            least, best = loss, _copy_arrays(network)
    return best, least


def _copy_arrays(network: Network) -> list[Floats]:
    return [array.copy() for array in network.arrays]


def _loss(network: Network, lessons: _NetworkLessons) -> float:
    """Return the loss of the positions that are held out; 0 if there are none."""
    if not len(lessons.held_out):
        return 0.0
    examples = lessons.examples.of(lessons.held_out)
    loss, _ = loss_of(network.probabilities(examples.inputs), examples)
    return loss


def _average_answers(game: TablesGame, evaluator: Evaluator, states: Sequence[int]) -> Floats:
    """Average the probabilities after the best answers to all rolls."""
    questions, weights = [], []
    for place, state in enumerate(states):
        position = from_state(swapped(state), game.rules.layout)
        chances = rolls(dice_to_roll(game, evaluator, position))
        for roll, chance in chances.items():
            questions.append((position, roll))
            weights.append((place, np.float32(chance)))
    answers = best_turns(game, evaluator, questions)
    going_on = [best.state for best in answers if best.ending is None]
    probabilities = evaluator.probabilities(going_on)
    means = np.zeros((len(states), 2 * len(evaluator.ways)), dtype=np.float32)
    looked_up = 0
    for (place, weight), best in zip(weights, answers, strict=True):
        if best.ending:
            column = evaluator.ways.index((best.ending.name, best.ending.monk))
            means[place, column] += weight
        else:
            means[place] += weight * probabilities[looked_up]
            looked_up += 1
    return other_side(means)
