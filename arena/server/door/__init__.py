"""Who may connect: the listener, limits on connections, logins."""
