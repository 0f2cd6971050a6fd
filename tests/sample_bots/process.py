"""A sample bot as a process, and the arena it talks to, played by the test."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fixtures.bot_workshop import ROOT, Sample, surroundings
from tests.fixtures.fake_arena import PATIENCE_S

NAME, TOKEN = "anna", "open sesame"


class Started:
    """A bot that has been started, with what it has written so far."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def end(self) -> tuple[int, str]:
        """Wait until it leaves: its exit status, and what it wrote to standard error."""
        said, complained = self._process.communicate(timeout=PATIENCE_S)
        assert TOKEN not in said + complained, "a bot never shows its token"
        return self._process.returncode, complained


@contextmanager
def started(sample: Sample, address: str, **more: str) -> Iterator[Started]:
    """The bot with this address in its environment, ended whatever happens."""
    given = {"ARENA_ADDRESS": address, "ARENA_NAME": NAME, "ARENA_TOKEN": TOKEN} | more
    with subprocess.Popen(
        sample.start_command(),
        cwd=ROOT,
        env=surroundings(**{name: value for name, value in given.items() if value}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield Started(process)
        finally:
            process.kill()
