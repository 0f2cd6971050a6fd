"""Types of the arrays that evaluators work on."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float32]
Masks: TypeAlias = NDArray[np.uint32]
"""Bit p is set for point p, as in the engine; one mask a position."""
Counts: TypeAlias = NDArray[np.uint8]
"""Shape (positions, 56): checkers by slot, the mover's 28 slots first (arena/games/tables/board.py)."""
Flags: TypeAlias = NDArray[np.bool_]
Array: TypeAlias = NDArray[Any]
