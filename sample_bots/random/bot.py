"""Plays any legal turn, each as likely as another: the opponent every bot should beat."""

import random

from protocol.client import Bot, CallView, Choice, TurnView


class Random(Bot):
    """Chooses among the legal turns that the arena lists."""

    name = "random"
    version = "1"
    wants = ("legal",)

    def play(self, turn: TurnView) -> Choice:
        """Choose any."""
        return Choice(random.randrange(len(turn.legal)))

    def call(self, call: CallView) -> int:
        """Choose any number of dice where there is a choice."""
        return random.choice(call.choices)


if __name__ == "__main__":
    Random().main()
