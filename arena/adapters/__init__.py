"""Bots that stand in for programs that do not speak the protocol (docs/adapters.md)."""
