"""A venue that stays open: its referee, and what the operator needs to know of it."""
