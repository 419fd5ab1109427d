"""Other packages add objects through entry points; a broken package is named."""

from pathlib import Path

import pytest

from fmlbench.core.errors import PluginBroken
from fmlbench.core.plugins import plugins
from tests.plugins import install_plugin

GROUP = "fmlbench.words"


def test_an_installed_package_adds_its_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install_plugin(monkeypatch, tmp_path, "words_of_theirs", GROUP, "PLUGIN = 'hello'")
    assert plugins(GROUP, str) == ["hello"]
    assert plugins("fmlbench.others", str) == []


def test_a_package_that_cannot_be_loaded_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install_plugin(monkeypatch, tmp_path, "broken_of_theirs", GROUP, "import moonshine")
    with pytest.raises(PluginBroken) as caught:
        plugins(GROUP, str)
    assert caught.value.message == (
        "The plugin 'theirs' in 'fmlbench.words' cannot be loaded: No module named 'moonshine'."
    )
    assert caught.value.hint == "Fix or remove the package that provides 'broken_of_theirs:PLUGIN'."


def test_an_object_of_another_type_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    install_plugin(monkeypatch, tmp_path, "number_of_theirs", GROUP, "PLUGIN = 7")
    with pytest.raises(PluginBroken) as caught:
        plugins(GROUP, str)
    assert caught.value.message == "The plugin 'theirs' in 'fmlbench.words' is not of the type str."
