"""What ends an adapter."""


class AdapterError(Exception):
    """The program behind the adapter cannot go on, or cannot be started; says what was found and what to do."""
