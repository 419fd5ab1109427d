"""A change that cannot have an effect is found without an experiment; one that may have any is let through."""

import pytest

from fmlbench.agents.proposers.llm.unused_code import unused

NET = '''"""A network."""

from torch import nn


def build():
    """Two layers."""
    return nn.Linear(2, 2)
'''
FILES = {"net.py": NET, "train.py": "from net import build\n\nmodel = build()\n", "notes.md": "Words.\n"}
CLASS = "\n\nclass Deep(nn.Module):\n    depth = 2\n\n    def forward(self, x):\n        return widen(x)\n"


def changed(**texts: str) -> dict[str, str]:
    return {**FILES, **{f"{name}.py": text for name, text in texts.items()}}


@pytest.mark.parametrize(
    ("net", "names"),
    [
        (NET + CLASS, {"Deep"}),
        (NET + CLASS + "\n\ndef widen(x):\n    return x\n", {"Deep", "widen"}),
        (NET.replace("import nn", "import nn\nimport torch.nn as nn\nimport math\nSIZE = 3"), {"math", "SIZE"}),
        (NET.replace("import nn", "import nn\nimport torch"), {"torch"}),
        (NET.replace("Two layers.", "A layer.  # one").replace("2, 2", "2,  2"), set[str]()),
    ],
    ids=["a class", "a class and what it calls", "imports and a constant", "a word in an import", "words"],
)
def test_new_names_that_nothing_uses_have_no_effect(net: str, names: set[str]):
    assert unused(FILES, changed(net=net), "") == names


def test_an_expression_of_a_thousand_terms_may_have_an_effect():
    assert unused(FILES, changed(net=f"{NET}\nSIZE = {' + '.join(['1'] * 1000)}\n"), "") is None


@pytest.mark.parametrize(
    "after",
    [
        changed(net=NET.replace("2, 2", "2, 3")),
        changed(net=NET + "\n\nbuild = None\n"),
        changed(net=NET + "\n\n__all__ = []\n"),
        changed(net=NET.replace("import nn", "import nn\nfrom fast import layers as nn")),
        changed(net=NET + "\n\n@register\ndef deep():\n    pass\n"),
        changed(net=NET + "\n\nclass Deep(metaclass=Registered):\n    pass\n"),
        changed(net=NET + "\n\nclass Deep:\n    print(1)\n"),
        changed(net=NET + "\n\nSEED = set_seed(1)\n"),
        changed(net=NET + "\n\nprint(1)\n"),
        changed(net=NET + CLASS, train="from net import Deep\n\nmodel = Deep()\n"),
        changed(net="from torch import nn\n"),
        changed(extra="print(1)\n"),
        {**FILES, "notes.md": "Other words.\n"},
        {"net.py": NET, "train.py": FILES["train.py"]},
    ],
)
def test_whatever_may_have_an_effect_is_let_through(after: dict[str, str]):
    assert unused(FILES, after, "") is None


@pytest.mark.parametrize(
    "train",
    [
        "import net\n\nnet.size\n",
        "from net import size\n",
        "from net import *\n",
        "from . import *\n",
        "getattr(net, 'size')\n",
        "def grow():\n    return size\n",
        "def (\nsize\n",
    ],
)
def test_what_another_file_may_look_up_may_have_an_effect(train: str):
    files = {"net.py": NET, "train.py": train}
    assert unused(files, {**files, "net.py": f"{NET}\n\nsize = 1\n"}, "") is None


@pytest.mark.parametrize(
    "train",
    ["load(size=3)\n", "def grow(size):\n    pass\n", "size = 2\n", "from other import *\n", '"""Of this size."""\n'],
)
def test_the_same_word_for_something_else_is_no_use(train: str):
    """A small model wrote `batch_size = 32` below the rest; another file had an argument of that name."""
    files = {"net.py": NET, "train.py": train}
    assert unused(files, {**files, "net.py": f"{NET}\n\nsize = 1\n"}, "") == {"size"}


def test_names_in_the_task_s_instructions_count_as_used():
    assert unused(FILES, changed(net=NET + CLASS), "Training calls `Deep` if there is one.") is None


def test_code_that_was_no_python_before_says_nothing():
    assert unused({"a.py": "def f(:\n"}, {"a.py": "def g():\n    pass\n"}, "") is None
