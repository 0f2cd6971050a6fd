"""Writes a file that never ends to the folder for temporary files, and crashes when the system takes no more."""

import tempfile

from common import play

from protocol.client import Bot, Choice


class Writer(Bot):
    wants = ("legal",)

    def play(self, turn):
        with tempfile.TemporaryFile() as file:
            while True:
                file.write(b"x" * 1_048_576)
                file.flush()
        return Choice(0)


play(Writer())
