"""Prices of calls from a versioned price list; a model that is not listed has no price."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version

from fmlbench.models.chat import Tokens
from fmlbench.models.names import ModelName

LIST = "genai-prices"
FREE = "free of charge"
"""Stands for the price list of free models."""


@dataclass(frozen=True)
class Price:
    """An amount and the price list that it is from."""

    dollars: float | None
    priced_by: str = ""


Pricing = Callable[[Tokens], Price]


def free(tokens: Tokens) -> Price:
    """The price of models on this machine."""
    del tokens
    return Price(0.0, FREE)


def unknown(tokens: Tokens) -> Price:
    """The price of models that no list contains."""
    del tokens
    return Price(None)


def listed(name: ModelName) -> Pricing:
    """The price of a provider's model from the list, if the list is installed."""

    def price(tokens: Tokens) -> Price:
        try:
            from genai_prices import Usage, calc_price  # noqa: PLC0415 - an optional package
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
            # Not listed, or inconsistent counts: some servers report more cached tokens than input tokens.
            return Price(None)
        return Price(float(found.total_price), f"{LIST} {version(LIST)}")

    return price
