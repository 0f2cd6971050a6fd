"""Formats decide the pairings. Each has a module with one class; `registry.py` lists them all."""
