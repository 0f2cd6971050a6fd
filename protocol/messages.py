"""Every message of protocol 1 between the arena and a bot.

A message is one map on the wire; its `type` is the tag of its class here, its other keys are the
fields. An optional field with its default is left out on the wire. Units are suffixes: `_ms` is
whole milliseconds, `_bytes` is bytes. Readers skip unknown fields, so that fields can be added
later; a name is never reused or retyped.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from protocol.fields import (
    Count,
    Digest,
    Entropy,
    Handle,
    LineCount,
    Milliseconds,
    Move,
    Outcome,
    Score,
    Seat,
    Signature,
    TurnNumber,
)
from protocol.greetings import Hello, Join, Joined, Login, Tagged, Welcome


class Error(Tagged, frozen=True, kw_only=True, tag="error"):
    """The other side sent something that cannot be accepted.

    `code` is a stable word for programs, `message` is a sentence for people. After a fatal error
    the sender closes the connection. `game` and `turn` repeat those of the rejected message, if it
    was about a turn.
    """

    code: str
    message: str
    fatal: bool
    game: Handle | None = None
    turn: TurnNumber | None = None


class Opponent(msgspec.Struct, frozen=True, kw_only=True):
    """The opponent: its name in the tournament and the version it logged in with."""

    name: str
    version: str


class ClockTerms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Time that a bot may think: `delay_ms` free for every turn, then `bank_ms` for the whole game.

    `increment_ms` is added to the bank after each turn of the bot.
    """

    delay_ms: Milliseconds
    bank_ms: Milliseconds
    increment_ms: Milliseconds = 0


class MatchStart(Tagged, frozen=True, kw_only=True, tag="match_start"):
    """A match is about to begin; the bot answers with `match_ready`, each time it is told of it.

    `ruleset` is the whole value: its name, its hash and all its fields. `games` is how many games
    the match has; `form` is how they are played: one after the other, or two at once with the same
    dice. `rejections` is how many illegal turns are forgiven in each game before one forfeits it.
    `dice_commitment` is the SHA-256 of the dice seed (32 bytes), fixed before either bot adds
    entropy. `attempt` counts how often the match was started, with other dice each time: it is more
    than 1 after void attempts.
    """

    match: str
    ruleset: dict[str, Any]
    games: Count
    seat: Seat
    opponent: Opponent
    clock: ClockTerms
    rejections: Count
    dice_commitment: Digest
    form: Literal["series", "pairs"] = "series"
    attempt: Count = 1


class MatchReady(Tagged, frozen=True, kw_only=True, tag="match_ready"):
    """The bot is ready for the match, and commits to its entropy, which is mixed into every roll.

    `commitment` is the SHA-256 of the entropy, of these bytes and nothing else (32 bytes). A bot
    that leaves it out adds no entropy, and is not asked to reveal any.
    """

    match: str
    commitment: Digest | None = None


class MatchReveal(Tagged, frozen=True, kw_only=True, tag="match_reveal"):
    """Both bots are ready: the bot is to reveal the entropy it committed to, with `match_entropy`.

    `opponent_commitment` is what the opponent has committed to, missing if it adds no entropy.
    """

    match: str
    opponent_commitment: Digest | None = None


class MatchEntropy(Tagged, frozen=True, kw_only=True, tag="match_entropy"):
    """The bot reveals its entropy: 0-32 bytes of its own choice; their SHA-256 was committed to."""

    match: str
    entropy: Entropy


class Break(Tagged, frozen=True, kw_only=True, tag="break"):
    """A break before a game: no clock runs, and nothing is rolled.

    The bot answers `game_ready` when it is ready.

    `number` is the game that follows. It begins in `left_ms` at the latest, and earlier when every
    connected bot that asked for breaks is ready. Only sent to a bot that wants it, and again when
    it has come back.
    """

    match: str
    number: Count
    left_ms: Milliseconds


class GameReady(Tagged, frozen=True, kw_only=True, tag="game_ready"):
    """The bot is ready for the next game of a match; `match` and `number` are those of `break`."""

    match: str
    number: Count


class GameStart(Tagged, frozen=True, kw_only=True, tag="game_start"):
    """A game of a match begins.

    `game` is a small number that means this game on this connection until its `game_end`. `number`
    counts the games of the match from 1. `seat` may differ from that of `match_start` when seats
    are swapped between games. `starts` tells whether this bot moves first.
    """

    game: Handle
    match: str
    number: Count
    seat: Seat
    starts: bool


class TurnClock(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The clocks as this is written: both banks, the bot's own last turn, and the delay.

    `left_ms` and `opponent_left_ms` are what is left of the banks of the bot and its opponent.
    `spent_ms` is what the bot's own last turn took.

    `delay_left_ms` is what is left of the delay: all of it for a new turn, less for one that is
    sent again, and for the turn after a call.
    """

    left_ms: Milliseconds
    opponent_left_ms: Milliseconds
    spent_ms: Milliseconds
    delay_left_ms: Milliseconds


class Last(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The opponent's last turn: its dice and moves, in its own numbering of the points."""

    dice: Sequence[int]
    moves: Sequence[Move]


class Turn(Tagged, frozen=True, kw_only=True, gc=False, tag="turn"):
    """It is the bot's turn; its clock runs from the moment this is written.

    `dice` is empty in games without dice. `position` is the whole position from the mover's view,
    so that a bot need not remember anything. `last` is missing if the opponent has not moved yet.
    `legal` lists all distinct legal turns and is only sent to a bot that wants it. `draw_offered`
    says that the opponent offered a draw with its last turn; the bot may accept it instead of
    playing.
    """

    game: Handle
    turn: TurnNumber
    dice: Sequence[int]
    position: dict[str, Any]
    clock: TurnClock
    last: Last | None = None
    legal: Sequence[Sequence[Move]] | None = None
    draw_offered: bool = False


class Call(Tagged, frozen=True, kw_only=True, tag="call"):
    """The bot has a choice of dice (B11.3): how many does it call for?

    The clock of its turn is already running.

    `dice` lists the numbers it may call for. The other fields are those of the `turn` that follows
    its answer. Only sent to a bot that wants it; any other bot rolls the usual number.
    """

    game: Handle
    turn: TurnNumber
    dice: Sequence[int]
    position: dict[str, Any]
    clock: TurnClock
    last: Last | None = None


class Called(Tagged, frozen=True, kw_only=True, tag="call"):
    """The bot's answer to a call: how many dice to roll for its turn."""

    game: Handle
    turn: TurnNumber
    dice: Count


class Play(Tagged, frozen=True, kw_only=True, gc=False, tag="play"):
    """The bot's answer to a turn: the moves in the order played, or an index in the turn's `legal`.

    Exactly one of `moves` (`[]` is a pass) and `choice` is given, unless `draw` is `accept`: then
    neither is. `info` is any plain value to keep in the record; the opponent never sees it. `draw`
    is `offer` to offer a draw with the turn, `accept` to accept the opponent's instead of a turn;
    both only in games that have draws by agreement.
    """

    game: Handle
    turn: TurnNumber
    moves: Sequence[Move] | None = None
    choice: Count | None = None
    info: Any = None
    draw: Literal["offer", "accept"] | None = None

    def __post_init__(self) -> None:
        """Refuse an answer that gives both forms or none, or moves with the acceptance of a draw.

        Raises `ValueError`: saying which mistake it is.
        """
        if self.moves is None:
            if self.choice is None:
                if self.draw == "accept":
                    return
                raise ValueError(
                    "neither `moves` nor `choice` is given; "
                    "give exactly one (a pass is `moves: []`)"
                )
        elif self.choice is not None:
            raise ValueError("both `moves` and `choice` are given; give exactly one")
        if self.draw == "accept":
            raise ValueError(
                "`moves` or `choice` is given with `draw: accept`; "
                "accepting a draw replaces the turn"
            )


class Rejected(Tagged, frozen=True, kw_only=True, tag="rejected"):
    """The answer was an illegal turn; the same turn is open again, and its clock has not stopped.

    `clause` is the rule it breaks (`B4.3`), `message` one sentence saying what was wrong and what
    would be legal. `values` has what that sentence names, for bots that word it themselves
    (docs/protocol.md). `left` is how many more illegal turns are forgiven in this game; -1 means
    that this was one too many and the game is forfeited, so the arena expects no other answer.
    `legal_turns` is how many are legal.
    """

    game: Handle
    turn: TurnNumber
    code: str
    clause: str
    message: str
    left: Annotated[int, Meta(ge=-1)]
    legal_turns: Count | None = None
    values: Mapping[str, Any] = {}


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """Receipt for the record of a match: the SHA-256 of its first `lines` lines.

    Each line counts with its line feed.
    """

    lines: LineCount
    sha256: Digest


class GameEnd(Tagged, frozen=True, kw_only=True, tag="game_end"):
    """A game is over, from this bot's view; its number `game` is no longer valid.

    `ending` is how it ended (a stable word) by rule `clause`; `monk` tells whether the loser had a
    checker on the bar where that counts. `points` is what the game was worth to its winner. `score`
    is the match so far, mine first. `cause` is why a game was forfeited: `time`, `illegal_turns`,
    `disconnect`, `no_show` or `no_reveal`; else empty. `last` is the turn that ended the game, if
    the opponent played it. `receipt` is of the record up to this end; a bot with a public key
    answers it with `confirm`.
    """

    game: Handle
    match: str
    number: Count
    result: Outcome
    ending: str
    clause: str
    monk: bool
    points: Count
    score: Score
    cause: str = ""
    last: Last | None = None
    receipt: Receipt | None = None


class MatchEnd(Tagged, frozen=True, kw_only=True, tag="match_end"):
    """A match is over, from this bot's view.

    `score` is mine first. With `dice_seed` (32 bytes) and `entropies` (of seats 1 and 2) the bot
    can check the commitments and every roll. `entropies` is missing if the match ended before both
    were revealed. `receipt` is of the whole record of the match.
    """

    match: str
    result: Outcome
    score: Score
    dice_seed: Digest | None = None
    entropies: Annotated[Sequence[Entropy], Meta(min_length=2, max_length=2)] | None = None
    receipt: Receipt | None = None


class Confirm(Tagged, frozen=True, kw_only=True, tag="confirm"):
    """The bot confirms the receipt of a game that has ended, or objects to it.

    `lines` is repeated from the receipt. Exactly one of `signature` and `objection` is given: the
    Ed25519 signature of the receipt (docs/receipts.md), from a bot with a public key; or why the
    bot does not agree.
    """

    match: str
    lines: LineCount
    signature: Signature | None = None
    objection: Annotated[str, Meta(max_length=200)] = ""

    def __post_init__(self) -> None:
        """Refuse both or none. Raises `ValueError`: saying what to give."""
        if (self.signature is None) == (not self.objection):
            raise ValueError("give exactly one of `signature` and `objection`")


class Ping(Tagged, frozen=True, kw_only=True, tag="ping"):
    """A request for a sign of life, answered at once by `pong` with the same `data`.

    It never touches a clock.
    """

    data: int = 0


class Pong(Tagged, frozen=True, kw_only=True, tag="pong"):
    """The answer to `ping`, with its `data`."""

    data: int = 0


class Bye(Tagged, frozen=True, kw_only=True, tag="bye"):
    """The last word of either side on a connection that ends in good order.

    A bot that says it gives up the matches it plays.
    """

    reason: str = ""


FromArena: TypeAlias = (
    Hello
    | Welcome
    | Joined
    | MatchStart
    | MatchReveal
    | Break
    | GameStart
    | Call
    | Turn
    | Rejected
    | GameEnd
    | MatchEnd
    | Error
    | Ping
    | Pong
    | Bye
)
"""The messages of the arena."""

FromBot: TypeAlias = (
    Login
    | Join
    | MatchReady
    | MatchEntropy
    | GameReady
    | Confirm
    | Called
    | Play
    | Error
    | Ping
    | Pong
    | Bye
)
"""The messages of a bot."""

Message: TypeAlias = FromArena | FromBot
"""Any message of protocol 1."""
