"""Positions of backgammon in the forms of other programs: one module for each form.

`forms.py` reads every form of a position that the arena knows, and writes those of other programs.
"""
