"""OpenAI's Responses API, which Codex speaks."""

import re
from collections.abc import Iterable

from fmlbench.models.chat import Request, Tokens
from fmlbench.models.dialect import Answer, Dialect, messages_of, temperature_of
from fmlbench.models.dialects.openai_chat import ROUTING, refusal
from fmlbench.models.json_body import Body, count_at, drop, object_at, objects_of
from fmlbench.models.request_filter import keep_tools, refuse_addresses

_OF_THE_PROGRAM = {"function", "custom", "local_shell", "apply_patch"}
"""Types of tools that a program carries out itself; of all others the provider would."""
_GROUP = "namespace"


def _clean(body: Body) -> None:
    for group in objects_of(body.get("tools")):
        if group.get("type") == _GROUP:
            keep_tools(group, _is_fine)
    keep_tools(body, lambda tool: _is_fine(tool) or (tool.get("type") == _GROUP and "tools" in tool))
    # Answers that are kept or made in the background would be counted elsewhere, or nowhere.
    drop(body, "background", "conversation", "prompt", "service_tier", "previous_response_id", "plugins", *ROUTING)
    body["store"] = False
    refuse_addresses(body.get("input"))


def _is_fine(tool: Body) -> bool:
    return tool.get("type") in _OF_THE_PROGRAM


def _build(request: Request) -> Body:
    return {
        "instructions": request.system,
        "input": messages_of(request.messages),
        "max_output_tokens": request.max_output_tokens,
        "store": False,
        **temperature_of(request),
    }


def _read(body: Body) -> Answer:
    if body["status"] not in {"completed", "incomplete"}:
        raise ValueError(f"its status is {body['status']}: {body.get('error')}")
    messages = [item for item in body["output"] if item["type"] == "message"]
    parts = [part for item in messages for part in item["content"] if part["type"] == "output_text"]
    text = "".join(part["text"] for part in parts)
    return Answer(text=text, served_by=body.get("model") or "", is_complete=body["status"] == "completed")


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    usages = [usage for each in objects if (usage := object_at(each, "usage") or object_at(each, "response", "usage"))]
    if not usages:
        return None
    usage = usages[-1]
    return Tokens(
        input=count_at(usage, "input_tokens"),
        output=count_at(usage, "output_tokens"),
        cached=count_at(usage, "input_tokens_details", "cached_tokens"),
        reasoning=count_at(usage, "output_tokens_details", "reasoning_tokens"),
    )


OPENAI_RESPONSES = Dialect(
    name="OpenAI Responses",
    path="/v1/responses",
    build=_build,
    read=_read,
    tokens=_tokens,
    calls=re.compile(r"/v1/responses"),
    clean=_clean,
    most_output=lambda body: count_at(body, "max_output_tokens"),
    refusal=refusal,
)
