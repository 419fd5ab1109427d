"""The proxy on its socket, between a program's HTTP and a provider's."""

import pytest

from fmlbench.core.errors import BadRequest, ModelUnavailable
from fmlbench.models.meter import Caps
from fmlbench.models.names import read_name
from fmlbench.models.proxy.access import model_access, program_provider
from fmlbench.models.upstream import ConnectionLost, Outgoing, Upstream

MODEL = "anthropic/claude-sonnet-4-5"


@pytest.mark.parametrize("key", ["sk-secret\r", " sk-secret\n"])
def test_a_key_from_a_file_with_line_ends_is_a_key(key: str):
    upstream = program_provider(read_name(MODEL)).upstream(read_name(MODEL), {"ANTHROPIC_API_KEY": key})
    assert upstream.key == ("x-api-key", "sk-secret")


def test_an_invalid_key_is_never_shown():
    upstream = Upstream("http://127.0.0.1:1", ("x-api-key", "sk-sec\nret"))
    with pytest.raises(ConnectionLost) as caught:
        upstream.send(Outgoing("/v1/messages", {}, b""))
    assert "sk-sec" not in str(caught.value)
    assert not caught.value.was_sent


def test_a_missing_key_is_said_before_anything_is_sent():
    with pytest.raises(ModelUnavailable) as caught:
        model_access(MODEL, Caps()).require({})
    assert (caught.value.message, caught.value.hint) == (
        "There is no key for anthropic.",
        "export ANTHROPIC_API_KEY=...",
    )


def test_a_cap_in_dollars_needs_a_price():
    access = model_access("vllm/qwen", Caps(dollars=1.0))
    with pytest.raises(BadRequest, match="price"):
        access.require({})


def test_providers_without_a_route_are_refused():
    with pytest.raises(BadRequest, match="scripted"):
        model_access("scripted/tinker", Caps())
