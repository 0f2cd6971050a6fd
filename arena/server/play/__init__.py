"""A match at the table: one session, one seat, one table."""
