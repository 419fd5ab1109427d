"""Failures of a single source; the next source is then tried, so these are not user errors."""


class SourceFailed(Exception):
    """A source cannot be used; the message is one line of text."""


class WrongChecksum(SourceFailed):
    """The fetched files do not match the manifest's checksum."""
