"""Put a language model in the place of the proposer that an agent has by itself."""

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.settings import made_with
from fmlbench.core.agents import Proposer
from fmlbench.core.errors import RunDamaged
from fmlbench.core.run import AgentSpec
from fmlbench.models.chat import ChatModel

PROPOSER = "llm"


def with_model(spec: AgentSpec, model: str) -> AgentSpec:
    """The same agent with a model as its proposer, for the record."""
    from fmlbench.agents.prompts import digest  # noqa: PLC0415 - listing agents needs no templates

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
    return LanguageModel(model, made_with(PromptConfig, spec.settings))
