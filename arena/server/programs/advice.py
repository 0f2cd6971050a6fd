"""Advice on a launched program that has failed, from what it wrote to standard error."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from arena.own_programs import module_advice

_REFUSED: Final = re.compile(r"(?:No such file or directory|Permission denied): '([^'\n]+)'")
"""As Python says it."""


def advice(said: str, directory: Path) -> str:
    """Return what to do after these last words of a program that ran in `directory`; empty if nothing is known."""
    if "main() missing 1 required positional argument: 'self'" in said:
        return "write `.main()` behind the bot, not behind its class: Mine().main()"
    return module_advice(said) or _sandbox_advice(said, directory)


def _sandbox_advice(said: str, directory: Path) -> str:
    """Return what to do about a file that is there, and that the program was not shown."""
    for name in reversed(_REFUSED.findall(said)):
        if (directory / name).exists():
            return (
                f"{name} is there, but the sandbox shows a bot little beside its own folder: put the file there, "
                f'or give reads = ["{name}"] beside the command in a tournament file'
            )
    return ""
