"""A referee for tests in whose venue nothing is played."""

from collections.abc import Callable
from typing import Any

import trio

from arena.server.series import referee
from arena.server.setup.referee_lines import Opened


async def play_nothing(*arguments: Any) -> None:
    tell_opened: Callable[[Opened], object] = arguments[-1]
    tell_opened(Opened())
    await trio.sleep_forever()


if __name__ == "__main__":
    referee.play = play_nothing
    referee.main()
