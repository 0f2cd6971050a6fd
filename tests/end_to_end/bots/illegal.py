"""Answers every turn with moves that no roll allows."""

from common import play

from protocol.client import Bot


class Illegal(Bot):
    def play(self, turn):
        return [[1, 24], [24, 1]]


play(Illegal())
