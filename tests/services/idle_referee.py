"""A referee for tests in whose venue nothing is played."""

import trio

from arena.server.series.play import Series
from arena.server.series.referee import main
from arena.server.setup.referee_lines import Opened


async def play_nothing(series: Series) -> None:
    series.tell_opened(Opened())
    await trio.sleep_forever()


if __name__ == "__main__":
    main(play_nothing)
