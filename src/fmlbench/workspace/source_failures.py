"""Why one source could not be used; the next one is then tried, so neither is an error of its own."""


class SourceFailed(Exception):
    """A source did not give what it should; the message is one line for a person."""


class WrongChecksum(SourceFailed):
    """Something came, but not what the manifest names."""
