"""A kit for bots in Python: implement `Bot.play`, call `main`, and the rest is done.

```python
from protocol.client import Bot, Choice


class First(Bot):
    name = "first"
    wants = ("legal",)

    def play(self, turn):
        return Choice(0)


First().main()
```
"""

from protocol.client.bot import AcceptDraw, CallView, Choice, Moves, Reply, TurnView
from protocol.client.joining import JoinError, join
from protocol.client.run import (
    HOW_TO_START,
    Bot,
    connect,
    kit_options,
    main,
    play_at,
    play_over,
    run,
)
from protocol.client.session import ClientSession, End, tell
from protocol.messages import Break, GameEnd, GameStart, MatchEnd, MatchStart, Rejected

__all__ = [
    "HOW_TO_START",
    "AcceptDraw",
    "Bot",
    "Break",
    "CallView",
    "Choice",
    "ClientSession",
    "End",
    "GameEnd",
    "GameStart",
    "JoinError",
    "MatchEnd",
    "MatchStart",
    "Moves",
    "Rejected",
    "Reply",
    "TurnView",
    "connect",
    "join",
    "kit_options",
    "main",
    "play_at",
    "play_over",
    "run",
    "tell",
]
