"""What Qwen2.5-Coder 1.5B really answered on the toy task, kept as it was."""

import pytest

from fmlbench.agents.proposers.llm.applying import apply
from fmlbench.agents.proposers.llm.edits import EditProblem
from fmlbench.agents.proposers.llm.parsing import read_answer
from fmlbench.tasks.library import find_task

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
