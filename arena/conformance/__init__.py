"""The conformance kit: scripted situations that every bot should master, put to one bot alone."""
