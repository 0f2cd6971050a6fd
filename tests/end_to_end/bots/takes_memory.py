"""Takes 2 GiB of memory in its first turn, and would then play on."""

from common import play

from protocol.client import Bot, Choice


class Greedy(Bot):
    wants = ("legal",)

    def play(self, turn):
        self.hoard = [b"x" * (64 << 20) for _ in range(32)]
        return Choice(0)


play(Greedy())
