"""A match without a shell: tests say who comes, leaves, plays and waits; the machine says what follows."""

import hashlib
from collections.abc import Iterable
from typing import Any, ClassVar, Self

from arena.games import Game, load_game, ruleset_record
from arena.games.result import Seat
from arena.matches import events
from arena.matches.facts import (
    Entrant,
    Fact,
    GameEnded,
    MatchEnded,
    MatchOpened,
    MatchVoided,
    Pair,
    Terms,
)
from arena.matches.match import advance, open_match, written
from arena.matches.state import Match, Step, due_ms, to_reveal
from arena.matches.time_control import TimeControl
from arena.records.dice import commitment, deal_from
from arena.records.facts import STOPPED
from arena.words import Said

VASA: Game[Any] = load_game("vasa")
START_MS = 1_700_000_000_000
SEED = bytes(range(32))
ILLEGAL = [[1, 24], [24, 1]]
HUNG_UP = Said("lost.hung_up")
"""Moves that no roll allows."""

TERMS = Terms(
    games=3,
    clock=TimeControl(delay_ms=100, bank_ms=1000),
    rejections=2,
    turn_limit=1000,
    startup_ms=5000,
)


class Script:
    """Dice in the order in which they are to come up, dealt to one game at a time; complains when there are too few."""

    def __init__(self, numbers: str) -> None:
        self.left = [int(number) for number in numbers if number.isdigit()]
        self._dealt: dict[tuple[int, ...], tuple[int, ...]] = {}

    def deal(self, _first: str, _second: str) -> Self:
        return self

    def throw(self, game: int, number: int) -> Pair:
        one, two = self._once((game, 0, number), 2)
        return one, two

    def roll(self, game: int, turn: int, dealt: int, dice: int) -> tuple[int, ...]:
        return self._once((game, turn), dice)

    def _once(self, what: tuple[int, ...], number: int) -> tuple[int, ...]:
        """The same dice whenever the same is asked for, as a dealer owes it."""
        if what not in self._dealt:
            assert len(self.left) >= number, "the test has not scripted enough dice"
            self._dealt[what] = tuple(self.left[:number])
            del self.left[:number]
        return self._dealt[what]


class Sitting:
    """Feeds the machine; `facts` is what would stand in the record.

    Dice come from the seed, as in the arena, or from a `Script`. Every turn is written as soon as
    it is asked for. `now_ms` moves only when a test waits.
    """

    public_keys: ClassVar[dict[str, str]] = {}
    """With which bots sign receipts, by their names."""

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
        self.facts: list[Fact] = [self.opened]
        self.last: list[Fact] = [self.opened]
        """The facts of the last event."""
        self.asked_for: list[int] = []
        """The games whose turns or calls the last event has put."""
        self.breaks_ms: Pair = (0, 0)
        """How long a break between two games may last that the bots ask for."""
        self._chosen: int | None = None
        self._entropies: dict[int, str] = {}
        deal = self.script.deal if self.script else deal_from(self.opened, seed)
        self.match: Match = open_match(rules, self.opened, deal)

    # What tests say

    def ready(self, *seats: Seat, entropy: str = "", version: str = "1") -> list[Fact]:
        """The bots at these seats are ready; both if none is named.

        They reveal when both have committed.
        """
        facts = []
        for seat in seats or (1, 2):
            self._entropies[seat] = entropy
            facts += self.commits(seat, entropy, version=version)
        for seat in to_reveal(self.match):
            if seat in self._entropies and self.match.standing.present[seat - 1]:
                facts += self.reveals(seat, self._entropies[seat])
        self.last = facts
        return facts

    def commits(self, seat: Seat, entropy: str, *, version: str = "1") -> list[Fact]:
        """A bot is at its seat and commits to its entropy, if it has any."""
        name = self.opened.entrants[seat - 1]
        entrant = Entrant(
            name=name,
            version=version,
            fingerprint=f"{name} build",
            public_key=self.public_keys.get(name),
        )
        committed = hashlib.sha256(bytes.fromhex(entropy)).hexdigest() if entropy else None
        return self.happens(
            events.BotArrived(
                at_ms=self.now_ms,
                seat=seat,
                entrant=entrant,
                commitment=committed,
                break_ms=self.breaks_ms[seat - 1],
            )
        )

    def reveals(self, seat: Seat, entropy: str) -> list[Fact]:
        return self.happens(events.EntropyGiven(at_ms=self.now_ms, seat=seat, entropy=entropy))

    def rested(self, seat: Seat, *, lag_ms: int = 0) -> list[Fact]:
        """A bot is ready for the next game."""
        return self.happens(events.ReadyForGame(at_ms=self.now_ms, seat=seat, lag_ms=lag_ms))

    def answers_receipt(
        self, seat: Seat, lines: int, signature: str | None = None, objection: str = ""
    ) -> list[Fact]:
        return self.happens(
            events.ReceiptAnswered(
                at_ms=self.now_ms, seat=seat, lines=lines, signature=signature, objection=objection
            )
        )

    def leaves(
        self, seat: Seat, *, grace_ms: int = 500, reason: Said = HUNG_UP, is_blameless: bool = False
    ) -> list[Fact]:
        lost = events.BotLost(
            at_ms=self.now_ms,
            seat=seat,
            reason=reason,
            grace_ms=grace_ms,
            is_blameless=is_blameless,
        )
        return self.happens(lost)

    def waits(self, milliseconds: int) -> list[Fact]:
        """Time passes, and the machine is told each time it wanted to be told."""
        facts = []
        end_ms = self.now_ms + milliseconds
        while (due := due_ms(self.match)) is not None and due <= end_ms:
            self.now_ms = max(due, self.now_ms)
            facts += self.happens(events.TimePassed(at_ms=self.now_ms))
        self.now_ms = end_ms
        self.last = facts
        return facts

    def plays(
        self, moves: Any = None, *, info: object = None, offers_draw: bool = False
    ) -> list[Fact]:
        """The bot to move answers; with its first legal turn unless moves are given."""
        number = self.game.number
        if moves is None:
            moves = self.legal[0].moves
        return self.happens(
            events.TurnAnswered(
                at_ms=self.now_ms, game=number, moves=moves, info=info, offers_draw=offers_draw
            )
        )

    def chooses(self, choice: int, *, offers_draw: bool = False) -> list[Fact]:
        number = self.game.number
        return self.happens(
            events.BadChoice(at_ms=self.now_ms, game=number, choice=choice, offers_draw=offers_draw)
        )

    def accepts_draw(self, *, info: object = None) -> list[Fact]:
        return self.happens(
            events.DrawAccepted(at_ms=self.now_ms, game=self.game.number, info=info)
        )

    def calls(self, dice: int = 2) -> list[Fact]:
        return self.happens(
            events.CallAnswered(at_ms=self.now_ms, game=self.game.number, dice=dice)
        )

    def waives_call(self) -> list[Fact]:
        """The bot to move does not want to be asked."""
        return self.happens(events.CallWaived(at_ms=self.now_ms, game=self.game.number))

    def plays_illegally(self) -> list[Fact]:
        return self.plays(ILLEGAL)

    def resumes(self) -> list[Fact]:
        """The arena was gone and goes on."""
        last_ms = self.facts[-1].at_ms
        return self.happens(events.ArenaResumed(at_ms=self.now_ms, last_ms=last_ms))

    def void(self, reason: Said = STOPPED) -> list[Fact]:
        """The match is stopped through no bot's fault."""
        return self.happens(events.MatchStopped(at_ms=self.now_ms, reason=reason))

    def happens(self, event: events.Event) -> list[Fact]:
        """Any event; every question it leads to is written at once."""
        return self.take(advance(self.match, event))

    def take(self, step: Step) -> list[Fact]:
        self.match = step.match
        self.last = list(step.facts)
        self.facts += self.last
        self.asked_for = list(step.questions)
        for number in step.questions:
            self.match, _ = written(self.match, number, self.now_ms)
        return self.last

    # What tests look at

    def at(self, number: int) -> Self:
        """From now on it is this game that is played and looked at, where two are open."""
        self._chosen = number
        return self

    @property
    def game(self) -> Any:
        """The one open game, or the one that was chosen."""
        if self._chosen is not None:
            return self.match.game(self._chosen)
        [game] = self.match.games
        return game

    @property
    def asked(self) -> list[Any]:
        """The open games in which an answer is awaited."""
        return [game for game in self.match.games if game.written_ms is not None]

    @property
    def legal(self) -> Any:
        return self.rules.legal_turns(self.game.position, self.game.dice)

    @property
    def is_over(self) -> bool:
        return self.match.is_over

    @property
    def end(self) -> MatchEnded | MatchVoided | None:
        ends = [fact for fact in self.facts if isinstance(fact, MatchEnded | MatchVoided)]
        assert len(ends) <= 1, "a match ends once"
        return ends[0] if ends else None

    @property
    def ended(self) -> list[GameEnded]:
        return [fact for fact in self.facts if isinstance(fact, GameEnded)]

    def of(self, kind: type[Any]) -> list[Any]:
        return [fact for fact in self.facts if isinstance(fact, kind)]


def tags(facts: Iterable[Fact]) -> list[str]:
    return [str(fact.__struct_config__.tag) for fact in facts]
