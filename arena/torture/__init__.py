"""The fault zoo: bots and clients that misbehave in every known way, each with the arena's expected verdict.

The command `arena torture` and the tests run the same cases. Each case has an arena of its own, a real process on
loopback in a temporary folder, and talks to it from outside; honest bots beside it show that nobody else is harmed.
"""
