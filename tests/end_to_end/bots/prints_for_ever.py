"""Prints in its first turn without ever coming to an end."""

import sys

from common import play

from protocol.client import Bot, Choice


class Talker(Bot):
    wants = ("legal",)

    def play(self, turn):
        while True:
            sys.stdout.write("x" * 65_536)
        return Choice(0)


play(Talker())
