"""One short session and a sample of every message, used by the test vectors, the tests and the documentation."""

import hashlib
from typing import Final

from msgspec.structs import replace

from protocol import messages as m
from protocol.greetings import Hello, Join, Joined, Limits, Login, Welcome

SEED: Final = bytes(range(32))
COMMITMENT: Final = hashlib.sha256(SEED).digest()
ENTROPY: Final = bytes.fromhex("00002431")
"""With it game 1 of the session has the throw 3-5, so that seat 1 begins, and then the roll 6-2."""
ENTROPY_COMMITMENT: Final = hashlib.sha256(ENTROPY).digest()
RULESET: Final = {
    "name": "house",
    "hash": "5a" * 32,
    "fields": {"opening": "lower_starts", "jan": True, "longest_prime": None, "points_jan": 4},
}
START: Final = {"points": [15, *[0] * 11, -15, *[0] * 11], "bar": [0, 0], "off": [0, 0]}
LATE: Final = {"points": [0] * 18 + [1, 0, 0, 0, -1, 1], "bar": [0, 1], "off": [13, 12]}
BRANDUBH: Final = {
    "board": ["...b...", "...b...", "...w...", "bbwkwbb", "...w...", "...b...", "...b..."],
    "to_move": "black",
}

LOGIN: Final = Login(protocol=1, name="anna", version="1.0", token="open sesame", wants=("legal",))
HELLO: Final = Hello(server="arena 1.0", nonce=bytes(16))
WELCOME: Final = Welcome(
    session="s1", resume_key="key", limits=Limits(frame_bytes=65_536, window=1)
)
MATCH_START: Final = m.MatchStart(
    match="r1-anna-v-bo",
    ruleset=RULESET,
    games=1,
    seat=1,
    opponent=m.Opponent(name="bo", version="2.1"),
    clock=m.ClockTerms(delay_ms=200, bank_ms=60_000),
    rejections=3,
    dice_commitment=COMMITMENT,
)
TURN: Final = m.Turn(
    game=1,
    turn=1,
    dice=[6, 2],
    position=START,
    clock=m.TurnClock(left_ms=60_000, opponent_left_ms=60_000, spent_ms=0, delay_left_ms=200),
    legal=[[[1, 7], [1, 3]], [[1, 7], [7, 9]]],
)
WITHOUT_DICE: Final = replace(
    TURN,
    game=2,
    dice=[],
    position=BRANDUBH,
    clock=m.TurnClock(left_ms=1, opponent_left_ms=1, spent_ms=0, delay_left_ms=200),
    legal=None,
)
LATE_CLOCK: Final = m.TurnClock(
    left_ms=1_234, opponent_left_ms=70_000, spent_ms=65_536, delay_left_ms=200
)
NO_TIME: Final = m.TurnClock(left_ms=0, opponent_left_ms=1, spent_ms=2, delay_left_ms=200)
LAST: Final = m.Last(dice=[2, 1], moves=[[0, 2], [24, 25]])
CALL: Final = m.Call(game=1, turn=1, dice=[1, 2], position=START, clock=TURN.clock)
REJECTED: Final = m.Rejected(
    game=1,
    turn=1,
    code="fewer_dice",
    clause="B3.3",
    message="the turn uses 1 die, but 2 dice of 6-2 can be used; 2 turns are legal, the nearest is 1/7 1/3.",
    left=2,
    legal_turns=2,
)

GAME_END: Final = m.GameEnd(
    game=1,
    match="r1-anna-v-bo",
    number=1,
    result="won",
    ending="forfeit",
    clause="B10.2",
    monk=False,
    points=6,
    score=[6, 0],
)

SESSION: Final[list[tuple[str, m.Message]]] = [
    ("arena", HELLO),
    ("bot", LOGIN),
    ("arena", WELCOME),
    ("arena", MATCH_START),
    ("bot", m.MatchReady(match="r1-anna-v-bo", commitment=ENTROPY_COMMITMENT)),
    ("arena", m.MatchReveal(match="r1-anna-v-bo")),
    ("bot", m.MatchEntropy(match="r1-anna-v-bo", entropy=ENTROPY)),
    ("arena", m.GameStart(game=1, match="r1-anna-v-bo", number=1, seat=1, starts=True)),
    ("arena", TURN),
    ("bot", m.Play(game=1, turn=1, moves=[[1, 7]])),
    ("arena", REJECTED),
    ("bot", m.Play(game=1, turn=1, choice=1)),
    ("arena", GAME_END),
    (
        "arena",
        m.MatchEnd(
            match="r1-anna-v-bo",
            result="won",
            score=[6, 0],
            dice_seed=SEED,
            entropies=[ENTROPY, b""],
        ),
    ),
    ("arena", m.Bye(reason="the tournament is over")),
]
"""A whole conversation in the order spoken; the second side forfeits, to keep it short."""

OTHERS: Final[list[tuple[str, str, m.Message]]] = [
    ("hello of a later version", "arena", Hello(protocol=2, server="arena 9", nonce=b"")),
    (
        "login with everything",
        "bot",
        Login(
            protocol=1,
            name="Åsa",
            version="0.3",
            token="open sesame",
            window=256,
            wants=("legal",),
            fingerprint="sha256:abc",
            resume="key",
        ),
    ),
    (
        "join with everything",
        "bot",
        Join(protocol=1, name="asa", invite="let me in", display="Åsa Ek, Vasa"),
    ),
    ("join with the least", "bot", Join(protocol=1, name="bo")),
    (
        "joined with a page",
        "arena",
        Joined(name="asa", token="open sesame", page="https://arena.example/bots/asa"),
    ),
    ("joined without a page", "arena", Joined(name="bo", token="open sesame")),
    (
        "login for several matches of a ladder",
        "bot",
        Login(protocol=1, name="bo", token="t", matches=8),
    ),
    ("login with the least", "bot", Login(protocol=1, name="bo", token="t")),
    ("match_ready without a commitment", "bot", m.MatchReady(match="r1-anna-v-bo")),
    (
        "match_reveal with the opponent's commitment",
        "arena",
        m.MatchReveal(match="m", opponent_commitment=COMMITMENT),
    ),
    ("match_entropy of no bytes", "bot", m.MatchEntropy(match="m", entropy=b"")),
    (
        "match_start of a second attempt",
        "arena",
        replace(MATCH_START, attempt=2, form="pairs", games=2),
    ),
    ("break before the second game", "arena", m.Break(match="m", number=2, left_ms=120_000)),
    ("game_ready for the second game", "bot", m.GameReady(match="m", number=2)),
    (
        "game_start in the other seat",
        "arena",
        m.GameStart(game=255, match="m", number=2, seat=2, starts=False),
    ),
    (
        "turn after the opponent's",
        "arena",
        replace(
            TURN,
            game=300,
            turn=41,
            dice=[3, 3],
            position=LATE,
            clock=LATE_CLOCK,
            last=LAST,
            legal=None,
        ),
    ),
    (
        "turn with a forced pass",
        "arena",
        replace(
            TURN, turn=2, dice=[6, 6], clock=NO_TIME, last=m.Last(dice=[4, 4], moves=[]), legal=[[]]
        ),
    ),
    ("turn in a game without dice", "arena", WITHOUT_DICE),
    (
        "turn with a draw offered",
        "arena",
        replace(
            WITHOUT_DICE,
            turn=6,
            last=m.Last(dice=[], moves=[["d3", "c3"]]),
            legal=[[["d1", "c1"]], [["d1", "e1"]]],
            draw_offered=True,
        ),
    ),
    ("call at the start", "arena", CALL),
    (
        "call after the opponent's turn",
        "arena",
        replace(
            CALL,
            game=3,
            turn=88,
            position=LATE,
            clock=replace(LATE_CLOCK, spent_ms=9),
            last=m.Last(dice=[6], moves=[[0, 6]]),
        ),
    ),
    ("call for one die", "bot", m.Called(game=3, turn=88, dice=1)),
    ("call for both dice", "bot", m.Called(game=1, turn=1, dice=2)),
    (
        "game_end with a receipt",
        "arena",
        m.GameEnd(
            game=2,
            match="m",
            number=1,
            result="drawn",
            ending="agreement",
            clause="T9",
            monk=False,
            points=0,
            score=[0, 0],
            receipt=m.Receipt(lines=41, sha256=SEED),
        ),
    ),
    (
        "match_end with a receipt",
        "arena",
        m.MatchEnd(
            match="m", result="drawn", score=[0, 0], receipt=m.Receipt(lines=300, sha256=SEED)
        ),
    ),
    ("confirm with a signature", "bot", m.Confirm(match="m", lines=41, signature=bytes(range(64)))),
    (
        "confirm with an objection",
        "bot",
        m.Confirm(match="m", lines=41, objection="the last turn was legal"),
    ),
    ("login of a bot that signs", "bot", Login(protocol=1, name="bo", token="t", public_key=SEED)),
    ("play with a draw offered", "bot", m.Play(game=2, turn=5, moves=[["d3", "c3"]], draw="offer")),
    (
        "play by index with a draw offered",
        "bot",
        m.Play(game=2, turn=5, choice=1, info="dull", draw="offer"),
    ),
    ("play that accepts a draw", "bot", m.Play(game=2, turn=6, draw="accept")),
    (
        "play that accepts a draw with info",
        "bot",
        m.Play(game=2, turn=6, info={"eval": 0}, draw="accept"),
    ),
    ("play of two moves", "bot", m.Play(game=1, turn=1, moves=[[1, 7], [7, 9]])),
    ("play of a pass", "bot", m.Play(game=1, turn=2, moves=[])),
    ("play from the bar and off", "bot", m.Play(game=1, turn=3, moves=[[0, 2], [24, 25]])),
    ("play of squares", "bot", m.Play(game=2, turn=1, moves=[["d1", "c1"]])),
    ("play by index", "bot", m.Play(game=1, turn=2, choice=0)),
    (
        "play with info",
        "bot",
        m.Play(
            game=70_000,
            turn=2**53,
            choice=300,
            info={"win": "0.53", "nodes": -12, "pv": [[1, 2], None, True]},
        ),
    ),
    (
        "rejected for the last time",
        "arena",
        m.Rejected(
            game=1,
            turn=9,
            code="closed_point",
            clause="B4.1",
            message="Point 14 is closed.",
            left=-1,
        ),
    ),
    (
        "game_end by the opponent's last turn",
        "arena",
        m.GameEnd(
            game=1,
            match="m",
            number=3,
            result="lost",
            ending="tower",
            clause="B8.1",
            monk=True,
            points=3,
            score=[4, 7],
            last=m.Last(dice=[6, 5], moves=[[18, 24], [19, 24]]),
        ),
    ),
    (
        "match_end before the seed is known",
        "arena",
        m.MatchEnd(match="m", result="void", score=[0, 0]),
    ),
    (
        "error about a turn",
        "arena",
        m.Error(code="stale_turn", message="Too late.", fatal=False, game=1, turn=2),
    ),
    ("error of a bot", "bot", m.Error(code="bad_msgpack", message="Unreadable.", fatal=True)),
    ("ping", "arena", m.Ping(data=7)),
    ("ping without data", "bot", m.Ping()),
    ("pong", "bot", m.Pong(data=7)),
    ("pong of the arena", "arena", m.Pong(data=-1)),
    ("bye without a reason", "bot", m.Bye()),
]
"""What the session does not show: name, sender, message."""


def all_samples() -> list[tuple[str, str, m.Message]]:
    """Every sample as (name, sender, message); the session's are named by their place in it."""
    session = [
        (f"session {number:02}: {type(message).__struct_config__.tag}", sender, message)
        for number, (sender, message) in enumerate(SESSION, 1)
    ]
    return session + OTHERS
