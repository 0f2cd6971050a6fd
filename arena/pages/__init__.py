"""The pages for people: boards, tables and charts of a run, in a file, live, and at the board."""
