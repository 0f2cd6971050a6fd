"""What the arena can do, as functions: values in, progress and values out, errors by name; no terminal, no exits."""
