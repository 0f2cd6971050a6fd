"""Something that is to be said: a code with values. Rules, machines and records know this, and no sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Said(NamedTuple):
    """A code of the catalogues, and the values that its sentence names; `["place.point", {"point": "5"}]` in JSON.

    A value is text that is the same in every language (names, moves, dice), a number, something to be said, or a list
    of these.
    """

    code: str
    values: Mapping[str, Any] = {}
