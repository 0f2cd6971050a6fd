"""The programs `python` and `arena` of a bot's command, and sample bots: those of this arena.

Its Python has the bot kit. Where `pipx` or `uv tool` installs the arena, the PATH has neither. Any
other name is looked up on the PATH.
"""

import re
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from arena.shipped import shipped
from arena.words import Said

GAMES: Final = "/usr/games"
"""Debian's folder of games, which is often not in PATH."""
_MISSING: Final = re.compile(r"No module named '?(\w+)")


def with_own_programs(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with the paths of what is the arena's own in it.

    The program may also stand after `env NAME=VALUE`. A word such as `sample_bots/random/bot.py`
    names the sample bot that ships, unless the current folder has it.
    """
    named = tuple(map(_shipped_path, command))
    match named:
        case ("env", *words):
            begin = 0
            while begin < len(words) and "=" in words[begin]:
                begin += 1
            return ("env", *words[:begin], *with_own_programs(words[begin:]))
        case ("python", *words):
            return (sys.executable, *words)
        case ("arena", *words):
            program = Path(sys.executable).with_name("arena")
            if program.exists():
                return (str(program), *words)
    return named


def _shipped_path(word: str) -> str:
    if not word.startswith("sample_bots/") or Path(word).exists():
        return word
    path = shipped("sample_bots").parent / word
    return str(path) if path.exists() else word


def find_program(name: str) -> str | None:
    """Return the path of an installed program, given by its name or path; None if there is none."""
    return shutil.which(name) or shutil.which(name, path=GAMES)


def module_advice(last_words: str) -> Said | None:
    """Return what to do if a program ended because its Python lacks a module; else None."""
    missing = _MISSING.search(last_words)
    if missing is None:
        return None
    if missing[1] in ("protocol", "arena"):
        return Said("advice.kit", {"python": sys.executable})
    return Said("advice.module", {"module": missing[1], "python": sys.executable})
