"""The referee of `round_robins.py` with bots that think for a minute about every turn."""

from functools import partial

from arena.server.series import referee
from tests.services.round_robins import play

if __name__ == "__main__":
    referee.play = partial(play, think_ms=60_000)
    referee.main()
