"""Machines of a match, which decide what happens next: events in, facts out, time as an input."""
