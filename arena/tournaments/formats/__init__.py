"""Formats: who meets whom. One module with one class for each; `registry.py` knows them all."""
