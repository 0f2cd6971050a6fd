"""Plays well, and crashes when it is asked for its n-th turn."""

import os

from common import argument, play
from honest import Honest


class Crashes(Honest):
    left = argument(3)

    def play(self, turn):
        self.left -= 1
        if self.left == 0:
            os._exit(7)
        return super().play(turn)


if __name__ == "__main__":
    play(Crashes())
