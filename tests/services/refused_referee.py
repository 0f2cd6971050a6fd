"""A referee for tests that cannot begin."""

from arena.server.series.referee import Series, main
from arena.words import Said, SaidError


async def play(series: Series) -> None:
    raise SaidError(Said("file.failed", {"file": "venue.toml", "reason": "it is nonsense"}))


if __name__ == "__main__":
    main(play)
