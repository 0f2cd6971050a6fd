"""A referee for Bräde and its relatives: rules, machines, records, and the shell around them."""
