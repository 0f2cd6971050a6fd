"""Extras: libraries that only some commands need, and how to install them where this arena runs."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec
from typing import Literal

Extra = Literal["analysis", "parquet", "cluster", "web"]


def install_command(extra: Extra) -> str:
    """What to type to install the libraries of an extra into the environment of this arena.

    It names the libraries and not the extra: that works the same for an arena from a checkout, from a wheel, by pipx
    or by uv, and needs no package index that knows the arena. A plain `pip` is often that of another environment, and
    an environment that uv has made has none.
    """
    libraries = [shlex.quote(library) for library in libraries_of(extra)]
    python = shlex.quote(sys.executable)
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    return " ".join([pip, *libraries])


def without_numpy() -> str:
    """Why evaluators cannot be used here, with what to type; empty if they can."""
    if find_spec("numpy") is not None:
        return ""
    return f"evaluators need NumPy, the extra `analysis`; install it with: {install_command('analysis')}"


def libraries_of(extra: Extra) -> list[str]:
    """The requirements of an extra, as this arena was installed with: `duckdb>=1.1`."""
    found = [requirement.partition(";") for requirement in requires("brade-arena") or ()]
    return [
        library.strip() for library, _, marker in found if marker.replace('"', "'").strip() == f"extra == '{extra}'"
    ]
