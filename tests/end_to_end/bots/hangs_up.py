"""Hangs up instead of its first answer and leaves with exit status 0."""

from common import until_first_turn

stream, _, _ = until_first_turn()
stream.close()
