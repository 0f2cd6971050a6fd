"""Wire protocol 1 between the arena and a bot, without any input or output of its own.

`messages` defines the messages, `codec` turns a message into a frame and back, `connection` defines
who may send what when, `window` counts unanswered turns, and `client` is a kit for bots in Python.
Nothing here knows the rules of any game, opens a socket (the kit excepted) or reads a clock.
"""

import sys

# msgspec takes `typing_extensions` where it finds it, and with it `inspect`: a quarter of the start
# of a bot, for what `typing` has since Python 3.11. So it is not to be found while msgspec is
# imported.
if "msgspec" not in sys.modules and "typing_extensions" not in sys.modules:
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    import msgspec  # noqa: F401

    del sys.modules["typing_extensions"]

__version__ = "0.1.0"
