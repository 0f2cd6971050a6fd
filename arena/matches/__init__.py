"""Machines of a match, which decide what happens next: events in, facts out; time comes in as whole milliseconds."""
