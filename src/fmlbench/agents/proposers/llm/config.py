"""How a model is asked: the settings of every agent that is given one."""

from dataclasses import dataclass

from fmlbench.agents.settings import parameter

FORMS = ("blocks", "definitions")


@dataclass(frozen=True)
class PromptConfig:
    """Lengths in tokens are estimated, three bytes each."""

    context_tokens: int = parameter(24_000, "how long a prompt may be, in tokens", low=1000)
    output_tokens: int = parameter(8_000, "how long an answer may be, thoughts included, in tokens", low=100)
    form: str = parameter("blocks", "how changes are answered: as blocks of lines, or as definitions, for small models")
    edit_tries: int = parameter(3, "how often a step's answer may be given until its changes can be made", low=1)
    changes: int = parameter(
        1000,
        "of how many earlier steps the change is told, too, if there is room; small models only copy it, so 0 leaves"
        " out all changes, and earlier ideas when another is thought up",
        low=0,
    )
    focus: int = parameter(
        0,
        "1 lets dice name the function, class or constant to change: small models always choose the same",
        low=0,
        high=1,
    )
    temperature: str = parameter("", "how freely words are chosen, like 0.7; nothing leaves it to the provider")
    temperature_step: float = parameter(
        0.0,
        "by how much each try of a step raises a temperature that is set; every other try then is asked afresh",
        low=0,
    )

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"'{self.form}' is no form of answers; there are {' and '.join(FORMS)}")
        try:
            float(self.temperature or 0)
        except ValueError as error:
            raise ValueError(f"'{self.temperature}' is no temperature") from error

    def degrees(self, turn: int) -> float | None:
        """The temperature of a step's nth try as a number; None leaves it to the provider."""
        return float(self.temperature) + self.temperature_step * turn if self.temperature else None
