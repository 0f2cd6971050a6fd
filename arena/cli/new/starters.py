"""The sample bots as starters: where they are, what is copied, and which commands build and start them.

A starter is the sample bot itself, byte for byte. Only its README is rewritten, so that its commands fit the new
folder.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from arena.tournaments.names import plain_id

LANGUAGES: Final[Mapping[str, str]] = {
    "c": "c",
    "go": "go",
    "java": "java",
    "javascript": "javascript",
    "python": "random",
    "rust": "rust",
    "shell": "shell",
}
"""Language to the folder in `sample_bots` of its starter."""

PLAYERS: Final = ("greedy", "lookahead", "neural", "brandubh")
"""Sample bots that try to win: to play against, or to begin with. All are in Python."""

STARTERS: Final[Mapping[str, str]] = {**LANGUAGES, **{name: name for name in PLAYERS}}
"""What can be asked for, and its folder in `sample_bots`."""

README: Final = "README.md"
TWIN: Final = "twin"
"""The entrant that a starter plays first: the same program once more, which is there in any case."""
BUILT: Final = frozenset({"build", "node_modules", "target", "__pycache__", "receipts.jsonl"})
"""What building and playing leave beside the sources; never copied."""
_BLOCK: Final = re.compile(r"^```sh\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_OPPONENT: Final = re.compile(r"against (?:a|the Python) bot that plays at random")
_LINK: Final = re.compile(r"\[([^]]+)\]\(\.\./\.\./[^)]+\)")


@dataclass(frozen=True, slots=True)
class Starter:
    """A sample bot in its folder. Its README has the commands in blocks of `sh`; one of them plays games."""

    path: Path

    @property
    def _home(self) -> str:
        """The name of its folder in its own commands."""
        return f"sample_bots/{self.path.name}"

    def readme(self) -> str:
        """The README of the sample bot."""
        return (self.path / README).read_text(encoding="utf-8")

    def commands(self) -> list[str]:
        """Every command of its README, in order."""
        return _BLOCK.findall(self.readme())

    def build_commands(self) -> list[str]:
        """The commands before the one that plays; empty for a bot that needs no building."""
        commands = self.commands()
        return commands[: commands.index(self.play_command())]

    def play_command(self) -> str:
        """The command that plays games."""
        (command,) = (command for command in self.commands() if command.startswith("arena run "))
        return command

    def opponents(self) -> dict[str, list[str]]:
        """The bots in that command, by name, and what starts each; the bot itself is the first."""
        words = shlex.split(self.play_command())
        named = [words[at + 1].partition("=") for at, word in enumerate(words) if word == "--bot"]
        return {name: shlex.split(command) for name, _, command in named}

    def start_command(self) -> list[str]:
        """Return the command that starts it, from the folder above `sample_bots`."""
        return next(iter(self.opponents().values()))

    def files(self) -> Iterator[Path]:
        """The source files, as paths inside the folder."""
        for path in sorted(self.path.rglob("*")):
            inside = path.relative_to(self.path)
            if path.is_file() and not BUILT.intersection(inside.parts):
                yield inside

    def copy(self, folder: Path, name: str) -> None:
        """Write the starter to a folder that is new or empty, for an entrant of this name. Raises `OSError`."""
        for inside in self.files():
            target = folder / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            if inside.name == README:
                target.write_text(self.readme_for(folder.absolute().name, name), encoding="utf-8")
            else:
                shutil.copy(self.path / inside, target)

    def readme_for(self, folder: str, name: str) -> str:
        """The README of a copy: the commands are for the folder above it, and no links lead out of it."""
        text = self.readme().replace(self.play_command(), self.play_in(folder, name))
        text = _LINK.sub(r"\1", text.replace(self._home, shlex.quote(folder)))
        return _OPPONENT.sub("against a second copy of itself", text.replace("`sample_bots`", f"`{folder}`"))

    def build_in(self, folder: str) -> str:
        """One shell line that builds a copy in this folder; empty if there is nothing to build."""
        return " && ".join(self.build_commands()).replace(self._home, shlex.quote(folder))

    def play_in(self, folder: str, name: str, *, arena: str = "arena") -> str:
        """One shell line that lets a copy in this folder play three games against its twin.

        `arena` starts the arena.
        """
        command = shlex.quote(shlex.join(word.replace(self._home, folder) for word in self.start_command()))
        bots = f"--bot {shlex.quote(name)}={command} --bot {TWIN}={command}"
        words = shlex.split(self.play_command())
        ruleset = f"--ruleset {words[words.index('--ruleset') + 1]} " if "--ruleset" in words else ""
        return f"{shlex.quote(arena)} run {ruleset}{bots} --games 3 --out {plain_id(name)}-run"


def this_arena() -> str:
    """Return the command that starts this arena: its name where the PATH leads to it, else its whole path."""
    ours = Path(sys.executable).with_name("arena")
    found = shutil.which("arena")
    if found is not None and Path(found).resolve() == ours.resolve():
        return "arena"
    return str(ours) if ours.exists() else "arena"
