"""Answers its first turn with bytes that are no message: a short length, and then no msgpack."""

from common import until_first_turn

stream, incoming, _ = until_first_turn()
stream.sendall(b"\x00\x00\x00\x05\xc1\xc1\xc1\xc1\xc1")
for _ in incoming:
    pass
