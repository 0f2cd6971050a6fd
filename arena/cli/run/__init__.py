"""`arena run`: play a tournament, or go on with one."""

from arena.cli.run.command import command

__all__ = ["command"]
