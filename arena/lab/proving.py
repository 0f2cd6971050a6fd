"""The positions of an examination of Brandubh, and what their turns lose.

They come from games of players of all strengths, and a search proves their turns. They are
positions in which the opponent threatens to win at once and few turns meet the threat, so that the
worth of every turn can be searched for: 1 if it is proved to win, -1 if it is proved to lose, else
0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final, get_args

from arena.analysis.examination import (
    ExamPhase,
    ExamPosition,
    TaflPhase,
)
from arena.analysis.processes import in_processes
from arena.games.brandubh.board import BESIDE, SQUARES
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.moves import (
    ending_of,
    legal_moves,
    moves_of,
    play,
)
from arena.games.brandubh.position import BrandubhPosition, Side
from arena.games.brandubh.ruleset import BrandubhRuleset
from arena.games.interface import Dice, Turn
from arena.lab.positions import (
    Chosen,
    Numbered,
    PlayedDecision,
    draw_decisions,
    new_position,
)
from arena.lab.proofs import (
    Prover,
    can_win,
    is_won,
)

PLAYERS: Final = ((0, 0.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 0.6), (3, 0.0), (3, 0.6))
"""Players of all strengths: turns that they look ahead, none for chance, and noise in warriors."""
LONGEST: Final = 120
"""Turns of a game, after which it is given up."""
MOST: Final = 8
"""Turns of a position, at most, that are not lost at once."""
FIRST_LOOKS: Final = 50
"""Looks of a proof that tell the phase of a position, for each turn and side."""
WIN: Final = 1000.0
"""The worth of a win to players, in warriors."""
HIDDEN_LOSSES: Final = 19 / 132
"""The share of turns without a proof, where no turn is proved to win, that ten times the looks
prove to lose."""
HIDDEN_WINS: Final = 7 / 30
"""The share of turns without a proof, where another is proved to win, that ten times the looks
prove to win."""


def play_game(
    game: BrandubhGame,
    seed: int,
    number: int,
) -> list[tuple[PlayedDecision, ExamPhase]]:
    """Play a game and return its decisions in which something is at stake, with their phases.

    The players are drawn for the game.
    """
    rules = game.rules
    random = Random(f"{seed}/{number}")
    players = (random.choice(PLAYERS), random.choice(PLAYERS))
    position = game.start()
    last: tuple[Dice, Turn] | None = None
    at_stake: list[tuple[PlayedDecision, ExamPhase]] = []
    for turn in range(LONGEST):
        if ending_of(rules, position) is not None:
            break
        fresh = BrandubhPosition(position.black, position.white, position.king, position.to_move)
        phase = phase_of(rules, fresh)
        if phase is not None:
            at_stake.append((PlayedDecision(fresh, (), turn + 1, last), phase))
        ahead, noise = players[turn % 2]
        position, moves = _play_turn(
            rules,
            position,
            ahead,
            noise,
            random,
        )
        last = (), moves
    return at_stake


def phase_of(rules: BrandubhRuleset, position: BrandubhPosition) -> ExamPhase | None:
    """Return what is at stake in a position.

    None if it is nothing, or if more turns than `MOST` are not lost at once.
    """
    # One guard per way in which nothing is at stake.
    after = [play(rules, position, move) for move in legal_moves(position)]
    meeting = []
    for next_position in after:
        is_met = is_won(next_position) or not can_win(rules, next_position)
        if is_met:
            meeting.append(next_position)
    if not 0 < len(meeting) <= MOST or len(meeting) == len(after):
        return None
    if any(map(is_won, meeting)):
        return "win at once"
    worths = Proofs(rules, position).worths(meeting, FIRST_LOOKS)
    best, worst = max(worths), min(worths)
    if best < 0:
        return None
    if best > 0:
        return "win"
    return "trap" if worst < 0 else "threat"


class Proofs:
    """Proofs for the turns of one position."""

    def __init__(self, rules: BrandubhRuleset, position: BrandubhPosition) -> None:
        opponent: Side = "white" if position.to_move == "black" else "black"
        self._mine = Prover(rules, position.to_move)
        self._others = Prover(rules, opponent)

    def worths(self, after: Sequence[BrandubhPosition], looks: int) -> list[int]:
        """Return the worth of each turn by the position after it.

        Each turn and side gets `looks` at most.
        """
        return [self.worth(position, looks) for position in after]

    def worth(self, position: BrandubhPosition, looks: int) -> int:
        """Return the worth of the turn to a position: 1, 0 or -1."""
        if is_won(position):
            return 1
        if self._others.proves(position, looks):
            return -1
        return int(self._mine.proves(position, looks))


def floor_of(worths: Sequence[int]) -> float:
    """Return the expected loss, in wins, of a turn that is really among the best.

    It follows from the shares of hidden losses and wins.
    """
    won, unproved = worths.count(1), worths.count(0)
    if not unproved:
        return 0.0
    if won:
        hidden = HIDDEN_WINS * unproved
        return hidden / (won + hidden)
    return HIDDEN_LOSSES**unproved * worths.count(-1) / len(worths)


@dataclass(frozen=True, slots=True)
class Proving:
    """The truth of Brandubh, as far as proofs show."""

    game: BrandubhGame
    looks: int = 6000
    """The most positions that the proofs of a decision look at, after the first looks."""

    @property
    def judge(self) -> str:
        """The name of the search."""
        return "proofs"

    @property
    def judged_with(self) -> dict[str, int | float | str]:
        """Everything that the losses depend on besides the seed."""
        return {"looks": self.looks}

    def choose(
        self,
        number: int,
        seed: int,
        workers: int,
    ) -> Chosen:
        """Play `number` games and draw at most as many of their decisions.

        Returns the share of each phase, too.
        """
        play_one = partial(play_game, self.game, seed)
        pool: list[tuple[PlayedDecision, ExamPhase]] = []
        for at_stake in in_processes(play_one, range(number), workers):
            pool += at_stake
        return draw_decisions(pool, number, seed, get_args(TaflPhase))

    def examine(
        self,
        numbered: Numbered,
        seed: int,  # noqa: ARG002 - no chance here
    ) -> ExamPosition:
        """Say what the turns of a decision lose: turns without a proof share the looks."""
        _, decision, phase = numbered
        rules, position = self.game.rules, decision.position
        after = [play(rules, position, move) for move in legal_moves(position)]
        proofs = Proofs(rules, position)
        worths = proofs.worths(after, FIRST_LOOKS)
        unproved = worths.count(0)
        looks = self.looks // (2 * max(1, unproved))
        for place, worth in enumerate(worths):
            if worth == 0:
                worths[place] = proofs.worth(after[place], looks)
        best, points = max(worths), rules.points_win
        return new_position(
            self.game,
            decision,
            phase,
            value=points * best,
            losses=[1000 * points * (best - worth) for worth in worths],
            floor=1000 * points * floor_of(worths),
        )


def _play_turn(
    rules: BrandubhRuleset,
    position: BrandubhPosition,
    ahead: int,
    noise: float,
    random: Random,
) -> tuple[BrandubhPosition, Turn]:
    """Play a turn as a player does."""
    moves = legal_moves(position)
    random.shuffle(moves)
    best, most = moves[0], -WIN * 2
    if ahead:
        for move in moves:
            after = play(rules, position, move)
            ending = ending_of(rules, after)
            if ending is None:
                worth = -_search(
                    rules,
                    after,
                    ahead - 1,
                    -2 * WIN,
                    -most,
                    noise,
                    random,
                )
            elif ending.is_drawn:
                worth = 0.0
            else:
                worth = 1.5 * WIN
            if worth > most:
                best, most = move, worth
    origin, target = best
    return play(rules, position, best), ((SQUARES[origin], SQUARES[target]),)


def _search(
    rules: BrandubhRuleset,
    position: BrandubhPosition,
    ahead: int,
    alpha: float,
    beta: float,
    noise: float,
    random: Random,
) -> float:
    """Search by alpha-beta, for the side to move; the answer is in warriors."""
    if can_win(rules, position):
        return WIN + ahead
    if not ahead:
        return _static_value(position) + noise * random.gauss(0, 1)
    most = -2 * WIN
    for move in legal_moves(position):
        after = play(rules, position, move)
        worth = -_search(
            rules,
            after,
            ahead - 1,
            -beta,
            -alpha,
            noise,
            random,
        )
        most = max(most, worth)
        alpha = max(alpha, most)
        if alpha >= beta:
            break
    if most == -2 * WIN:
        return 0.0  # T9: a side without a move draws
    return most


def _static_value(position: BrandubhPosition) -> float:
    """Count warriors, the squares that the king can reach, and the warriors beside him."""
    square = position.king.bit_length() - 1
    warriors = position.white.bit_count() - position.black.bit_count() + 4
    reached = len(moves_of(position, square))
    beside = (BESIDE[square] & position.black).bit_count()
    for_white = warriors + 0.2 * reached - 0.2 * beside
    if position.to_move == "white":
        return for_white
    return -for_white
