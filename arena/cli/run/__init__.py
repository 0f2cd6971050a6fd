"""`arena run`: play a tournament, or resume one."""

from arena.cli.run.command import command

__all__ = ["command"]
