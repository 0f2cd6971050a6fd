"""Door of the arena: the listener, limits on connections, logins."""
