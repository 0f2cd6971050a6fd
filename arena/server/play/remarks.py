"""Remarks of bots: the `info` of an answer, as the record of the match keeps it."""

from typing import Final, TypeAlias

import msgspec

from protocol.values import LeftOut

REMARK_BYTES: Final = 1024
"""The longest remark that is kept, as JSON: at 64 KiB a turn a bot could fill the organiser's disk."""


class TooLong(msgspec.Struct, frozen=True):
    """Stands for a remark that is too long to be kept."""

    size_bytes: int
    """Its length as JSON."""

    @property
    def message(self) -> str:
        """What its bot is told."""
        return f"{self.size_bytes} bytes as JSON; at most {REMARK_BYTES} are kept"


NotKept: TypeAlias = LeftOut | TooLong
"""What stands for a remark that cannot be kept."""


def kept(info: object) -> object:
    """Return a remark as it is, or a `NotKept` in its place."""
    if isinstance(info, LeftOut):
        return info
    size_bytes = len(msgspec.json.encode(info))
    return info if size_bytes <= REMARK_BYTES else TooLong(size_bytes)


def recorded(info: object) -> object:
    """Return what the record has in the place of a remark that went through `kept`."""
    match info:
        case LeftOut():
            return {"left_out": info.code}
        case TooLong():
            return {"left_out_bytes": info.size_bytes}
    return info
