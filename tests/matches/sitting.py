"""A match without a shell: tests say who comes, leaves, plays and waits; the machine says what follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from arena.games import Game, load_game, ruleset_record
from arena.matches import match
from arena.matches.facts import (
    Action,
    Ask,
    AskCall,
    BotReady,
    Entrant,
    Fact,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchVoided,
    Pair,
    Roll,
    Seat,
    Terms,
    Throw,
)
from arena.matches.state import MatchState, Step, open_game_of
from arena.records.dice import Dealer, commitment, dealer

VASA: Game[Any] = load_game("vasa")
START_MS = 1_700_000_000_000
SEED = bytes(range(32))
ILLEGAL = [[1, 24], [24, 1]]
"""Moves that no roll allows."""

TERMS = Terms(games=3, delay_ms=100, bank_ms=1000, rejections=2, turn_limit=1000, startup_ms=5000)


class Script:
    """Dice in the order in which they are to come up; complains when there are too few of them."""

    def __init__(self, numbers: str) -> None:
        self.left = [int(number) for number in numbers if number.isdigit()]

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        assert self.left, "the test has not scripted enough dice"
        return self.left.pop(0)


class Sitting:
    """Feeds the machine and does what it requests; `facts` is what would stand in the record.

    Dice come from the seed, as in the arena, or from a `Script`. Every turn is written as soon as it is asked for.
    `now_ms` moves only when a test waits.
    """

    def __init__(
        self,
        *,
        terms: Terms = TERMS,
        dice: str | None = None,
        rules: Game[Any] = VASA,
        fixture: str = "r1-anna-v-bo",
        attempt: int = 1,
        seed: bytes = SEED,
        now_ms: int = START_MS,
        opened: MatchOpened | None = None,
    ) -> None:
        self.rules = rules
        self.seed = seed
        self.now_ms = now_ms
        self.script = None if dice is None else Script(dice)
        names = fixture.split("-", 1)[1].split("-v-")
        self.opened = opened or MatchOpened(
            at_ms=now_ms,
            match=fixture,
            attempt=attempt,
            ruleset=ruleset_record(rules),
            terms=terms,
            entrants=(names[0], names[1]),
            dice_commitment=commitment(seed),
        )
        self.facts: list[Fact] = []
        self.last: list[Fact] = []
        """The facts of the last event."""
        self._dealer: Dealer | None = None
        self._chosen: int | None = None
        step = match.open_match(self.opened)
        self.state: MatchState = step.state
        self._take(step)

    # What tests say

    def ready(self, *seats: Seat, entropy: str = "", version: str = "1") -> list[Fact]:
        """The bots at these seats are ready; both if none is named."""
        before = len(self.facts)
        for seat in seats or (1, 2):
            name = self.opened.entrants[seat - 1]
            entrant = Entrant(name=name, version=version, fingerprint=f"{name} build")
            self.catches_up()
            fact = BotReady(at_ms=self.now_ms, seat=seat, entrant=entrant, entropy=entropy)
            self._take(match.bot_ready(self.rules, self.state, fact))
        self.last = self.facts[before:]
        return self.last

    def leaves(self, seat: Seat, *, grace_ms: int = 500, reason: str = "it hung up") -> list[Fact]:
        """A bot's connection is lost."""
        before = len(self.facts)
        self.catches_up()
        step = match.bot_left(self.rules, self.state, seat, reason, grace_ms=grace_ms, now_ms=self.now_ms)
        self._take(step)
        self.last = self.facts[before:]
        return self.last

    def catches_up(self) -> None:
        """What ran out comes before the next event, as whoever drives the machine has to see to."""
        while (due := match.due_ms(self.state)) is not None and due <= self.now_ms:
            self._take(match.time_passed(self.rules, self.state, self.now_ms))

    def waits(self, milliseconds: int) -> list[Fact]:
        """Time passes, and the machine is told each time it wanted to be told."""
        before = len(self.facts)
        end_ms = self.now_ms + milliseconds
        while (due := match.due_ms(self.state)) is not None and due <= end_ms:
            self.now_ms = max(due, self.now_ms)
            self._take(match.time_passed(self.rules, self.state, self.now_ms))
        self.now_ms = end_ms
        self.last = self.facts[before:]
        return self.last

    def plays(self, moves: Any = None, *, info: object = None, offers_draw: bool = False) -> list[Fact]:
        """The bot to move answers; with its first legal turn unless moves are given."""
        number = self.game.number
        if moves is None:
            moves = self.legal[0].moves
        return self._take(
            match.answered(
                self.rules, self.state, number, moves, info=info, now_ms=self.now_ms, offers_draw=offers_draw
            )
        )

    def accepts_draw(self, *, info: object = None) -> list[Fact]:
        """The bot to move accepts a draw in place of a turn."""
        number = self.game.number
        return self._take(match.draw_accepted(self.rules, self.state, number, info=info, now_ms=self.now_ms))

    def calls(self, dice: int = 2) -> list[Fact]:
        """The bot to move calls for so many dice."""
        number = self.game.number
        return self._take(match.called(self.rules, self.state, number, dice, now_ms=self.now_ms))

    def plays_illegally(self) -> list[Fact]:
        """The bot to move answers with what no roll allows."""
        return self.plays(ILLEGAL)

    def void(self, reason: str = "the arena was stopped") -> list[Fact]:
        """The match is stopped through no bot's fault."""
        return self._take(match.void(self.state, reason, self.now_ms))

    # What tests look at

    def at(self, number: int) -> Sitting:
        """From now on it is this game that is played and looked at, where two are open."""
        self._chosen = number
        return self

    @property
    def game(self) -> Any:
        """The one open game, or the one that was chosen."""
        if self._chosen is not None:
            return open_game_of(self.state, self._chosen)
        [game] = self.state.games
        return game

    @property
    def asked(self) -> list[Any]:
        """The open games in which an answer is awaited."""
        return [game for game in self.state.games if game.written_ms is not None]

    @property
    def legal(self) -> Any:
        """The legal turns of the side to move."""
        return self.rules.legal_turns(self.game.position, self.game.dice)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended, one way or the other."""
        return self.state.phase == "over"

    @property
    def end(self) -> MatchEnded | MatchVoided | None:
        """How it ended."""
        ends = [fact for fact in self.facts if isinstance(fact, MatchEnded | MatchVoided)]
        assert len(ends) <= 1, "a match ends once"
        return ends[0] if ends else None

    @property
    def ended(self) -> list[GameEnded]:
        """Every game that is over."""
        return [fact for fact in self.facts if isinstance(fact, GameEnded)]

    def of(self, kind: type[Any]) -> list[Any]:
        """The facts of one kind."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    # What the shell would do

    def _take(self, step: Step) -> list[Fact]:
        before = len(self.facts)
        self.state = step.state
        requests: list[Action] = []
        for action in step.actions:
            if isinstance(action, Fact):
                self.facts.append(action)
            else:
                requests.append(action)
        for request in requests:
            self._fulfil(request)
        self.last = self.facts[before:]
        return self.last

    def _fulfil(self, request: Action) -> None:
        assert isinstance(request, Throw | Roll | Ask | AskCall)
        number = request.game
        if isinstance(request, Throw):
            throw: Pair = (next(self.script), next(self.script)) if self.script else self._dice().throw(number)
            self._take(match.thrown(self.rules, self.state, number, throw, now_ms=self.now_ms))
            return
        if isinstance(request, Roll):
            self.state = match.rolled(self.state, number, self._roll(request))
        self.state, _ = match.written(self.state, number, self.now_ms)

    def _roll(self, request: Roll) -> tuple[int, ...]:
        if self.script is not None:
            return tuple(next(self.script) for _ in range(request.dice))
        return self._dice().roll(request.game, open_game_of(self.state, request.game).turn, request.dice)

    def deal_from(self, dealer: Dealer | None) -> None:
        """The dice come from a dealer that has dealt before."""
        self._dealer = dealer

    def _dice(self) -> Dealer:
        self._dealer = self._dealer or dealer(self.state, self.seed)
        return self._dealer


def tags(facts: Iterable[Fact]) -> list[str]:
    """The names of facts, as they stand in a record."""
    return [str(fact.__struct_config__.tag) for fact in facts]
