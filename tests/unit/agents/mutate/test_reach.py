"""What a mutator takes to matter: the files that the suggested ones import, through whatever packages."""

from fmlbench.agents.proposers.mutate.mutations import reached

REPOSITORY = {
    "research/training.py": "from library.methods import Prototypes\nfrom . import network\nimport library.losses\n",
    "research/network.py": "",
    "library/__init__.py": "",
    "library/losses.py": "from .shared.maths import cosine\n",
    "library/shared/maths.py": "def cosine(): ...\n",
    "library/methods/__init__.py": "from .prototypes import Prototypes\nfrom .trees import Trees\n",
    "library/methods/prototypes.py": "from library.methods.base import Method\n\nclass Prototypes(Method): ...\n",
    "library/methods/base.py": "class Method: ...\n",
    "library/methods/trees.py": "class Trees: ...\n",
}


def test_imports_lead_on_and_packages_pass_on_what_they_import():
    assert reached(REPOSITORY, ["research/training.py"]) == {
        "research/training.py",
        "research/network.py",
        "library/losses.py",
        "library/shared/maths.py",
        "library/methods/prototypes.py",
        "library/methods/base.py",
    }


def test_modules_that_import_each_other_are_reached_once():
    files = {"a.py": "import b\n", "b.py": "import a\n", "c.py": "import a\n"}
    assert reached(files, ["a.py"]) == {"a.py", "b.py"}


def test_an_import_inside_a_function_counts_and_one_from_outside_leads_nowhere():
    files = {"a.py": "import numpy\n\ndef f():\n    from b import g\n", "b.py": ""}
    assert reached(files, ["a.py"]) == {"a.py", "b.py"}


def test_a_file_that_does_not_parse_leads_nowhere():
    assert reached({"a.py": "import b\ndef", "b.py": ""}, ["a.py"]) == {"a.py"}
