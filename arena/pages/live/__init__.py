"""A run that is followed while it is played."""
