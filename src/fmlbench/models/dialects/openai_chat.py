"""OpenAI's Chat Completions API, which most programs speak and nearly every server understands."""

import re
from collections.abc import Iterable

from fmlbench.models.chat import Request, Tokens
from fmlbench.models.dialect import Answer, Dialect, messages_of, temperature_of
from fmlbench.models.json_body import Body, count_at, drop, object_at
from fmlbench.models.request_filter import keep_tools, refuse_addresses

ROUTING = ("models", "route", "provider", "preset")
"""By these OpenRouter would ask another model, or another server for the same one, at other prices."""


def _clean(body: Body) -> None:
    keep_tools(body, lambda tool: tool.get("type") in {"function", "custom"})
    drop(body, "web_search_options", "service_tier", "store", "plugins", "n", *ROUTING)
    if body.get("stream"):
        # Without it a stream ends without a word about tokens.
        body["stream_options"] = {**object_at(body, "stream_options"), "include_usage": True}
    refuse_addresses(body.get("messages"))


def _build(request: Request) -> Body:
    system: Body = {"role": "system", "content": request.system}
    return {
        "messages": [system, *messages_of(request.messages)],
        "max_tokens": request.max_output_tokens,
        **temperature_of(request),
    }


def _read(body: Body) -> Answer:
    choice = body["choices"][0]
    text = choice["message"]["content"] or ""
    return Answer(text=text, served_by=body.get("model") or "", is_complete=choice.get("finish_reason") != "length")


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    usages = [usage for each in objects if (usage := object_at(each, "usage"))]
    if not usages:
        return None
    usage = usages[-1]
    return Tokens(
        input=count_at(usage, "prompt_tokens"),
        output=count_at(usage, "completion_tokens"),
        cached=count_at(usage, "prompt_tokens_details", "cached_tokens"),
        reasoning=count_at(usage, "completion_tokens_details", "reasoning_tokens"),
    )


def _most_output(body: Body) -> int:
    return count_at(body, "max_completion_tokens") or count_at(body, "max_tokens")


def refusal(status: int, reason: str) -> Body:
    """An error in OpenAI's words."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    return {"error": {"message": reason, "type": kind, "param": None, "code": "refused"}}


OPENAI_CHAT = Dialect(
    name="OpenAI Chat Completions",
    path="/v1/chat/completions",
    build=_build,
    read=_read,
    tokens=_tokens,
    calls=re.compile(r"/v1/chat/completions"),
    clean=_clean,
    most_output=_most_output,
    refusal=refusal,
)
