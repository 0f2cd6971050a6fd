"""Pages that follow the records of a run while they grow, in a process of their own."""
