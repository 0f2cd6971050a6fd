"""The last frames of a connection, to find out what went wrong."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, Direction, decode
from protocol.connection import BOT_FRAME_BYTES
from protocol.errors import ProtocolError
from protocol.greetings import Login
from protocol.messages import Turn

KEPT: Final = 64
"""How many writes and reads are kept of a connection; a turn in a single game takes one of each."""
HEX_BYTES: Final = 4096
"""What is shown in hexadecimal of one frame; the longest turns with all their legal answers are far
longer."""

Entry = tuple[int, bool | None, bytes]
"""When; None for a frame written to the bot, else whether the bytes read begin with a new frame;
the bytes."""


class Trace:
    """Keeps references to bytes that exist anyway; nothing is decoded before somebody asks.

    What came before the login is never kept: it holds a token.
    """

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self.keep = self._entries.append
        """Keep one entry; the whole cost to a turn."""
        self._secrets: list[bytes] = []
        self._shown: tuple[Entry, list[dict[str, Any]]] | None = None
        """The newest entry at the last description, and that description: a bot in many matches has
        one trace."""

    def hide(self, *secrets: str) -> None:
        """Never show these words, wherever they stand."""
        self._secrets += [secret.encode() for secret in secrets if secret]

    def clean(self, data: bytes) -> bytes:
        """The same bytes with stars in place of secrets."""
        for secret in self._secrets:
            data = data.replace(secret, b"*" * len(secret))
        return data

    def frames(self) -> list[dict[str, Any]]:
        """The frames kept, oldest first, each with `at_ms`, `direction`, `bytes`, `hex` and `message` or `problem`.

        `at_ms` of a frame to the bot is when it was put into the outbox, of one from the bot when
        its end was read.
        """
        if self._entries and self._shown is not None and self._shown[0] is self._entries[-1]:
            return self._shown[1]
        found = [self._described(*part) for part in _parts(self._entries)]
        turns = [frame["message"] for frame in found if "legal" in frame.get("message", ())]
        for message in turns[:-1]:  # kept in the last one: an answer may be an index in it
            message["legal"] = f"{len(message['legal'])} turns, left out here"
        if self._entries:
            self._shown = (self._entries[-1], found)
        return found

    def _described(
        self,
        at_ms: int,
        direction: Direction,
        frame: bytes,
        problem: str,
    ) -> dict[str, Any]:
        data = self.clean(frame)
        shown: dict[str, Any] = {"at_ms": at_ms, "direction": direction.name, "bytes": len(data)}
        if not problem and direction is TO_ARENA and len(data) > HEX_BYTES:
            problem = f"longer than {HEX_BYTES} bytes: shown cut short, and not decoded"
        if problem:
            return shown | {"hex": _hex(data), "problem": problem}
        try:
            message = decode(data[HEADER_BYTES:], direction)
        except ProtocolError as error:
            return shown | {"hex": _hex(data), "problem": f"{error.code}: {error.message}"}
        if isinstance(message, Login):
            return shown | {"hex": "", "problem": "a login is not shown: it holds a token"}
        plain: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
        if isinstance(message, Turn) and message.legal is None:
            plain.pop("legal", None)
        return shown | {"hex": _hex(data), "message": plain}


def _hex(data: bytes) -> str:
    return data[:HEX_BYTES].hex() + ("..." if len(data) > HEX_BYTES else "")


def _parts(entries: Iterable[Entry]) -> Iterator[tuple[int, Direction, bytes, str]]:
    """Every frame with its time and direction, and a problem if it is not whole.

    A frame to the bot is one entry. What comes from the bot may be cut anyhow: it is put together
    again.
    """
    waiting = b""
    is_aligned = False
    at_ms = 0
    for at_ms, is_start, data in entries:
        if is_start is None:
            yield at_ms, TO_BOT, data, ""
            continue
        if is_start:
            waiting, is_aligned = b"", True
        if not is_aligned:
            yield at_ms, TO_ARENA, data, "the rest of a frame whose beginning is not kept any more"
            continue
        waiting += data
        while len(waiting) >= HEADER_BYTES:
            size = HEADER_BYTES + int.from_bytes(waiting[:HEADER_BYTES], "big")
            if size > HEADER_BYTES + BOT_FRAME_BYTES or len(waiting) < size:
                break
            yield at_ms, TO_ARENA, waiting[:size], ""
            waiting = waiting[size:]
    if waiting:
        yield at_ms, TO_ARENA, waiting, "the beginning of a frame that has not come to its end"
