"""What Qwen2.5-Coder 1.5B really answered on the toy task and on data-efficiency, kept as it was."""

import json
from pathlib import Path
from random import Random

import pytest

from fmlbench.agents.proposers.llm.answer import read_answer
from fmlbench.agents.proposers.llm.application import apply
from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.edits import EditProblem
from fmlbench.agents.proposers.llm.proposer import LanguageModel
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.core.evaluation import Outcome
from fmlbench.core.steps import Move, Operator
from fmlbench.models.scripted import ScriptedModel
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

UNENDED = """IDEA: remove the `torch.no_grad()` context manager, as it might be causing issues with the optimizer.

fewshot/training.py
<<<<<<< SEARCH
    with torch.no_grad():
        model.process_support_set(support_images, support_labels)
=======
    model.process_support_set(support_images, support_labels)
"""
INVENTED = """IDEA: Change the number of filters in the convolutional blocks from 64 to 128, as the loss is still high \
at the end of training.

fewshot/training.py
<<<<<<< SEARCH
    convolution(64, 64, pool=True),
    convolution(64, 64, pool=True),
    convolution(64, 64, pool=True),
    convolution(64, 64, pool=False),
=======
    convolution(128, 128, pool=True),
    convolution(128, 128, pool=True),
    convolution(128, 128, pool=True),
    convolution(128, 128, pool=False),
>>>>>>> REPLACE"""
DROPOUT = """IDEA: Add a dropout layer to the backbone to reduce overfitting.

fewshot/backbone.py
<<<<<<< SEARCH
        nn.Flatten(),
    )
=======
        nn.Flatten(),
        nn.Dropout(0.2),
    )
>>>>>>> REPLACE"""


UNUSED = """IDEA: Add dropout layers to the backbone of the Prototypical Networks model.

fewshot/training.py
```python
import torch.nn as nn

class DropoutBackbone(nn.Module):
    def __init__(self):
        super(DropoutBackbone, self).__init__()
        self.conv1 = nn.Conv2d(1, 16, kernel_size=3, padding=1, bias=False)
        self.maxpool1 = nn.MaxPool2d(2)
        self.bn1 = nn.BatchNorm2d(16)
        self.relu1 = nn.ReLU(inplace=True)
        self.dropout1 = nn.Dropout(p=0.5)

        self.conv2 = nn.Conv2d(16, 32, kernel_size=3, padding=1, bias=False)
        self.maxpool2 = nn.MaxPool2d(2)
        self.bn2 = nn.BatchNorm2d(32)
        self.relu2 = nn.ReLU(inplace=True)
        self.dropout2 = nn.Dropout(p=0.5)

        self.conv3 = nn.Conv2d(32, 64, kernel_size=3, padding=1, bias=False)
        self.maxpool3 = nn.MaxPool2d(2)
        self.bn3 = nn.BatchNorm2d(64)
        self.relu3 = nn.ReLU(inplace=True)
        self.dropout3 = nn.Dropout(p=0.5)

        self.conv4 = nn.Conv2d(64, 64, kernel_size=3, padding=1, bias=False)
        self.flatten = nn.Flatten()
```"""

WITH_PLACEHOLDER = '''IDEA: Shuffle the query images in each episode before training the model.

fewshot/training.py
```python
<episodes as it shall be, from its first line to its last>
def episodes(images, labels):
    """Sample few-shot episodes from the visible classes."""
    dataset = Drawings(images, labels)
    sampler = TaskSampler(dataset, n_way=WAY, n_shot=SHOT, n_query=QUERIES, n_tasks=EPISODES)
    return DataLoader(dataset, batch_sampler=sampler, collate_fn=sampler.episodic_collate_fn, shuffle=True)
```

The new episodes function shuffles the query images per episode before training the model.'''


def toy_files() -> dict[str, str]:
    root = find_task("toy").path / "codebase"
    return {str(path.relative_to(root)): path.read_text() for path in root.glob("tinylearn/*.py")}


def fewshot_files() -> dict[str, str]:
    return json.loads(Path(__file__).with_name("recorded_code.json").read_text())


def problem_with(answer: str) -> EditProblem:
    files = fewshot_files()
    with pytest.raises(EditProblem) as caught:
        apply(read_answer(answer, files, is_complete=True).edits, files, lambda _: True)
    return caught.value


def test_lines_without_their_indentation_are_found():
    files = toy_files()
    after = apply(read_answer(APPLIED, files).edits, files, lambda _: True)
    assert "\n    weights = 0.5 * rng.standard_normal((features.shape[1], classes))\n" in after["tinylearn/model.py"]


def test_a_fragment_in_a_fence_is_not_taken_for_a_file():
    with pytest.raises(EditProblem, match="The answer contains no edit"):
        read_answer(FENCED, toy_files())


def test_an_idea_alone_becomes_a_change_after_feedback():
    model = ScriptedModel("scripted/qwen", ((AN_IDEA_ALONE, AFTER_FEEDBACK),))
    session = RecordedSession(fewshot_files(), lambda _: 0.5, steps=1)
    proposal = LanguageModel(model).propose(Move(operator=Operator.IMPROVE), session, Random(0))
    assert (proposal.rejection, proposal.usage.calls) == ("", 2)
    assert "\nLEARNING_RATE = 0.001\n" in proposal.files["fewshot/training.py"]


def test_lines_of_another_file_are_found_there_though_the_answer_just_ends():
    assert "not in the file, but in fewshot/inference.py" in str(problem_with(UNENDED))


def test_invented_lines_are_set_beside_the_nearest_of_any_file():
    problem = problem_with(INVENTED)
    assert problem.meant is not None
    assert problem.meant.path == "fewshot/backbone.py"
    assert "        convolution(32, 64, pool=True)," in problem.meant.lines


def test_the_same_change_again_is_not_run_again():
    session = RecordedSession(fewshot_files(), lambda _: 0.5, steps=2)
    SearchAgent(Greedy(), LanguageModel(ScriptedModel("scripted/qwen", (DROPOUT,)))).run(session)
    assert [step.evaluation.outcome for step in session.history.proposed] == [Outcome.OK, Outcome.REJECTED]


def test_a_class_that_nothing_uses_is_not_run():
    model = ScriptedModel("scripted/qwen", ((UNUSED,),))
    session = RecordedSession(fewshot_files(), lambda _: 0.5, steps=1)
    config = PromptConfig(edit_format="definitions", edit_tries=1)
    proposal = LanguageModel(model, config).propose(Move(operator=Operator.IMPROVE), session, Random(0))
    assert "The new code (DropoutBackbone) is never used, so the program behaves as before." in proposal.rejection


def test_the_words_that_stand_where_code_belongs_are_no_code():
    files = fewshot_files()
    after = apply(read_answer(WITH_PLACEHOLDER, files, defines=True).edits, files, lambda _: True)
    assert after["fewshot/training.py"] == files["fewshot/training.py"].replace(
        "collate_fn)", "collate_fn, shuffle=True)"
    )
