"""The conformance kit: scripted situations that every bot should master, each played to one bot alone."""
