"""The ways in which a model's server fails."""

from enum import StrEnum


class Fault(StrEnum):
    """What happens instead of an answer."""

    RATE_LIMITED = "429"
    SERVER_ERROR = "500"
    OVERLOADED = "529"
    UNAUTHORIZED = "401"
    BAD_REQUEST = "400"
    HANG = "hang"
    """Nothing at all is sent, for as long as the server lives."""
    DRIP = "drip"
    """Sends single spaces, which keep the connection alive but are not an answer."""
    DROP = "drop"
    """The connection ends in the middle of the answer."""
    GARBAGE = "garbage"
    """The response is not JSON."""
    WRONG_SHAPE = "wrong shape"
    """What is sent is JSON, but not that of an answer."""

    @property
    def status(self) -> int | None:
        """The HTTP status, for faults that are one."""
        return int(self) if self.isdigit() else None
