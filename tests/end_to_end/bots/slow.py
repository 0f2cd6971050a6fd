"""Plays well, and takes some milliseconds for every turn, so that a run can be caught in mid-match."""

import time

from common import argument, play
from honest import Honest


class Slow(Honest):
    def play(self, turn):
        time.sleep(argument(5) / 1000)
        return super().play(turn)


play(Slow())
