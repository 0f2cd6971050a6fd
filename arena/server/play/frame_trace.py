"""The last frames of a connection, to find out what went wrong."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from protocol.codec import HEADER_BYTES, TO_ARENA, TO_BOT, Direction, decode
from protocol.connection import BOT_FRAME_BYTES
from protocol.errors import ProtocolError
from protocol.greetings import Join, Login
from protocol.messages import Turn

KEPT: Final = 64
"""Writes and reads kept of a connection; a turn in a single game takes one of each."""
HEX_BYTES: Final = 4096
"""How much of one frame is shown in hexadecimal; the longest turns with their legal answers are far
longer."""

Entry = tuple[int, bool | None, bytes]
"""The time (ms); None for a frame written to the bot, else whether the bytes read begin with a new
frame; the bytes."""


class Trace:
    """Keeps references to bytes that exist anyway; nothing is decoded before `frames` is called.

    Bytes from before the login are never kept: they hold a token.
    """

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self.keep = self._entries.append
        """Keep one entry. A turn pays for nothing else."""
        self._secrets: list[bytes] = []
        self._cached_for: Entry | None = None
        """The newest entry when `frames` last ran; the cache `_shown` holds while it is the same.
        """
        self._shown: list[dict[str, Any]] = []
        """The answer of `frames` at that time: a bot in many matches has one trace."""

    def hide(self, *secrets: str) -> None:
        """Never show these words, wherever they stand."""
        self._secrets += [secret.encode() for secret in secrets if secret]

    def clean(self, text: bytes) -> bytes:
        """Return the same bytes with stars in place of secrets."""
        for secret in self._secrets:
            text = text.replace(secret, b"*" * len(secret))
        return text

    def frames(self) -> list[dict[str, Any]]:
        """Return the frames kept, oldest first.

        Each has `at_ms`, `direction`, `bytes`, `hex` and `message` or `problem`. `at_ms` of a frame
        to the bot is when it was put into the outbox, of one from the bot when its end was read.
        """
        newest = self._entries[-1] if self._entries else None
        if newest is not None and newest is self._cached_for:
            return self._shown
        frames = [self._described(*part) for part in _parts(self._entries)]
        messages = [frame.get("message", {}) for frame in frames]
        turns = [message for message in messages if "legal" in message]
        for turn in turns[:-1]:  # kept in the last one: an answer may be an index in it
            turn["legal"] = f"{len(turn['legal'])} turns, left out here"
        self._cached_for = newest
        self._shown = frames
        return frames

    def _described(
        self,
        at_ms: int,
        direction: Direction,
        frame: bytes,
        problem: str,
    ) -> dict[str, Any]:
        """Return a frame as `frames` shows it, without secrets."""
        clean = self.clean(frame)
        shown: dict[str, Any] = {
            "at_ms": at_ms,
            "direction": direction.name,
            "bytes": len(clean),
        }
        if not problem and direction is TO_ARENA and len(clean) > HEX_BYTES:
            problem = f"longer than {HEX_BYTES} bytes: shown cut short, and not decoded"
        if problem:
            return shown | {"hex": _hex(clean), "problem": problem}
        try:
            message = decode(clean[HEADER_BYTES:], direction)
        except ProtocolError as error:
            return shown | {"hex": _hex(clean), "problem": f"{error.code}: {error.message}"}
        if isinstance(message, Login | Join):
            return shown | {
                "hex": "",
                "problem": "a login or a join is not shown: it holds a secret",
            }
        plain: dict[str, Any] = msgspec.to_builtins(message, builtin_types=(bytes,))
        if isinstance(message, Turn) and message.legal is None:
            plain.pop("legal", None)
        return shown | {"hex": _hex(clean), "message": plain}


def _hex(frame: bytes) -> str:
    if len(frame) <= HEX_BYTES:
        return frame.hex()
    return frame[:HEX_BYTES].hex() + "..."


def _parts(entries: Iterable[Entry]) -> Iterator[tuple[int, Direction, bytes, str]]:
    """Yield every frame with its time and direction, and a problem if it is not whole.

    A frame to the bot is one entry. Frames from the bot may be cut anywhere: they are put together
    again.
    """
    waiting = b""
    is_aligned = False
    at_ms = 0
    for at_ms, is_start, part in entries:
        if is_start is None:
            yield at_ms, TO_BOT, part, ""
            continue
        if is_start:
            waiting = b""
            is_aligned = True
        if not is_aligned:
            yield at_ms, TO_ARENA, part, "the rest of a frame whose beginning is not kept any more"
            continue
        waiting += part
        while len(waiting) >= HEADER_BYTES:
            size = HEADER_BYTES + int.from_bytes(waiting[:HEADER_BYTES], "big")
            if size > HEADER_BYTES + BOT_FRAME_BYTES or len(waiting) < size:
                break
            yield at_ms, TO_ARENA, waiting[:size], ""
            waiting = waiting[size:]
    if waiting:
        yield at_ms, TO_ARENA, waiting, "the beginning of a frame that has not come to its end"
