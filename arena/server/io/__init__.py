"""The base of the shell: sockets, TLS, clock, deadlines, journals, and the end of a batch."""
