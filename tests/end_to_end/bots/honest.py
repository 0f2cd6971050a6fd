"""Plays the first legal turn of every roll, without a fault."""

from protocol.client import Bot, Choice


class Honest(Bot):
    version = "1.0"
    fingerprint = "honest build"
    wants = ("legal",)

    def play(self, turn):
        return Choice(0)


if __name__ == "__main__":
    Honest().main()
