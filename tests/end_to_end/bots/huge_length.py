"""Announces a frame of 4 GiB as its first answer, and begins to send it."""

from contextlib import suppress

from common import until_first_turn

stream, incoming, _ = until_first_turn()
with suppress(ConnectionError):
    stream.sendall(b"\xff\xff\xff\xff" + b"x" * 1_000_000)
with suppress(ConnectionError):
    for _ in incoming:
        pass
