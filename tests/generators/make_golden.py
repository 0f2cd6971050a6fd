"""Writes the golden conversations: `python -m tests.generators.make_golden`.

They are situations of the conformance kit (`arena check`), played to a bot that always does the
same. What each file holds is described in docs/writing-a-bot.md, "Test vectors".
"""

from __future__ import annotations

import hashlib
import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from arena.conformance.situation import Connection, Situation, says_goodbye
from arena.conformance.situations import situations
from arena.games import load_game
from arena.services.conversation import Conversation
from protocol import messages as wire
from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, decode, encode
from protocol.connection import BotConnection
from protocol.greetings import Hello, Join, Joined, Login, Welcome
from protocol.messages import Call, FromArena, FromBot, Play, Turn
from tests.generators.make_vectors import plain

FOLDER: Final = Path(__file__).parents[1] / "protocol" / "golden"
NAME, TOKEN = "anna", "open sesame"
ENTROPY: Final = b"\x01\x02\x03\x04"
VASA = (
    "handshake",
    "match",
    "forced-pass",
    "rejected",
    "rejected-for-good",
    "window",
    "break",
    "ping",
    "stale-answer",
    "refused",
)
GOLDEN: Final = (
    *(("vasa", (), name) for name in (*VASA, "reconnect")),
    ("classic", ("one_die",), "call"),
    ("classic", ("double_six",), "double-six"),
    ("brandubh-1", (), "draw-offered"),
)
"""Ruleset, options and situation of each."""


class Reference:
    """A bot that chooses the first legal turn, one die where it has the choice, and always the same entropy."""

    def __init__(self, window: int, wants: tuple[str, ...], resume: str | None) -> None:
        self._wire = BotConnection()
        self._asked: dict[int, Turn | Call] = {}
        self._window = window
        self._wants = wants
        self._resume = resume
        self.resume_key = ""

    def answer(self, frame: bytes) -> bytes:
        """What it says to a frame of the arena; empty if nothing."""
        (message,) = self._wire.receive(frame)
        reply = self._reply(message)
        return b"" if reply is None else self._wire.send(reply)

    def _reply(self, message: FromArena) -> FromBot | None:
        match message:
            case Hello():
                return Login(
                    protocol=1,
                    name=NAME,
                    version="1.0",
                    token=TOKEN,
                    window=self._window,
                    wants=self._wants,
                    resume=self._resume,
                )
            case Welcome():
                self.resume_key = message.resume_key
            case wire.MatchStart():
                return wire.MatchReady(
                    match=message.match, commitment=hashlib.sha256(ENTROPY).digest()
                )
            case wire.MatchReveal():
                return wire.MatchEntropy(match=message.match, entropy=ENTROPY)
            case wire.Break():
                return wire.GameReady(match=message.match, number=message.number)
            case Turn() | Call():
                self._asked[message.game] = message
                return _first(message)
            case wire.Rejected() if message.left >= 0:
                return _first(self._asked[message.game])
            case wire.Ping():
                return wire.Pong(data=message.data)
            case _:
                pass
        return None


def _first(asked: Turn | Call) -> FromBot:
    if isinstance(asked, Call):
        return wire.Called(game=asked.game, turn=asked.turn, dice=asked.dice[0])
    return Play(game=asked.game, turn=asked.turn, choice=0)


def conversation(situation: Situation) -> dict[str, Any]:
    turns = [
        sum(isinstance(one, Turn) for one in words.messages)
        for part in situation.connections
        for words in part
    ]
    window = max(1, *turns)
    wants = ("legal", *sorted(situation.wants))
    resume, connections = None, []
    for connection in situation.connections:
        bot = Reference(window, wants, resume)
        frames = list(_spoken(situation, connection, bot, resume))
        ending = "goodbye" if says_goodbye(connection[-1]) else "cut"
        connections.append({"ends": ending, "frames": frames})
        resume = bot.resume_key
    return {
        "name": situation.name,
        "what": f"The bot {situation.what}.",
        "see": f"docs/{situation.section}",
        "ruleset": situation.game.name,
        "window": window,
        "wants": list(wants),
        "connections": connections,
    }


def _spoken(
    situation: Situation, connection: Connection, bot: Reference, resume: str | None
) -> Iterator[dict[str, Any]]:
    arena = Conversation(situation.game, NAME, TOKEN, resume)
    for words in connection:
        writes = deque(arena.say(words))
        while writes:
            answers = []
            for frame in _cut(writes.popleft()):
                whole = len(frame) == HEADER_BYTES + int.from_bytes(frame[:HEADER_BYTES], "big")
                message = plain(decode(frame[HEADER_BYTES:], TO_BOT)) if whole else None
                yield {"from": "arena", "frame": frame.hex(), "message": message}
                if whole:
                    answers.append(bot.answer(frame))
            for answer in filter(None, answers):
                message = plain(decode(answer[HEADER_BYTES:], TO_ARENA))
                yield {"from": "bot", "frame": answer.hex(), "message": message}
                writes += arena.hear(answer)
        assert not arena.owed, "the bot has answered everything"
    if says_goodbye(connection[-1]):
        arena.ended()


def _cut(said: bytes) -> Iterator[bytes]:
    """The frames in what is said; the last may be half a frame."""
    while said:
        size = HEADER_BYTES + int.from_bytes(said[:HEADER_BYTES], "big")
        yield said[:size]
        said = said[size:]


def texts() -> dict[str, str]:
    """Every file by its name: one frame a line."""
    found = {}
    for ruleset, options, name in GOLDEN:
        (situation,) = (one for one in situations(load_game(ruleset, options)) if one.name == name)
        found[f"{name}.json"] = _text(conversation(situation))
    return found


JOINING: Final = {
    "join": (
        "The bot gets an account, and says nothing more on this connection.",
        Joined(name=NAME, token=TOKEN, page="https://arena.example/bots/anna"),
    ),
    "join-refused": (
        "The bot learns why it gets no account.",
        wire.Error(code="bad_invite", message="This invite has been used.", fatal=True),
    ),
}
"""What programs that join say and hear, before their bots log in; not for every bot."""


def joining_texts() -> dict[str, str]:
    """The files of `joining/` by their names."""
    return {f"{name}.json": _text(_joining(name, *part)) for name, part in JOINING.items()}


def _joining(name: str, what: str, answer: FromArena) -> dict[str, Any]:
    said = [
        ("arena", Hello(server="arena check", nonce=bytes(16))),
        ("bot", Join(protocol=1, name=NAME, invite="let me in", display="Anna")),
        ("arena", answer),
    ]
    frames = [
        {"from": sender, "frame": encode(message).hex(), "message": plain(message)}
        for sender, message in said
    ]
    return {
        "name": name,
        "what": what,
        "see": "docs/protocol.md#joining-a-venue",
        "wants": [],
        "window": 1,
        "connections": [{"ends": "goodbye", "frames": frames}],
    }


def _text(golden: dict[str, Any]) -> str:
    connections = []
    for connection in golden.pop("connections"):
        frames = ",\n".join(
            f"        {json.dumps(frame, ensure_ascii=False)}" for frame in connection["frames"]
        )
        connections.append(
            f'    {{\n      "ends": "{connection["ends"]}",\n      "frames": [\n{frames}\n      ]\n    }}'
        )
    head = "\n".join(
        f'  "{key}": {json.dumps(value, ensure_ascii=False)},' for key, value in golden.items()
    )
    return f'{{\n{head}\n  "connections": [\n' + ",\n".join(connections) + "\n  ]\n}\n"


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*.json"):
        path.unlink()
    for name, text in texts().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
    (FOLDER / "joining").mkdir(exist_ok=True)
    for name, text in joining_texts().items():
        (FOLDER / "joining" / name).write_text(text, encoding="utf-8")
