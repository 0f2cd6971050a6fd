"""Every tables game: one board, one path, one turn generator; the rules are fields of a `Ruleset`.

Where the clauses of the rule book (docs/rules.md, docs/other-games.md) are:

| clauses | module | what |
|---|---|---|
| B1, G1 | board.py, position.py | numbering, packing, forms |
| - | notation.py, reading.py, drawing.py | moves and boards for people |
| B2, G2 | arena/matches/course.py | who begins; the field is `opening` |
| B3, B5.8, B7.6, G3 | turns.py | all dice of a roll: what must be used, distinct results |
| B4-B6, B7.1-B7.4, G4, G5 | steps.py | one checker, one die: landing, entry, primes, home |
| B4.1-B4.4, B6.1 | plain.py, judge.py | the same, quickly, for the common roll and turn |
| B7.7, B8, B9, B10, G6 | endings.py | how a game ends and what it pays |
| B11.1 | double_six.py | the six-checker turn |
| B11.3 | one_die.py | single dice |
| all | ruleset.py | which ruleset has which rule: one field each |
| all | explain.py | why a turn is illegal |
"""
