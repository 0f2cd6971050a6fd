"""The golden conversations as a test in any language would use them: read the files, play the arena, look at the bot.

Nothing here knows how they were made.
"""

import json
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from protocol.codec import HEADER_BYTES, TO_ARENA, decode
from tests.generators.make_vectors import plain
from tests.protocol.fake_arena import Door

FOLDER: Final = Path(__file__).with_name("golden")
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))
MUST_REPEAT: Final = ("type", "match", "game", "turn", "data", "name", "token", "resume")
"""What the answer of any bot has in common with the one that is recorded, if that has it."""


@dataclass(frozen=True)
class Exchange:
    """What the arena says at once, and the answers that were recorded; any bot's may come in another order."""

    frames: list[bytes]
    asked: list[dict[str, Any] | None]
    answers: list[dict[str, Any]]


class Golden:
    def __init__(self, name: str) -> None:
        self.plain = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        self.goodbyes = [
            connection["ends"] == "goodbye" for connection in self.plain["connections"]
        ]

    def connections(self) -> Iterator[list[Exchange]]:
        for connection in self.plain["connections"]:
            exchanges: list[Exchange] = []
            said_by = "bot"
            for frame in connection["frames"]:
                if frame["from"] == "arena":
                    if said_by == "bot":
                        exchanges.append(Exchange([], [], []))
                    exchanges[-1].frames.append(bytes.fromhex(frame["frame"]))
                    exchanges[-1].asked.append(frame["message"])
                else:
                    exchanges[-1].answers.append(frame["message"])
                said_by = frame["from"]
            yield exchanges

    def why_not(self, login: dict[str, Any]) -> str:
        """Why the rest is not for a bot that logs in like this; empty if it is."""
        if missing := set(self.plain["wants"]) - set(login.get("wants", ())):
            return f"it does not ask for {', '.join(sorted(missing))}"
        if login.get("window", 1) < self.plain["window"]:
            return f"it asks for a window of {login.get('window', 1)}, below {self.plain['window']}"
        return ""

    def play(self, door: Door) -> str:
        """Play it to a bot that connects once for each connection; gives why it was broken off, or nothing.

        Every answer has to name what the recorded one names, and to be among the legal turns.
        """
        for exchanges, says_goodbye in zip(self.connections(), self.goodbyes, strict=True):
            with door.open() as arena:
                stream = arena.stream
                asked: dict[tuple[int, int], dict[str, Any]] = {}
                for exchange in exchanges:
                    stream.sendall(b"".join(exchange.frames))
                    for message in filter(None, exchange.asked):
                        if message["type"] in ("turn", "call"):
                            asked[message["game"], message["turn"]] = message
                    owed = list(exchange.answers)
                    while owed:
                        answer = heard(stream)
                        owed.remove(recorded_for(answer, owed))
                        assert_legal(answer, asked)
                        if answer["type"] == "login" and (reason := self.why_not(answer)):
                            return reason
                if says_goodbye:
                    stream.shutdown(socket.SHUT_WR)
                    assert stream.recv(1) == b"", "nothing may be said after the last word"
        return ""


def recorded_for(answer: dict[str, Any], owed: list[dict[str, Any]]) -> dict[str, Any]:
    for one in owed:
        repeated = {key: one[key] for key in MUST_REPEAT if key in one}
        if repeated == {key: answer.get(key) for key in repeated}:
            return one
    raise AssertionError(f"{answer} is none of {owed}")


def assert_legal(answer: dict[str, Any], asked: dict[tuple[int, int], dict[str, Any]]) -> None:
    """A play is one of the legal turns, a call for one of the numbers of dice."""
    if answer["type"] not in ("play", "call"):
        return
    question = asked[answer["game"], answer["turn"]]
    if answer["type"] == "call":
        assert answer["dice"] in question["dice"]
    elif "moves" in answer:
        assert answer["moves"] in question["legal"]
    elif answer.get("draw") == "accept":
        assert question["draw_offered"]
    else:
        assert 0 <= answer["choice"] < len(question["legal"])


def heard(stream: socket.socket) -> dict[str, Any]:
    size = int.from_bytes(exactly(stream, HEADER_BYTES), "big")
    message: dict[str, Any] = plain(decode(exactly(stream, size), TO_ARENA))
    return message


def exactly(stream: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = stream.recv(size - len(data))
        assert more, "the bot hung up"
        data += more
    return data
