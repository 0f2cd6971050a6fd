"""The positions of an examination of Brandubh: from games of players of all strengths, their turns proved by search.

They are positions in which the opponent threatens to win at once and few turns meet the threat, so
that the worth of every turn can be searched for: 1 if it is proved to win, -1 if it is proved to
lose, else 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Final, get_args

from arena.analysis.examination import ExamPhase, ExamPosition, TaflPhase
from arena.analysis.processes import in_processes
from arena.games.brandubh.board import BESIDE, SQUARES
from arena.games.brandubh.game import BrandubhGame
from arena.games.brandubh.moves import ending_of, legal_moves, moves_of, play
from arena.games.brandubh.position import BrandubhPosition, Side
from arena.games.brandubh.ruleset import BrandubhRuleset
from arena.games.interface import Turn
from arena.lab.positions import Chosen, Decision, drawn, examined
from arena.lab.proofs import Prover, can_win, is_won

PLAYERS: Final = ((0, 0.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 0.6), (3, 0.0), (3, 0.6))
"""Players of all strengths: turns that they look ahead, none for chance, and noise in warriors."""
LONGEST: Final = 120
"""Turns of a game, after which it is given up."""
MOST: Final = 8
"""Turns of a position, at most, that are not lost at once."""
FIRST_LOOKS: Final = 50
"""Looks of a proof that tell the phase of a position, for each turn and side."""
WIN: Final = 1000.0
"""What a win is worth to players, in warriors."""
HIDDEN_LOSSES: Final = 19 / 132
"""The share of turns without a proof, where no turn is proved to win, that ten times the looks
prove to lose."""
HIDDEN_WINS: Final = 7 / 30
"""The share of turns without a proof, where another is proved to win, that ten times the looks
prove to win."""


def decisions(game: BrandubhGame, seed: int, number: int) -> list[tuple[Decision, ExamPhase]]:
    """The decisions of one game in which something is at stake, with their phases; the players are drawn for it."""
    rules, chance, found = (
        game.rules,
        Random(f"{seed}/{number}"),
        list[tuple[Decision, ExamPhase]](),
    )
    players, position, last = (chance.choice(PLAYERS), chance.choice(PLAYERS)), game.start(), None
    for turn in range(LONGEST):
        if ending_of(rules, position) is not None:
            break
        fresh = BrandubhPosition(position.black, position.white, position.king, position.to_move)
        phase = phase_of(rules, fresh)
        if phase is not None:
            found.append((Decision(fresh, (), turn + 1, last), phase))
        position, moves = _played(rules, position, *players[turn % 2], chance)
        last = (), moves
    return found


def phase_of(rules: BrandubhRuleset, position: BrandubhPosition) -> ExamPhase | None:
    """Return what is at stake in a position; None if it is nothing, or more turns than `MOST` are not lost at once."""
    after = [play(rules, position, move) for move in legal_moves(position)]
    meeting = [one for one in after if is_won(one) or not can_win(rules, one)]
    if not 0 < len(meeting) <= MOST or len(meeting) == len(after):
        return None
    if any(map(is_won, meeting)):
        return "win at once"
    worths = Proofs(rules, position).worths(meeting, FIRST_LOOKS)
    if max(worths) < 0:
        return None
    return "win" if max(worths) > 0 else "trap" if min(worths) < 0 else "threat"


class Proofs:
    """Proofs for the turns of one position."""

    def __init__(self, rules: BrandubhRuleset, position: BrandubhPosition) -> None:
        other: Side = "white" if position.to_move == "black" else "black"
        self._mine, self._others = Prover(rules, position.to_move), Prover(rules, other)

    def worths(self, after: Sequence[BrandubhPosition], looks: int) -> list[int]:
        """The worth of each turn by the position after it, with so many looks at most for each turn and side."""
        return [
            1
            if is_won(one)
            else -1
            if self._others.proves(one, looks)
            else int(self._mine.proves(one, looks))
            for one in after
        ]


def floor_of(worths: Sequence[int]) -> float:
    """Return the expected loss, in wins, of one of the really best turns, by the shares of hidden losses and wins."""
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
    """Positions that the proofs of one decision look at, at most, beside those that tell its phase."""

    @property
    def judge(self) -> str:
        """The name of the search."""
        return "proofs"

    @property
    def judged_with(self) -> dict[str, int | float | str]:
        """All that the losses depend on besides the seed."""
        return {"looks": self.looks}

    def chosen(self, number: int, seed: int, workers: int) -> Chosen:
        """Decisions of as many games, and the shares of their phases."""
        games = in_processes(partial(decisions, self.game, seed), range(number), workers)
        taken, shares = drawn([one for found in games for one in found], number, seed)
        return taken, {phase: shares.get(phase, 0.0) for phase in get_args(TaflPhase)}

    def judged(self, one: tuple[int, Decision, ExamPhase], seed: int) -> ExamPosition:  # noqa: ARG002 - no chance here
        """Say what the turns of a decision lose: those that nothing is proved of share the looks."""
        _, decision, phase = one
        rules, position = self.game.rules, decision.position
        after = [play(rules, position, move) for move in legal_moves(position)]
        proofs = Proofs(rules, position)
        worths = proofs.worths(after, FIRST_LOOKS)
        open_ = [place for place, worth in enumerate(worths) if not worth]
        deeper = proofs.worths(
            [after[place] for place in open_], self.looks // (2 * max(1, len(open_)))
        )
        for place, worth in zip(open_, deeper, strict=True):
            worths[place] = worth
        best, points = max(worths), rules.points_win
        return examined(
            self.game,
            decision,
            phase,
            value=points * best,
            losses=[1000 * points * (best - worth) for worth in worths],
            floor=1000 * points * floor_of(worths),
        )


def _played(
    rules: BrandubhRuleset, position: BrandubhPosition, ahead: int, noise: float, chance: Random
) -> tuple[BrandubhPosition, Turn]:
    """Play a turn as a player does."""
    moves = legal_moves(position)
    chance.shuffle(moves)
    best, most = moves[0], -WIN * 2
    for move in moves if ahead else ():
        after = play(rules, position, move)
        ending = ending_of(rules, after)
        if ending is None:
            value = -_value(rules, after, ahead - 1, -2 * WIN, -most, noise, chance)
        else:
            value = 0.0 if ending.is_drawn else 1.5 * WIN
        if value > most:
            best, most = move, value
    origin, target = best
    return play(rules, position, best), ((SQUARES[origin], SQUARES[target]),)


def _value(
    rules: BrandubhRuleset,
    position: BrandubhPosition,
    ahead: int,
    alpha: float,
    beta: float,
    noise: float,
    chance: Random,
) -> float:
    """Alpha-beta, for the side to move, in warriors."""
    if can_win(rules, position):
        return WIN + ahead
    if not ahead:
        return _judged_at_once(position) + noise * chance.gauss(0, 1)
    most = -2 * WIN
    for move in legal_moves(position):
        most = max(
            most,
            -_value(rules, play(rules, position, move), ahead - 1, -beta, -alpha, noise, chance),
        )
        alpha = max(alpha, most)
        if alpha >= beta:
            break
    return most if most > -2 * WIN else 0.0  # T9: a side without a move draws


def _judged_at_once(position: BrandubhPosition) -> float:
    """In warriors: the warriors, what the king can reach, and who stands beside him."""
    square = position.king.bit_length() - 1
    white = position.white.bit_count() - position.black.bit_count() + 4
    value = (
        white
        + 0.2 * len(moves_of(position, square))
        - 0.2 * (BESIDE[square] & position.black).bit_count()
    )
    return value if position.to_move == "white" else -value
