"""What the arena can do, as functions: values in and out, errors by name, no terminal, no exits."""
