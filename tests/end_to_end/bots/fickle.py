"""A remote bot that hangs up in every match at its n-th turn and comes back at once, until it is told goodbye."""

import sys

from common import argument, play
from honest import Honest


class GoneForAWhileError(Exception):
    """It has hung up, and means to come back."""


class Fickle(Honest):
    seen = 0

    def play(self, turn):
        Fickle.seen += 1
        if Fickle.seen % argument(10) == 0:
            raise GoneForAWhileError
        return super().play(turn)


while True:
    try:
        sys.exit(play(Fickle()))
    except GoneForAWhileError:
        sys.stderr.write("gone\n")
