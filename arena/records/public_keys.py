"""Ed25519 public keys to refuse: some prove nothing, since anybody can make a signature that fits them."""

from __future__ import annotations

from typing import Final

_P: Final = 2**255 - 19
"""The field of the curve: the low 255 bits of a key are a coordinate below it, the highest bit is a sign."""
_OF_ORDER_8: Final = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
_LOW_ORDER: Final = {0, 1, _P - 1, _OF_ORDER_8, _P - _OF_ORDER_8}
"""The coordinates of the points whose order is 1, 2, 4 or 8 (RFC 8032, 5.1)."""


def key_problem(public_key: bytes) -> str:
    """Return why a public key of 32 bytes is refused, to put after "the key is"; empty if it may be used."""
    coordinate = int.from_bytes(public_key, "little") % 2**255
    if coordinate % _P in _LOW_ORDER:
        return "of low order, proves nothing"
    return "" if coordinate < _P else "not in canonical form, proves nothing"
