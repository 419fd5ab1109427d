"""Take out of requests what a provider would do by itself: an agent has no network, not even a borrowed one."""

import re
from collections.abc import Callable
from typing import Any

from fmlbench.models.dialect import Refused
from fmlbench.models.json_body import Body, drop, is_list, is_object, object_at, objects_of

_OF_AN_ADDRESS = re.compile(r".*ur[il]", re.IGNORECASE)
_OF_CONTENT = re.compile(r"(file_?)?data", re.IGNORECASE)
_ADDRESS = re.compile(r"\s*(?!data:)[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_OF_MEDIA = re.compile(r"source|file|file_id|(input_)?audio|\w+_url|(inline|file)_?data", re.IGNORECASE)
_WORDS = {"input", "args", "arguments", "response"}


def keep_tools(body: Body, is_fine: Callable[[Body], bool]) -> None:
    """Keep the tools that the program itself carries out."""
    tools = [tool for tool in objects_of(body.get("tools")) if is_fine(tool)]
    if tools:
        body["tools"] = tools
    else:
        drop(body, "tools", "tool_choice")


def drop_within(said: object, name: str, part: str) -> None:
    """Leave a part out of every object of some name."""
    for item in _values_of(said):
        if is_object(item):
            drop(object_at(item, name), part)
        drop_within(item, name, part)


def refuse_addresses(said: object) -> None:
    """Refuse pictures and files that are given by their address: a provider would fetch them."""
    for item in _values_of(said):
        if is_object(item) and any(map(_is_remote, item.items())):
            raise Refused("Images and files cannot be given by URL, because there is no network.")
        refuse_addresses(item)


def _is_remote(named: tuple[str, Any]) -> bool:
    name, value = named
    if not isinstance(value, str):
        return False
    if _OF_AN_ADDRESS.fullmatch(name):
        return not value.startswith("data:")
    return bool(_OF_CONTENT.fullmatch(name) and _ADDRESS.match(value))


def holds_media(said: object) -> bool:
    """Whether there is more than words in what is said."""
    return any(
        (is_object(item) and any(value and _OF_MEDIA.fullmatch(name) for name, value in item.items()))
        or holds_media(item)
        for item in _values_of(said)
    )


def _values_of(said: object) -> list[Any]:
    """What a part of a request is made of, but for the words that a model and its tools exchange."""
    if is_list(said):
        return said
    return [value for name, value in said.items() if name not in _WORDS] if is_object(said) else []
