"""`arena new`: a bot to start from, in a language of one's choice."""

from arena.cli.new.command import command

__all__ = ["command"]
