"""What Qwen2.5-Coder 1.5B really answered on the toy task and on data-efficiency, kept as it was."""

from random import Random

import pytest

from fmlbench.agents.proposers.llm.applying import apply
from fmlbench.agents.proposers.llm.edits import EditProblem
from fmlbench.agents.proposers.llm.parsing import read_answer
from fmlbench.agents.proposers.llm.proposer import LanguageModel
from fmlbench.core.steps import Move, Operator
from fmlbench.llm.scripted import Scripted
from fmlbench.tasks.library import find_task
from fmlbench.testing.sessions import RecordedSession

APPLIED = """IDEA: Increase the learning rate to 0.5. This should speed up the training process and potentially \
lead to higher accuracy.

tinylearn/model.py
<<<<<<< SEARCH
weights = 0.01 * rng.standard_normal((features.shape[1], classes))
=======
weights = 0.5 * rng.standard_normal((features.shape[1], classes))
>>>>>>> REPLACE"""

FENCED = '''IDEA: Change the learning rate to 0.1.

The changes are as follows:

```python
# tinylearn/training.py
def predict(model, inputs):
    """The most probable class of every input."""
    features = expand(inputs, (model["mean"], model["deviation"]))
    return (features @ model["weights"]).argmax(axis=1)
```'''

AN_IDEA_ALONE = (
    "IDEA: Try changing the `LEARNING_RATE` parameter in `train` function to 0.001 and see if it improves the accuracy."
)
AFTER_FEEDBACK = f"""{AN_IDEA_ALONE}

fewshot/training.py
<<<<<<< SEARCH
LEARNING_RATE = 0.01
=======
LEARNING_RATE = 0.001
>>>>>>> REPLACE"""


def toy_files() -> dict[str, str]:
    root = find_task("toy").path / "codebase"
    return {str(path.relative_to(root)): path.read_text() for path in root.glob("tinylearn/*.py")}


def test_lines_without_their_indentation_are_found():
    files = toy_files()
    after = apply(read_answer(APPLIED, files).edits, files, lambda _: True)
    assert "\n    weights = 0.5 * rng.standard_normal((features.shape[1], classes))\n" in after["tinylearn/model.py"]


def test_a_fragment_in_a_fence_is_not_taken_for_a_file():
    with pytest.raises(EditProblem, match="no edit in the answer"):
        read_answer(FENCED, toy_files())


def test_an_idea_alone_becomes_a_change_after_feedback():
    files = {"fewshot/training.py": (find_task("data-efficiency").path / "overlay/fewshot/training.py").read_text()}
    model = Scripted("scripted/qwen", ((AN_IDEA_ALONE, AFTER_FEEDBACK),))
    session = RecordedSession(files, lambda _: 0.5, steps=1)
    proposal = LanguageModel(model).propose(Move(operator=Operator.IMPROVE), session, Random(0))
    assert (proposal.rejection, proposal.usage.calls) == ("", 2)
    assert "\nLEARNING_RATE = 0.001\n" in proposal.files["fewshot/training.py"]
