"""Extras: libraries that only some commands need, and how to install them where this arena runs."""

from __future__ import annotations

import shlex
import sys
from typing import Literal

Extra = Literal["parquet", "cluster", "signing"]


def install_command(extra: Extra) -> str:
    """What to type: by the pip of the environment in which this arena is installed, from a checkout or not.

    A plain `pip` is often that of another environment.
    """
    return f"{shlex.quote(sys.executable)} -m pip install 'brade-arena[{extra}]'"
