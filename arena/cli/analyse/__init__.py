"""`arena analyse`: what every decision cost and how lucky every roll was."""

from arena.cli.analyse.command import command

__all__ = ["command"]
