"""Matches played elsewhere: files of other programs as the records of matches."""
