"""What a call costs, by a dated list of prices; what the list does not know has no price, rather than a guessed one."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from fmlbench.models.chat import Tokens
from fmlbench.models.names import ModelName

LIST = "genai-prices"
NOBODY = "nobody charges for it"
"""Says so where there is no list to name."""


@dataclass(frozen=True)
class Price:
    """An amount, and the list that says so."""

    dollars: float | None
    priced_by: str = ""


Pricing = Callable[[Tokens], Price]


def free(tokens: Tokens) -> Price:
    """The price of what runs on the user's own machine."""
    del tokens
    return Price(0.0, NOBODY)


def unknown(tokens: Tokens) -> Price:
    """The price of what no list knows."""
    del tokens
    return Price(None)


def listed(name: ModelName) -> Pricing:
    """The price of a provider's model by the list, if the list is installed."""

    def price(tokens: Tokens) -> Price:
        try:
            from genai_prices import Usage, calc_price  # noqa: PLC0415 - only who pays needs the list
        except ImportError:
            return Price(None)
        usage = Usage(
            input_tokens=tokens.input,
            output_tokens=tokens.output,
            cache_read_tokens=tokens.cached,
            cache_write_tokens=tokens.cache_written,
        )
        try:
            found = calc_price(usage, name.model, provider_id=name.provider)
        except (LookupError, ValueError):
            # Not on the list, or counts that cannot be: some servers report more cached tokens than they read.
            return Price(None)
        return Price(float(found.total_price), f"{LIST} {version(LIST)}")

    return price
