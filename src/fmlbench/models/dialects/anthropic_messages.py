"""Anthropic's Messages API, which Claude Code speaks."""

import re
from collections.abc import Iterable

from fmlbench.models.chat import Request, Tokens
from fmlbench.models.dialect import Answer, Dialect, messages_of, temperature_of
from fmlbench.models.json_body import Body, count_at, drop, object_at
from fmlbench.models.request_filter import drop_within, keep_tools, refuse_addresses

_OF_THE_PROGRAM = re.compile(r"custom|(bash|text_editor|memory)_\d+")
"""Types of tools that a program carries out itself; of all others the provider would."""
_ERRORS = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


def _clean(body: Body) -> None:
    keep_tools(body, lambda tool: _OF_THE_PROGRAM.fullmatch(str(tool.get("type", "custom"))) is not None)
    drop(body, "mcp_servers", "container", "service_tier", "speed", "inference_geo")
    # What is kept for an hour costs more than the lists of prices know.
    for part in ("messages", "system", "tools"):
        drop_within(body.get(part), "cache_control", "ttl")
    drop(object_at(body, "cache_control"), "ttl")
    refuse_addresses(body.get("messages"))
    refuse_addresses(body.get("system"))


def _build(request: Request) -> Body:
    return {
        "system": request.system,
        "messages": messages_of(request.messages),
        "max_tokens": request.max_output_tokens,
        **temperature_of(request),
    }


def _read(body: Body) -> Answer:
    text = "".join(block["text"] for block in body["content"] if block["type"] == "text")
    return Answer(text=text, served_by=body.get("model") or "", is_complete=body.get("stop_reason") != "max_tokens")


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    """Counts come at the start of a stream and again at its end; the last word on each holds."""
    counts: dict[str, object] = {}
    for each in objects:
        for usage in (object_at(each, "usage"), object_at(each, "message", "usage")):
            counts |= {name: count for name, count in usage.items() if count is not None}
    if not counts:
        return None
    cached, written = count_at(counts, "cache_read_input_tokens"), count_at(counts, "cache_creation_input_tokens")
    return Tokens(
        input=count_at(counts, "input_tokens") + cached + written,
        output=count_at(counts, "output_tokens"),
        cached=cached,
        cache_written=written,
        reasoning=count_at(counts, "output_tokens_details", "thinking_tokens"),
    )


def _refusal(status: int, reason: str) -> Body:
    kind = _ERRORS.get(status, "api_error" if status >= 500 else "invalid_request_error")
    return {"type": "error", "error": {"type": kind, "message": reason}}


ANTHROPIC_MESSAGES = Dialect(
    name="Anthropic Messages",
    path="/v1/messages",
    build=_build,
    read=_read,
    tokens=_tokens,
    calls=re.compile(r"/v1/messages"),
    free=re.compile(r"/v1/messages/count_tokens"),
    clean=_clean,
    most_output=lambda body: count_at(body, "max_tokens"),
    refusal=_refusal,
    key_header=lambda key: ("x-api-key", key),
    headers={"anthropic-version": "2023-06-01"},
)
