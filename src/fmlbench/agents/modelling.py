"""Put a language model in the place of the proposer that an agent has by itself."""

from fmlbench.agents.settings import Setting
from fmlbench.core.agents import Proposer
from fmlbench.core.errors import BadRequest, RunDamaged
from fmlbench.core.run import AgentSpec
from fmlbench.llm.chat import ChatModel

PROPOSER = "llm"

MODEL_SETTINGS: dict[str, Setting] = {
    "context_tokens": Setting(24_000, "how long a prompt may be, in tokens (estimated, three bytes each)"),
    "output_tokens": Setting(8_000, "how long an answer may be, thoughts included, in tokens"),
    "tries": Setting(3, "how often the model may answer in a step, until its changes can be made"),
    "temperature": Setting("", "how freely it chooses its words; nothing leaves that to the provider"),
}
"""Settings of every agent that is given a model."""


def with_model(spec: AgentSpec, model: str) -> AgentSpec:
    """The same agent with a model as its proposer, for the record."""
    from fmlbench.agents.prompts import digest  # noqa: PLC0415 - listing agents needs no templates

    _temperature(spec)
    return spec.model_copy(update={"proposer": PROPOSER, "model": model, "prompts": digest()})


def language_model(spec: AgentSpec, model: ChatModel) -> Proposer:
    """The proposer that a specification asks for."""
    from fmlbench.agents.prompts import digest  # noqa: PLC0415
    from fmlbench.agents.proposers.llm.proposer import LanguageModel  # noqa: PLC0415

    if spec.prompts != digest():
        raise RunDamaged(
            "The prompts of this version of fmlbench are not those that the run was started with.",
            hint="Go on with the version that started it, or start a new run.",
        )
    return LanguageModel(
        model,
        context_tokens=int(spec.settings["context_tokens"]),
        output_tokens=int(spec.settings["output_tokens"]),
        tries=int(spec.settings["tries"]),
        temperature=_temperature(spec),
    )


def _temperature(spec: AgentSpec) -> float | None:
    word = str(spec.settings["temperature"])
    try:
        return float(word) if word else None
    except ValueError as error:
        raise BadRequest(f"A temperature cannot be '{word}'.", hint="It is a number like 0.7, or nothing.") from error
