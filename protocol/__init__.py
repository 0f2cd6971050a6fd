"""Wire protocol 1 between the arena and a bot, without any input or output of its own.

`messages` says what can be said, `codec` turns a message into a frame and back, `connection` says who may
say what when, `window` keeps count of unanswered turns, and `client` is a kit for bots in Python.
Nothing here knows the rules of any game, opens a socket (the kit excepted) or reads a clock.
"""
