"""Every situation of a game: the source of `arena check` and of the golden conversations."""

import hashlib
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from arena.conformance import situation as positions
from arena.conformance.situation import CLOCK, PACE, Connection, Situation
from arena.conformance.whole_game import games_of, play_games
from arena.games import Game, ruleset_record
from arena.games.interface import Dice
from arena.matches.time_control import TimeControl
from arena.server.play.translate import clock_terms
from arena.services.conversation import Conversation, Words, with_dice
from protocol import messages as wire
from protocol.connection import ARENA_FRAME_BYTES, BOT_FRAME_BYTES
from protocol.errors import ErrorCode
from protocol.fields import MAX_INT
from protocol.greetings import Hello, Limits, Welcome
from protocol.messages import FromArena, GameEnd, GameStart, MatchEnd, Ping, Turn, TurnClock

NONCE: Final = bytes(16)
SEED: Final = bytes(range(32))
MATCH: Final = "check"
GRACE_MS: Final = 20_000
BREAK_MS: Final = 5000
WHOLE_GAME: Final = "game"
"""The name of the situation in which nothing is special but its length."""
LATER: Final[dict[str, object]] = {
    "tomorrow": {"a": [1, "two", None, True, {"b": b"\0\xff"}], "é": -MAX_INT}
}
"""Fields of a later protocol, with every kind of value."""
HELLO: Final = Hello(server="arena check", nonce=NONCE)
BYE: Final = wire.Bye(reason="the check is over")

SITUATIONS: Final = {
    "handshake": ("answers hello with login, and stops at bye", "protocol.md#a-session"),
    "match": ("plays a match of two games, from match_start to match_end", "protocol.md#a-session"),
    PACE: ("thinks no longer in match than its clock allows in a whole game", "protocol.md#clocks"),
    "entering": ("enters a checker from the bar", "protocol.md#positions-and-moves"),
    "forced-pass": ("passes when it cannot move", "protocol.md#positions-and-moves"),
    "doubles": ("plays doubles", "protocol.md#positions-and-moves"),
    "bearing-off": ("bears checkers off", "protocol.md#positions-and-moves"),
    "double-six": (
        "answers a first roll of 6-6, with which six checkers may move",
        "protocol.md#legal-turns",
    ),
    "call": (
        "says how many dice to roll where it has the choice, and plays them",
        "protocol-messages.md#call",
    ),
    "draw-offered": ("answers a turn with which a draw is offered", "protocol.md#draws"),
    "rejected": ("answers a rejected turn once more", "protocol.md#illegal-turns"),
    "rejected-for-good": (
        "says nothing to the last rejection, with which the game is lost",
        "protocol-messages.md#rejected",
    ),
    "stale-answer": ("plays on after an error that is not fatal", "protocol-errors.md#codes"),
    "window": (
        "plays three games at once, and never mixes them up",
        "protocol.md#several-games-at-once",
    ),
    "pairs": ("plays both halves of a pair", "protocol.md#pairs"),
    "break": ("says that it is ready after a break that it asks for", "protocol.md#breaks"),
    "ping": (
        "answers ping with pong, between matches and while a turn waits",
        "protocol-messages.md#ping-pong",
    ),
    "byte-by-byte": ("takes frames that arrive in pieces", "protocol.md#frames"),
    "unknown-fields": ("skips fields it does not know", "protocol.md#values"),
    "big-frame": ("takes frames of up to 262144 bytes", "protocol.md#limits"),
    "unknown-messages": ("skips messages it does not know", "protocol.md#versions"),
    "delay": ("answers within the delay when its bank is empty", "protocol.md#clocks"),
    "bank": ("answers out of its bank where there is no delay", "protocol.md#clocks"),
    "increment": (
        "plays on when its bank has grown beyond what it was at the beginning",
        "protocol.md#clocks",
    ),
    WHOLE_GAME: (
        "plays a whole game in one process, with the clock of a tournament",
        "protocol.md#clocks",
    ),
    "refused": (
        "leaves without another word when its login is refused",
        "protocol-errors.md#codes",
    ),
    "exit-status": ("leaves with 0 after bye", "protocol.md#in-short"),
    "reconnect": (
        "comes back with resume when the connection is lost, and answers the turn that is open",
        "protocol.md#a-lost-connection",
    ),
}
"""What a bot should do in each situation, and where the documentation explains it."""


def situations(game: Game[Any], clock: TimeControl = CLOCK) -> tuple[Situation, ...]:
    """Return the situations of a game under these clocks, the basic ones first.

    Their names are unique.
    """
    return tuple(Script(game, clock).all())


class Script:
    """Writer of the situations of one game."""

    def __init__(self, game: Game[Any], clock: TimeControl) -> None:
        self._game = game
        self._clock = clock

    def all(self) -> Iterator[Situation]:
        """Yield every situation of the game."""
        yield from self._basic()
        yield from self._positions()
        yield from self._verdicts()
        yield from self._at_once()
        yield from self._wire()
        yield from self._clocks()
        yield self._of(WHOLE_GAME, self._whole_game, is_by_clock=True)
        yield from self._ends()

    def _basic(self) -> Iterator[Situation]:
        yield self._one("handshake", [said(HELLO), said(welcome()), said(BYE)], is_basic=True)
        first, second = self.turn(), self._second()
        again = self.turn(game=2, turn=2, dice=(5, 1), last=self._last())
        match = [
            *self._opening(games=2),
            said(game_start(1), first),
            said(second),
            said(_game_end(1)),
            said(game_start(2, starts=False), again),
            said(_game_end(2, score=(8, 0)), _won(8)),
            said(BYE),
        ]
        yield self._one("match", match, is_basic=True)
        yield self._of(PACE, is_basic=True)

    def _positions(self) -> Iterator[Situation]:
        game = self._game
        if game.dice_to_roll(game.start()):
            entering = self.turn(dice=(3, 2), plain=positions.on_the_bar(game))
            yield self._play("entering", said(entering))
            forced_pass = self.turn(dice=(6, 6), plain=positions.shut_out(game))
            yield self._play("forced-pass", said(forced_pass))
            yield self._play("doubles", said(self.turn(dice=(2, 2))))
            bearing_off = self.turn(dice=(6, 4), plain=positions.all_home(game))
            yield self._play("bearing-off", said(bearing_off))
        if game.ruleset.get("double_six"):
            yield self._play("double-six", said(self.turn(dice=(6, 6))))
        if game.ruleset.get("one_die"):
            plain = positions.about_to_win(game)
            numbers = game.dice_to_call(game.from_plain(plain))
            clock = self._turn_clock()
            call = wire.Call(game=1, turn=7, dice=numbers, position=plain, clock=clock)
            second = self.turn(turn=7, dice=(1, 2), plain=plain)  # with the dice it called for
            yield self._play("call", said(call), said(second), wants=frozenset({"call"}))
        if game.agreement:
            offered = self.turn(turn=3, last=self._last(), draw_offered=True)
            yield self._play("draw-offered", said(offered))

    def _verdicts(self) -> Iterator[Situation]:
        first = self.turn()
        second = self._second()
        twice = [said(_rejected(remaining=1)), said(_rejected(remaining=0))]
        yield self._play("rejected", said(first), *twice, said(second))
        lost = [
            *self._opening(),
            said(game_start(1), first),
            said(_rejected(remaining=-1), Ping(data=1)),
            said(_game_end(1, score=(0, 6), outcome="lost", ending="forfeit")),
            said(MatchEnd(match=MATCH, result="lost", score=[0, 6]), BYE),
        ]
        yield self._one("rejected-for-good", lost)
        stale = wire.Error(
            code=ErrorCode.STALE_TURN,
            message="Turn 1 is answered.",
            fatal=False,
            game=1,
            turn=1,
        )
        unknown = wire.Error(
            code=ErrorCode.UNKNOWN_GAME,
            message="Game 9 is over.",
            fatal=False,
            game=9,
            turn=1,
        )
        yield self._play("stale-answer", said(first), said(stale, unknown, second))

    def _at_once(self) -> Iterator[Situation]:
        games = [(1, 1, (6, 2)), (300, 7, (4, 3)), (70_000, 41, (5, 1))]
        turns = [self.turn(game=handle, turn=number, dice=dice) for handle, number, dice in games]
        starts: list[FromArena] = []
        ends: list[Words] = []
        for number, (handle, _, _) in enumerate(games, 1):
            starts.append(game_start(handle, number=number))
            ends.append(said(_game_end(handle, number=number)))
        more = [msgspec.structs.replace(turn, turn=turn.turn + 2) for turn in reversed(turns)]
        window = [
            said(HELLO),
            said(welcome(window=3), self.match(games=3)),
            said(*starts, *turns),
            said(*more),
            *ends,
            said(_won(4), BYE),
        ]
        yield self._one("window", window)
        halves = [game_start(1), msgspec.structs.replace(game_start(2, starts=False), seat=2)]
        pairs = [
            *self._opening(games=2, form="pairs"),
            said(*halves, turns[0]),
            said(self.turn(game=2, turn=2, last=self._last())),
            said(msgspec.structs.replace(turns[0], turn=3)),
            said(_game_end(1), _game_end(2, score=(8, 0))),
            said(_won(8), BYE),
        ]
        yield self._one("pairs", pairs)
        rests = [
            *self._opening(games=2),
            said(game_start(1), turns[0]),
            said(_game_end(1), wire.Break(match=MATCH, number=2, left_ms=BREAK_MS)),
            said(game_start(2), self.turn(game=2)),
            said(_game_end(2, score=(8, 0)), _won(8), BYE),
        ]
        yield self._one("break", rests, wants=frozenset({"break"}), is_extra=True)

    def _wire(self) -> Iterator[Situation]:
        first = self.turn()
        pings = [Ping(data=number) for number in (7, 0, -1, MAX_INT - 1, 1 - MAX_INT)]
        pinged = said(game_start(1), first, pings[0])
        yield self._one("ping", [*self._opening(), said(*pings), pinged, *self._closing()])
        yield self._cut_up("byte-by-byte", is_in_bytes=True)
        yield self._cut_up("unknown-fields", more=LATER)
        size = len(msgspec.msgpack.encode(first)) + 64
        filling = "x" * (ARENA_FRAME_BYTES - size)
        big = Words(messages=(first,), more={"tomorrow": filling})
        yield self._play("big-frame", big)
        later = Words(messages=(first,), unknown={"type": "tomorrow", **LATER})
        yield self._play("unknown-messages", later, is_required=False)

    def _clocks(self) -> Iterator[Situation]:
        clock, full = self._clock, self._turn_clock()
        if clock.delay_ms:
            yield self._timed("delay", clock, full, self._turn_clock(left_ms=0))
        if full.left_ms:
            spent = self._turn_clock(delay_left_ms=0)
            yield self._timed("bank", msgspec.structs.replace(clock, delay_ms=0), spent, spent)
        if clock.increment_ms:
            grown = self._turn_clock(left_ms=full.left_ms + clock.increment_ms)
            yield self._timed("increment", clock, full, grown)

    def _timed(
        self,
        name: str,
        clock: TimeControl,
        first: TurnClock,
        second: TurnClock,
    ) -> Situation:
        words = [
            *self._opening(clock=clock),
            said(game_start(1), self.turn(clock=first)),
            said(self._second(clock=second)),
            *self._closing(),
        ]
        return self._one(name, words)

    def _whole_game(self, conversation: Conversation) -> Iterator[Words]:
        yield said(HELLO)
        yield said(welcome(), self.match(games=games_of(self._game)))
        yield from play_games(conversation, self._game, self._clock, MATCH, self.turn)
        yield said(BYE)

    def _ends(self) -> Iterator[Situation]:
        refusal = ErrorCode.BAD_LOGIN.to_message("No such name, or not its token.")
        yield self._one("refused", [said(HELLO), said(refusal)])
        yield self._one(
            "exit-status",
            [said(HELLO), said(welcome()), said(BYE)],
            is_required=False,
            leaves_with="0",
        )
        second = self._second()
        lost = (
            *self._opening(),
            said(game_start(1), self.turn()),
            Words(messages=(second,), is_cut=True),
        )
        again = said(welcome(number=2), self.match())
        back = (said(HELLO), again, said(game_start(1), second), *self._closing())
        yield self._of("reconnect", lost, back, is_required=False)

    def _of(self, name: str, *connections: Connection, **more: Any) -> Situation:
        task, section = SITUATIONS[name]
        return Situation(
            name=name,
            what=task,
            section=section,
            connections=connections,
            game=self._game,
            **more,
        )

    def _one(self, name: str, words: list[Words], **more: Any) -> Situation:
        return self._of(name, tuple(words), **more)

    def _play(self, name: str, *words: Words, **more: Any) -> Situation:
        """Return a match of one game in which only these words are special."""
        match = [*self._opening(), said(game_start(1)), *words, *self._closing()]
        return self._one(name, match, **more)

    def _cut_up(self, name: str, **form: Any) -> Situation:
        """Return a match of one game with all words in another form."""
        plain = [
            *self._opening(),
            said(game_start(1), self.turn()),
            said(self._second()),
            *self._closing(),
        ]
        return self._one(name, [Words(messages=words.messages, **form) for words in plain])

    def _opening(self, **terms: Any) -> list[Words]:
        return [said(HELLO), said(welcome(), self.match(**terms))]

    def _closing(self) -> list[Words]:
        return [said(_game_end(1), _won(4), BYE)]

    def _second(self, **more: Any) -> Turn:
        return self.turn(turn=3, dice=(4, 3), last=self._last(), **more)

    def turn(
        self,
        *,
        dice: Dice = (6, 2),
        plain: dict[str, Any] | None = None,
        **more: Any,
    ) -> Turn:
        """Return a turn with all its legal turns, by default the first one with a full clock."""
        start = self._game.start()
        if not self._game.dice_to_roll(start):
            dice = ()
        fields = {
            "game": 1,
            "turn": 1,
            "clock": self._turn_clock(),
            "position": plain or self._game.to_plain(start),
            **more,
        }
        return with_dice(self._game, Turn(dice=(), **fields), dice)

    def _turn_clock(self, **more: int) -> TurnClock:
        mine, theirs = self._clock.full
        delay_ms = self._clock.delay_ms
        full = TurnClock(left_ms=mine, opponent_left_ms=theirs, spent_ms=0, delay_left_ms=delay_ms)
        return msgspec.structs.replace(full, **more)

    def match(
        self,
        *,
        games: int = 1,
        form: Any = "series",
        clock: TimeControl | None = None,
    ) -> wire.MatchStart:
        """Return the beginning of a match."""
        return wire.MatchStart(
            match=MATCH,
            ruleset=ruleset_record(self._game),
            games=games,
            form=form,
            seat=1,
            opponent=wire.Opponent(name="arena-check", version="1"),
            clock=clock_terms(clock or self._clock),
            rejections=3,
            dice_commitment=hashlib.sha256(SEED).digest(),
        )

    def _last(self) -> wire.Last:
        """Return a turn of the opponent, in its own numbering."""
        opponents = self.turn(dice=(5, 4))
        assert opponents.legal, "there is always a legal turn"
        return wire.Last(dice=opponents.dice, moves=opponents.legal[0])


def said(*messages: FromArena) -> Words:
    """Return messages without changes, in one write."""
    return Words(messages=messages)


def welcome(*, window: int = 1, number: int = 1) -> Welcome:
    """Return the answer to a login."""
    limits = Limits(frame_bytes=BOT_FRAME_BYTES, window=window, grace_ms=GRACE_MS)
    return Welcome(session=f"check-{number}", resume_key=f"key {number}", limits=limits)


def game_start(handle: int, *, number: int = 0, starts: bool = True) -> GameStart:
    """Return the beginning of a game."""
    return GameStart(game=handle, match=MATCH, number=number or handle, seat=1, starts=starts)


def _game_end(
    handle: int,
    *,
    number: int = 0,
    score: tuple[int, int] = (4, 0),
    outcome: Any = "won",
    ending: str = "jan",
) -> GameEnd:
    clause = "B9.1" if ending == "jan" else "B10.2"
    return GameEnd(
        game=handle,
        match=MATCH,
        number=number or handle,
        result=outcome,
        ending=ending,
        clause=clause,
        monk=False,
        points=max(score),
        score=score,
    )


def _won(points: int) -> MatchEnd:
    return MatchEnd(match=MATCH, result="won", score=[points, 0])


def _rejected(*, remaining: int) -> wire.Rejected:
    return wire.Rejected(
        game=1,
        turn=1,
        code="for_the_check",
        clause="B3",
        message="This turn is refused to see what the bot does then.",
        left=remaining,
    )
