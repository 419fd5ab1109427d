"""Read untrusted JSON: requests of programs, and answers of providers, whole or as a stream of events."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeGuard

Body = dict[str, Any]
"""A JSON object."""


def read_json(text: bytes) -> Any:
    """Parse a text; None if it is not JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def objects_in(answer: bytes) -> list[Body]:
    """All objects of an answer, also of a stream of server-sent events; text that is not JSON is ignored."""
    whole = read_json(answer)
    if is_object(whole):
        return [whole]
    return objects_of(whole) if is_list(whole) else list(_events(answer))


def _events(answer: bytes) -> Iterator[Body]:
    for line in answer.splitlines():
        if line.startswith(b"data:"):
            event = read_json(line.removeprefix(b"data:"))
            if is_object(event):
                yield event


def is_object(value: object) -> TypeGuard[Body]:
    """Whether this is a JSON object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether this is a JSON list."""
    return isinstance(value, list)


def objects_of(value: object) -> list[Body]:
    """The objects of a list, if it is one."""
    return [item for item in value if is_object(item)] if is_list(value) else []


def object_at(body: Mapping[str, Any], *names: str) -> Body:
    """The nested object at this path of names; empty if missing."""
    found: Any = body
    for name in names:
        found = found.get(name) if is_object(found) else None
    return found if is_object(found) else {}


def count_at(body: Mapping[str, Any], *names: str) -> int:
    """The nested count at this path of names; 0 if missing."""
    found = object_at(body, *names[:-1]).get(names[-1])
    return found if isinstance(found, int) and found > 0 else 0


def drop(body: Body, *names: str) -> None:
    """Delete keys of an object."""
    for name in names:
        body.pop(name, None)
