"""Plays any turn, offers a draw with every third of its turns, and from the n-th turn on accepts what it is offered."""

from common import argument, play

from protocol.client import AcceptDraw, Bot, Choice


class Peaceful(Bot):
    wants = ("legal",)
    patience = argument(10)

    def play(self, turn):
        number = turn.message.turn
        if turn.draw_offered and number >= self.patience:
            return AcceptDraw(info="enough")
        return Choice(number % len(turn.legal), offers_draw=number % 3 == 0)


if __name__ == "__main__":
    play(Peaceful())
