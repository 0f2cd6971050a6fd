"""Bots that stand in for programs that do not speak the protocol.

An adapter is a bot like any other, made with `protocol.client`; the arena does not know what is behind it.
docs/adapters.md explains how to use them, and what the lines contain.
"""
