"""The error that ends an adapter."""


class AdapterError(Exception):
    """The program behind the adapter cannot be started or cannot go on; says what was found and what to do."""
