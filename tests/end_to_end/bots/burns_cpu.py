"""Thinks in its first turn without ever coming to an end, with a helper; the helper uses the time."""

import os

from common import play

from protocol.client import Bot, Choice


class Thinker(Bot):
    wants = ("legal",)

    def play(self, turn):
        if not os.fork():
            while True:
                pass
        os.wait()
        return Choice(0)


play(Thinker())
