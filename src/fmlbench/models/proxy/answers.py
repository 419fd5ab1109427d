"""Read the JSON objects of an answer, whether it came whole or as a stream of server-sent events."""

from collections.abc import Iterator

from fmlbench.models.proxy.bodies import Body, is_list, is_object, objects_of, read_json


def objects_in(answer: bytes) -> list[Body]:
    """All objects of an answer; what is not JSON, or was cut off, is left out."""
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
