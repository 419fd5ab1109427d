"""Settings of every agent whose proposer is a language model."""

from dataclasses import dataclass

from fmlbench.agents.settings import parameter

EDIT_FORMATS = ("blocks", "definitions")


@dataclass(frozen=True)
class PromptConfig:
    """Token counts are estimates: three bytes a token."""

    context_tokens: int = parameter(24_000, "maximum length of a prompt, in tokens", low=1000)
    output_tokens: int = parameter(8_000, "maximum length of an answer including reasoning, in tokens", low=100)
    edit_format: str = parameter(
        "blocks", "format of changes: blocks (search and replace) or definitions (better for small models)"
    )
    edit_tries: int = parameter(3, "attempts per step to produce a change that can be applied", low=1)
    shown_changes: int = parameter(
        1000,
        "number of earlier steps shown with their change; with 0, for small models that copy what they see, neither"
        " changes nor earlier ideas are shown",
        low=0,
    )
    choose_target: int = parameter(
        0,
        "1: choose the function, class or constant to change at random; small models always choose the same one",
        low=0,
        high=1,
    )
    temperature: str = parameter("", "sampling temperature like 0.7; empty for the provider's default")
    temperature_step: float = parameter(
        0.0,
        "increase of the temperature with each attempt of a step; every second attempt then starts a new conversation",
        low=0,
    )

    def __post_init__(self) -> None:
        if self.edit_format not in EDIT_FORMATS:
            raise ValueError(f"edit_format must be {' or '.join(EDIT_FORMATS)}, got '{self.edit_format}'")
        try:
            float(self.temperature or 0)
        except ValueError as error:
            raise ValueError(f"temperature must be a number, got '{self.temperature}'") from error

    def temperature_at(self, attempt: int) -> float | None:
        """The temperature of the nth attempt of a step; None for the provider's default."""
        return float(self.temperature) + self.temperature_step * attempt if self.temperature else None
