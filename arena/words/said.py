"""Something that is to be said: a code with values. Rules, machines and records know this, and no sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

Value: TypeAlias = "str | int | float | Said | Sequence[Any]"
"""Text that is the same in every language (names, moves, dice), a number, something to be said, or several of these."""


class Said(NamedTuple):
    """A code of the catalogues, and the values that its sentence names; `["on_point", {"point": 5}]` in JSON."""

    code: str
    values: Mapping[str, Value] = MappingProxyType({})
