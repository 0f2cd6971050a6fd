"""`arena new`: a bot to start from, in a language of your choice.

A starter is the sample bot itself, byte for byte. Only its README is rewritten, so that its
commands fit the new folder.
"""

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import click

from arena.cli.shared.output import A_PATH, CHECK_FAILED, arena_again, fail
from arena.nearest import nearest
from arena.words import joined

LANGUAGES: Final = {
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
"""Sample bots that try to win, as opponents or as starters. All are in Python."""

README: Final = "README.md"
TWIN: Final = "twin"
"""First opponent of a starter: the same program once more, which always exists."""
BUILT: Final = frozenset({"build", "node_modules", "target", "__pycache__", "receipts.jsonl"})
"""Files of builds and games beside the sources; they are never copied."""
_BLOCK: Final = re.compile(r"^```sh\n(.*?)\n```$", re.DOTALL | re.MULTILINE)
_OPPONENT: Final = re.compile(r"against (?:a|the Python) bot that plays at random")
_LINK: Final = re.compile(r"\[([^]]+)\]\(\.\./\.\./[^)]+\)")


@click.command()
@click.argument("language")
@click.argument("folder", type=A_PATH)
@click.option("--name", help="The bot's name in a tournament; the folder's name by default.")
def command(language: str, folder: Path, name: str | None) -> None:
    """Write a bot that already plays, to start from.

    LANGUAGE is c, go, java, javascript, python, rust or shell, or the name of a sample bot that
    plays to win: greedy, lookahead, neural or brandubh. The bot is written to FOLDER, which must be
    new or empty. The command writes the sample bot, with a README. Then it prints the commands that
    build the bot and let it play three games against a second copy of itself.

    \b
    Examples:
      arena new python my-bot
      arena new neural rival
    """
    starter = _starter(language)
    title = _title(folder, name)
    try:
        _check_folder(folder)
        starter.copy(folder, title)
    except OSError as error:
        reason = error.strerror or error
        fail(f"{error.filename or folder} cannot be written: {reason}", code=CHECK_FAILED)
    bot = f"A bot in {language}" if language in LANGUAGES else f"A copy of {language}"
    click.echo(
        f"{bot} is in {folder}; its README.md says what it needs and where to put your own ideas."
    )
    build = " && ".join(starter.build_commands()).replace(starter.home, shlex.quote(str(folder)))
    if build:
        click.echo(f"\nBuild it:\n  {build}")
    play = starter.play_in(str(folder), title, arena=arena_again())
    click.echo(f"\nHave it play three games against a second copy of itself:\n  {play}")


def _title(folder: Path, name: str | None) -> str:
    """Return the name of the bot in a tournament, if it can be used; else end the command."""
    from arena.tournaments.names import display_problems, entrant_problems, plain_id

    wanted = folder.absolute().name if name is None else name
    entrant = plain_id(wanted)
    if entrant_problems([entrant]):
        advice = "give another one with --name, such as --name anna"
        fail(f"no id can be made of the name {wanted!r}; {advice}")
    title = entrant if name is None else name
    problems = (*entrant_problems((entrant, TWIN)), *display_problems({entrant: title}))
    if problems:
        fail(joined(problems))
    return title


def _check_folder(folder: Path) -> None:
    """End the command if the folder holds something already. Raises `OSError`."""
    if not folder.exists():
        return
    contents = ""
    if not folder.is_dir():
        contents = "a file"
    elif any(folder.iterdir()):
        contents = "a folder with something in it"
    if contents:
        advice = "nothing is ever overwritten; name a new or an empty folder"
        fail(f"{folder} is {contents}, and {advice}")


def _starter(language: str) -> "Starter":
    from arena.shipped import shipped

    folders = LANGUAGES | {name: name for name in PLAYERS}
    if language not in folders:
        hint = nearest(language.lower(), folders)
        if not hint:
            hint = "; for another one, docs/protocol.md says all a bot needs"
        there = f"there are some in {', '.join(LANGUAGES)}, and {', '.join(PLAYERS)}"
        fail(f"there is no starter in {language!r}; {there}{hint}")
    path = shipped("sample_bots") / folders[language]
    if not path.is_dir():
        problem = f"there is no {path}; install the arena again"
        fail(f"the starters are not installed: {problem}", code=CHECK_FAILED)
    return Starter(path)


@dataclass(frozen=True, slots=True)
class Starter:
    """A sample bot in its folder.

    Its README has the commands in `sh` blocks; one of them plays games.
    """

    path: Path

    @property
    def home(self) -> str:
        """The folder as its README names it."""
        return f"sample_bots/{self.path.name}"

    @property
    def _readme(self) -> str:
        return (self.path / README).read_text(encoding="utf-8")

    def commands(self) -> list[str]:
        """Return the commands of its README, in order."""
        return _BLOCK.findall(self._readme)

    def build_commands(self) -> list[str]:
        """Return the commands before the one that plays; empty for a bot that needs no build."""
        commands = self.commands()
        return commands[: commands.index(self.play_command())]

    def play_command(self) -> str:
        """Return the command that plays games."""
        (command,) = (command for command in self.commands() if command.startswith("arena run "))
        return command

    def opponents(self) -> dict[str, list[str]]:
        """Return the command of each bot in that command, by name; the bot itself is the first."""
        words = shlex.split(self.play_command())
        opponents = {}
        for option, argument in pairwise(words):
            if option == "--bot":
                name, _, command = argument.partition("=")
                opponents[name] = shlex.split(command)
        return opponents

    def start_command(self) -> list[str]:
        """Return the command that starts it, from the folder above `sample_bots`."""
        return next(iter(self.opponents().values()))

    def files(self) -> Iterator[Path]:
        """Yield the source files, as paths inside the folder."""
        for path in sorted(self.path.rglob("*")):
            inside = path.relative_to(self.path)
            if path.is_file() and not BUILT.intersection(inside.parts):
                yield inside

    def copy(self, folder: Path, name: str) -> None:
        """Write the starter to a folder that is new or empty, for an entrant of this name.

        Raises `OSError`.
        """
        for inside in self.files():
            target = folder / inside
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.path / inside, target)
        # commands start in the folder above, and no links lead out of the folder
        home = folder.absolute().name
        text = self._readme.replace(self.play_command(), self.play_in(home, name))
        text = _LINK.sub(r"\1", text.replace(self.home, shlex.quote(home)))
        text = text.replace("`sample_bots`", f"`{home}`")
        text = _OPPONENT.sub("against a second copy of itself", text)
        (folder / README).write_text(text, encoding="utf-8")

    def play_in(self, folder: str, name: str, *, arena: str = "arena") -> str:
        """Return a shell line in which a copy in this folder plays three games against its twin."""
        from arena.tournaments.names import plain_id

        start = [word.replace(self.home, folder) for word in self.start_command()]
        command = shlex.quote(shlex.join(start))
        bots = f"--bot {shlex.quote(name)}={command} --bot {TWIN}={command}"
        words = shlex.split(self.play_command())
        ruleset = ""
        if "--ruleset" in words:
            ruleset = f"--ruleset {words[words.index('--ruleset') + 1]} "
        return f"{arena} run {ruleset}{bots} --games 3 --out {plain_id(name)}-run"
