"""The cost of proposals and programs: model calls, tokens, dollars and time."""

from fmlbench.core.record import Record


class Usage(Record):
    """The cost of making a proposal."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    """Input tokens that the provider read from its prompt cache."""
    reasoning_tokens: int = 0
    """Output tokens spent on hidden reasoning."""
    dollars: float | None = 0.0
    """None if the price is unknown; never an estimate."""
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """CPU time of an agent that is a program; known when the program has ended."""
