"""A referee for tests that cannot begin."""

from typing import Any

from arena.server.series import referee
from arena.words import Said, SaidError


async def play(*_arguments: Any) -> None:
    raise SaidError(Said("file.failed", {"file": "venue.toml", "reason": "it is nonsense"}))


if __name__ == "__main__":
    referee.play = play
    referee.main()
