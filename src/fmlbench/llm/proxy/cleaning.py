"""Take out of requests what a provider would do by itself: an agent has no network, not even a borrowed one."""

from collections.abc import Callable
from typing import Any

from fmlbench.llm.proxy.bodies import Body, drop, is_list, is_object, object_at, objects_of
from fmlbench.llm.proxy.dialect import Refused

_ADDRESSES = ("file_url", "fileUri", "file_uri")
_WORDS = {"input", "args", "arguments", "response"}


def keep_tools(body: Body, is_fine: Callable[[Body], bool]) -> None:
    """Keep the tools that the program itself carries out."""
    tools = [tool for tool in objects_of(body.get("tools")) if is_fine(tool)]
    if tools:
        body["tools"] = tools
    else:
        drop(body, "tools", "tool_choice")


def refuse_addresses(said: object) -> None:
    """Refuse pictures and files that are given by their address: a provider would fetch them."""
    for item in _values_of(said):
        if is_object(item) and any(_is_remote(address) for address in _addresses_in(item)):
            raise Refused("Pictures and files cannot be given by their address: there is no network.")
        refuse_addresses(item)


def _addresses_in(item: Body) -> list[object]:
    source = item if item.get("type") == "url" else object_at(item, "image_url")
    return [item.get("image_url"), source.get("url"), *(item.get(name) for name in _ADDRESSES)]


def _is_remote(address: object) -> bool:
    return isinstance(address, str) and not address.startswith("data:")


def _values_of(said: object) -> list[Any]:
    """What a part of a request is made of, but for the words that a model and its tools exchange."""
    if is_list(said):
        return said
    return [value for name, value in said.items() if name not in _WORDS] if is_object(said) else []
