"""The conformance kit: scripted situations that a bot should master, each played with one bot."""
