"""Runtimes: what an interpreter, or another installed program, needs to run."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.server.programs.system_files import exists, is_broad, steps

PROGRAM_FOLDERS: Final = ("bin", "sbin", "shims")
MOST_INTERPRETERS: Final = 5
"""How many programs may start one another by `#!`."""
SHEBANG_BYTES: Final = 256


def program_path(word: str, directory: Path) -> Path | None:
    """The file that is started by a word of a command; None if there is none."""
    if "/" in word:
        path = (directory / word).absolute()
        return path if exists(path) else None
    found = shutil.which(word)
    return None if found is None else Path(found).absolute()


def runtime_files(program: Path) -> Iterator[Path]:
    """Yield what an interpreter, or another installed program, needs beside the system: the folder it is installed in.

    Follows its symbolic links, the `home` of a virtual environment, and the interpreter that a
    script names.
    """
    for _ in range(MOST_INTERPRETERS):
        for at in (program, *steps(program)):
            prefix = prefix_of(at)
            if prefix is None:
                yield at
            else:
                yield prefix
                yield from _base(prefix)
        words = shebang(program)
        if words and Path(words[0]).name == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        following = program_path(words[0], Path("/")) if words else None
        if following is None:
            return
        program = following


def prefix_of(program: Path) -> Path | None:
    """Return the folder of the installation that a program belongs to: in `bin` beside libraries, or a venv."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS or is_broad(prefix):
        return None
    has_libraries = any((prefix / name).is_dir() for name in ("lib", "libexec"))
    return prefix if has_libraries or (prefix / "pyvenv.cfg").exists() else None


def _base(prefix: Path) -> Iterator[Path]:
    """The installation a virtual environment was made from."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        name, _, value = line.partition("=")
        if (
            name.strip() == "home"
            and (base := prefix_of(Path(value.strip()) / "python")) is not None
        ):
            yield base


def shebang(script: Path) -> list[str]:
    """The words after `#!` in the first line of a script; none of another file."""
    return _first_line(script)[2:].split()


def has_windows_line_end(script: Path) -> bool:
    """Return whether the first line of a script ends with CRLF: the system takes the CR for a part of the name."""
    return _first_line(script).endswith("\r")


def _first_line(script: Path) -> str:
    """The first line of a script that begins with `#!`; empty for another file."""
    try:
        with script.open("rb") as file:
            line = file.read(SHEBANG_BYTES).partition(b"\n")[0]
    except OSError:
        return ""
    return line.decode(errors="replace") if line.startswith(b"#!") else ""
