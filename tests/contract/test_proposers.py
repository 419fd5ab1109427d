from fmlbench.agents.proposers.fixed import Reference, ScriptedProposer, Unchanged
from fmlbench.agents.proposers.llm.proposer import LanguageModel
from fmlbench.agents.proposers.mutate.proposer import Mutate
from fmlbench.agents.script import ScriptedEdit, ScriptedStep
from fmlbench.core.agents import Proposer
from fmlbench.models.scripted import ScriptedModel, TinkerModel
from fmlbench.testing.proposers import ProposerContract


class TestMutate(ProposerContract):
    def make_proposer(self) -> Proposer:
        return Mutate()


class TestUnchanged(ProposerContract):
    def make_proposer(self) -> Proposer:
        return Unchanged()


class TestReference(ProposerContract):
    def make_proposer(self) -> Proposer:
        return Reference({"model.py": "x = 1\n"}, "a better model")


class TestScripted(ProposerContract):
    def make_proposer(self) -> Proposer:
        edit = ScriptedEdit(file="model.py", search="steps=100", replace="steps=200")
        return ScriptedProposer(tuple(ScriptedStep(idea=f"edit {index}", edits=(edit,)) for index in range(9)))


class TestLanguageModel(ProposerContract):
    def make_proposer(self) -> Proposer:
        return LanguageModel(TinkerModel("scripted/tinker"))


class TestLanguageModelThatIsNotUnderstood(ProposerContract):
    def make_proposer(self) -> Proposer:
        return LanguageModel(ScriptedModel("scripted/babble", ("Let me think about that.",)))
