"""`arena stats`: what a run shows about each bot's strength and conduct."""

from arena.cli.stats.command import command

__all__ = ["command"]
