"""Remarks of bots: the `info` of an answer, as the record of the match keeps it."""

from typing import Final, TypeAlias

import msgspec

from protocol.values import LeftOut

REMARK_BYTES: Final = 1024
"""The longest remark kept, as JSON: at 64 KiB a turn a bot could fill the organiser's disk."""


class TooLong(msgspec.Struct, frozen=True):
    """Stands for a remark that is too long to be kept."""

    size_bytes: int
    """Its length as JSON."""

    @property
    def message(self) -> str:
        """The words to its bot."""
        return f"{self.size_bytes} bytes as JSON; at most {REMARK_BYTES} are kept"


NotKept: TypeAlias = LeftOut | TooLong
"""Stands for a remark that cannot be kept."""


def kept(remark: object) -> object:
    """Return a remark as it is, or a `NotKept` in its place."""
    if isinstance(remark, LeftOut):
        return remark
    size_bytes = len(msgspec.json.encode(remark))
    if size_bytes > REMARK_BYTES:
        return TooLong(size_bytes)
    return remark


def recorded(remark: object) -> object:
    """Return the entry in the record for a remark that went through `kept`."""
    match remark:
        case LeftOut():
            return {"left_out": remark.code}
        case TooLong():
            return {"left_out_bytes": remark.size_bytes}
    return remark
