"""Whole games put to a bot: the check rolls, plays the other side at random, and keeps its clock.

A game repeats exactly if the bot plays the same turns: dice and opponent follow from the number of
the turn.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from arena.games import Game, Legal
from arena.games.interface import Dice, Ending, Turn
from arena.matches.time_control import TimeControl
from arena.services.conversation import Conversation, Words
from protocol.fields import Outcome, Score
from protocol.messages import GameEnd, GameStart, Last, MatchEnd, Play, TurnClock
from protocol.messages import Turn as Asked

MOST_TURNS: Final = 1000
"""Of both sides together (B10.3)."""
TURN_LIMIT: Final = Ending(name="turn_limit", points=0, clause="B10.3", is_drawn=True)
SHORT_GAMES: Final = 5
"""The number of games where there are no dice: a strong bot may win one in four turns."""
Ask: TypeAlias = Callable[..., Asked]
"""Makes a turn with its legal turns, from its fields."""


def games_of(game: Game[Any]) -> int:
    """Return how many games a bot has to play, so that it has some twenty turns in one process."""
    if game.dice_to_roll(game.start()):
        return 1
    return SHORT_GAMES


def play_games(
    conversation: Conversation,
    game: Game[Any],
    clock: TimeControl,
    match: str,
    ask: Ask,
) -> Iterator[Words]:
    """Yield every word of the games, up to the end of the match."""
    score: Score = (0, 0)
    turns = 0
    for number in range(1, games_of(game) + 1):
        played = WholeGame(game, clock, ask, number)
        starts = number % 2 == 1
        start = GameStart(game=number, match=match, number=number, seat=1, starts=starts)
        yield Words(messages=(start,))
        yield from played.turns(conversation, starts=starts)
        turns += played.turns_of_bot
        mine, theirs = score
        score = (mine + played.points_of("won"), theirs + played.points_of("lost"))
        yield Words(messages=(played.end(match, score),))
    conversation.note = conversation.note or f"{turns} turns of the bot"
    end = MatchEnd(match=match, result=_outcome_of(score), score=score)
    yield Words(messages=(end,))


def _outcome_of(score: Score) -> Outcome:
    """Return how the bot fared in a match with this score."""
    mine, theirs = score
    if mine == theirs:
        return "drawn"
    return "won" if mine > theirs else "lost"


class WholeGame:
    """One game: the position, the clock of the bot, the opponent's last turn, and how it ended."""

    def __init__(self, game: Game[Any], clock: TimeControl, ask: Ask, number: int) -> None:
        self._game = game
        self._clock = clock
        self._ask = ask
        self._number = number
        self._position = game.start()
        self._left_ms = clock.full[0]
        self._spent_ms = 0
        self._last: Last | None = None
        self._ending: Ending | None = None
        self._is_by_bot = False
        """True if the bot played the last turn."""
        self.turns_of_bot = 0

    def turns(self, conversation: Conversation, *, starts: bool) -> Iterator[Words]:
        """Yield every turn of the bot, until the game is over."""
        is_bots = starts
        for turn in range(1, MOST_TURNS + 1):
            dice = self._roll(turn)
            if is_bots:
                question = self._question(turn, dice)
                yield Words(messages=(question,))
                self._play(dice, self._answer(conversation, question))
            else:
                moves = self._moves_of_opponent(turn, dice)
                self._last = Last(dice=dice, moves=moves)
                self._play(dice, moves)
            self._is_by_bot = is_bots
            if self._ending is not None:
                return
            is_bots = not is_bots
        self._ending = TURN_LIMIT

    def _question(self, turn: int, dice: Dice) -> Asked:
        clock = TurnClock(
            left_ms=self._left_ms,
            opponent_left_ms=self._clock.full[1],
            spent_ms=self._spent_ms,
            delay_left_ms=self._clock.delay_ms,
        )
        plain = self._game.to_plain(self._position)
        return self._ask(
            game=self._number,
            turn=turn,
            dice=dice,
            plain=plain,
            clock=clock,
            last=self._last,
        )

    def _answer(self, conversation: Conversation, question: Asked) -> Turn:
        """Return the moves of the bot's answer, and take its time off the clock."""
        self.turns_of_bot += 1
        self._spent_ms = conversation.spent_ms[self._number]
        left_ms = self._clock.after_turn(self._left_ms, self._spent_ms)
        assert left_ms is not None, "an answer that comes too late ends the situation"
        self._left_ms = left_ms
        answer = conversation.answers[self._number]
        assert isinstance(answer, Play), "a turn is answered with a play"
        if answer.moves is not None:
            return answer.moves
        assert question.legal is not None, "a script lists the legal turns"
        assert answer.choice is not None, "no draw was offered that it could accept"
        return question.legal[answer.choice]

    def _moves_of_opponent(self, turn: int, dice: Dice) -> Turn:
        turns = self._game.legal_turns(self._position, dice)
        return turns.moves(self._chance(turn, "moves") % len(turns))

    def _play(self, dice: Dice, moves: Turn) -> None:
        verdict = self._game.judge(self._position, dice, moves)
        assert isinstance(verdict, Legal), "the conversation refuses illegal turns"
        self._ending = verdict.ending
        self._position = self._game.flip(verdict.position)

    def _roll(self, turn: int) -> Dice:
        """Return the dice of a turn; if the throw for the start is played, it is no double (G2)."""
        number = self._game.dice_to_roll(self._position)
        dice = tuple(self._chance(turn, f"die {die}") % 6 + 1 for die in range(number))
        if turn == 1 and self._game.opening == "higher_starts" and dice[0] == dice[1]:
            return (dice[0], dice[0] % 6 + 1)
        return dice

    def _chance(self, turn: int, purpose: str) -> int:
        """Return a number that looks random, the same for the same turn and purpose."""
        text = f"game {self._number}, turn {turn}, {purpose}"
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")

    @property
    def result(self) -> Outcome:
        """The outcome for the bot."""
        if self._ending is None or self._ending.is_drawn:
            return "drawn"
        return "won" if self._is_by_bot else "lost"

    def points_of(self, outcome: Outcome) -> int:
        """Return the points of the game if it had this outcome, else 0."""
        if self._ending is None or self.result != outcome:
            return 0
        return self._ending.points

    def end(self, match: str, score: Score) -> GameEnd:
        """Return the message to the bot at the end of the game."""
        ending = self._ending
        assert ending is not None, "it is over"
        return GameEnd(
            game=self._number,
            match=match,
            number=self._number,
            result=self.result,
            ending=ending.name,
            clause=ending.clause,
            monk=ending.monk,
            points=ending.points,
            score=score,
            last=None if self._is_by_bot else self._last,
        )
