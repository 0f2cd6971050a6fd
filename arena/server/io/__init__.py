"""What the shell stands on: sockets, TLS, clock, deadlines, journals, and the end of a batch."""
