"""A page that a command of the arena serves, for pictures of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.browser import chromium, chromium_path


@contextmanager
def served_page(*words: str, width: int, height: int) -> Iterator[Any]:
    """The first page of `arena WORDS` in a window of this size; the command is ended afterwards."""
    command = [sys.executable, "-m", "arena", *words, "--listen", "127.0.0.1:0", "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout is not None
        try:
            with chromium(chromium_path()) as browser:
                page = browser.new_page(
                    color_scheme="light",
                    reduced_motion="reduce",
                    viewport={"width": width, "height": height},
                    locale="en-GB",
                )
                page.goto(serving.stdout.readline().strip())
                yield page
        finally:
            serving.send_signal(signal.SIGINT)
