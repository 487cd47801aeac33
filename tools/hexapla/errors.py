"""What the command tells its user in one sentence, with exit status 2."""


class ConfigError(ValueError):
    """A configuration that cannot be worked with; the message says which file, what, and what to do."""
