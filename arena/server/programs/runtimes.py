"""Runtimes: the files that an interpreter, or another installed program, needs to run."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from arena.server.programs.system_files import exists, is_broad, steps

PROGRAM_FOLDERS: Final = ("bin", "sbin", "shims")
MOST_INTERPRETERS: Final = 5
"""Number of programs that may start one another by `#!`."""
SHEBANG_BYTES: Final = 256


def program_path(word: str, directory: Path) -> Path | None:
    """Return the file that a word of a command starts; None if there is none."""
    if "/" in word:
        path = (directory / word).absolute()
        return path if exists(path) else None
    program = shutil.which(word)
    if program is None:
        return None
    return Path(program).absolute()


def runtime_files(program: Path) -> Iterator[Path]:
    """Yield the folders of an interpreter, or of another program that is not the system's.

    Follows its symbolic links, the `home` of a virtual environment, and the interpreter that a
    script names.
    """
    for _ in range(MOST_INTERPRETERS):
        for path in (program, *steps(program)):
            prefix = prefix_of(path)
            if prefix is None:
                yield path
            else:
                yield prefix
                yield from _base(prefix)
        interpreter = _interpreter_of(program)
        if interpreter is None:
            return
        program = interpreter


def _interpreter_of(script: Path) -> Path | None:
    """Return the program that a script names in its first line; None if it names none."""
    words = shebang(script)
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if not words:
        return None
    return program_path(words[0], Path("/"))


def prefix_of(program: Path) -> Path | None:
    """Return the folder of a program's installation: with `bin` beside libraries, or a venv."""
    prefix = program.parent.parent
    if program.parent.name not in PROGRAM_FOLDERS or is_broad(prefix):
        return None
    has_libraries = (prefix / "lib").is_dir() or (prefix / "libexec").is_dir()
    if has_libraries or (prefix / "pyvenv.cfg").exists():
        return prefix
    return None


def _base(prefix: Path) -> Iterator[Path]:
    """Yield the installation that a virtual environment was made from."""
    try:
        lines = (prefix / "pyvenv.cfg").read_text(errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        name, _, home = line.partition("=")
        if name.strip() != "home":
            continue
        base = prefix_of(Path(home.strip()) / "python")
        if base is not None:
            yield base


def shebang(script: Path) -> list[str]:
    """Return the words after `#!` in the first line of a script; empty for another file."""
    return _first_line(script)[2:].split()


def has_windows_line_end(script: Path) -> bool:
    """Return whether the first line of a script ends with CRLF, with CR then part of the name."""
    return _first_line(script).endswith("\r")


def _first_line(script: Path) -> str:
    """Return the first line of a script that begins with `#!`; empty for another file."""
    try:
        with script.open("rb") as file:
            line, _, _ = file.read(SHEBANG_BYTES).partition(b"\n")
    except OSError:
        return ""
    if not line.startswith(b"#!"):
        return ""
    return line.decode(errors="replace")
