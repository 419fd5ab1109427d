"""Replace the proposer of an agent by a language model."""

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.settings import made_with
from fmlbench.core.agents import Proposer
from fmlbench.core.errors import RunDamaged
from fmlbench.core.run import AgentSpec
from fmlbench.models.chat import ChatModel

PROPOSER = "llm"


def with_model(spec: AgentSpec, model: str) -> AgentSpec:
    """The specification with a model as its proposer."""
    from fmlbench.agents.prompts import digest  # noqa: PLC0415 - listing agents needs no templates

    return spec.model_copy(update={"proposer": PROPOSER, "model": model, "prompts": digest()})


def language_model(spec: AgentSpec, model: ChatModel) -> Proposer:
    """The proposer of a specification."""
    from fmlbench.agents.prompts import digest  # noqa: PLC0415
    from fmlbench.agents.proposers.llm.proposer import LanguageModel  # noqa: PLC0415

    if spec.prompts != digest():
        raise RunDamaged(
            "The prompts have changed since this run was started.",
            hint="Resume it with the version of fmlbench that started it, or start a new run.",
        )
    return LanguageModel(model, made_with(PromptConfig, spec.settings))
