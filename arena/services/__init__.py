"""What the arena can do, as functions: values in and out, errors by name, no terminal, no exits.

Many of them import inside functions, so that a command loads only what it needs and starts at once:
NumPy alone takes a tenth of a second.
"""
