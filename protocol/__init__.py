"""Wire protocol 1 between the arena and a bot, without any input or output of its own.

`messages` defines the messages, `codec` turns a message into a frame and back, `connection` defines who may send what
when, `window` counts unanswered turns, and `client` is a kit for bots in Python. Nothing here knows the rules of any
game, opens a socket (the kit excepted) or reads a clock.
"""

__version__ = "0.1.0"
