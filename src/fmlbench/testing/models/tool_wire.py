"""What a model that uses tools sends over the wire, in four dialects, whole or as a stream.

How far a conversation has come is read off the request, by counting the results of tools in it. So a server needs no
memory, and retries and requests on the side do no harm.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from fmlbench.models.chat import Tokens

Json = dict[str, Any]

INPUT, CACHED, OUTPUT, REASONING = 1000, 600, 50, 7
"""The tokens of every answer: cached ones are part of the input, thoughts part of the output."""


_TOKENS = Tokens(input=INPUT, cached=CACHED, output=OUTPUT, reasoning=REASONING)


@dataclass(frozen=True)
class Told:
    """What a whole answer reports about itself."""

    model: str = "scripted"
    tokens: Tokens = _TOKENS
    is_cut: bool = False
    """Whether it ends at the limit of output tokens."""
    has_thoughts: bool = False
    """Whether thoughts are part of it, which are not part of its text."""


SCRIPTED = Told()


@dataclass(frozen=True)
class Use:
    """A tool to be used."""

    tool: str
    input: Json


Turn = Use | str
"""A tool to be used, or last words."""


class WholeAnswer(Protocol):
    """Writes the body of an answer."""

    def __call__(self, turn: Turn, number: int, told: Told = SCRIPTED) -> Json:
        """The body of the answer of a turn."""
        ...


@dataclass(frozen=True)
class ToolDialect:
    """One provider's format of tool calls and tool results."""

    results: Callable[[Json], int]
    """How many results of tools a request holds."""
    tools: Callable[[Json], list[str]]
    """The tools a request offers, by name or type."""
    whole: WholeAnswer
    stream: Callable[[Turn, int], Iterable[Json]]
    has_event_names: bool = True

    def turn(self, body: Json, script: Sequence[Turn]) -> tuple[Turn, int]:
        """What is due in a conversation, and its number; requests without tools are on the side."""
        if not self.tools(body):
            return "ok", 0
        number = self.results(body)
        return (script[number] if number < len(script) else "There is nothing left to do."), number

    def events(self, turn: Turn, number: int) -> Iterable[bytes]:
        """A stream of server-sent events."""
        for event in self.stream(turn, number):
            name = f"event: {event['type']}\n" if self.has_event_names else ""
            yield f"{name}data: {json.dumps(event)}\n\n".encode()


def _count(items: Iterable[Json], key: str, values: set[str]) -> int:
    return sum(item.get(key) in values for item in items)


def _anthropic_results(body: Json) -> int:
    contents = (message["content"] for message in body["messages"] if isinstance(message["content"], list))
    return sum(_count(content, "type", {"tool_result"}) for content in contents)


def _anthropic_block(turn: Turn, number: int) -> Json:
    if isinstance(turn, str):
        return {"type": "text", "text": turn}
    return {"type": "tool_use", "id": f"toolu_{number}", "name": turn.tool, "input": turn.input}


def _anthropic_whole(turn: Turn, number: int, told: Told = SCRIPTED) -> Json:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": told.model,
        "content": [_anthropic_block(turn, number)],
        "stop_reason": "max_tokens" if told.is_cut else "end_turn" if isinstance(turn, str) else "tool_use",
        "stop_sequence": None,
        "usage": {
            "input_tokens": told.tokens.input - told.tokens.cached,
            "cache_read_input_tokens": told.tokens.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": told.tokens.output,
        },
    }


def _anthropic_stream(turn: Turn, number: int) -> Iterable[Json]:
    whole = _anthropic_whole(turn, number)
    start: Json = {**whole, "content": [], "stop_reason": None, "usage": {**whole["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": start}
    if isinstance(turn, str):
        empty: Json = {"type": "text", "text": ""}
        delta = {"type": "text_delta", "text": turn}
    else:
        empty = {**_anthropic_block(turn, number), "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(turn.input)}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": whole["stop_reason"], "stop_sequence": None},
        "usage": {"output_tokens": OUTPUT},
    }
    yield {"type": "message_stop"}


def _responses_item(turn: Turn, number: int) -> Json:
    if isinstance(turn, str):
        content = [{"type": "output_text", "text": turn, "annotations": list[Json]()}]
        return {"type": "message", "id": f"m{number}", "role": "assistant", "status": "completed", "content": content}
    words = json.dumps(turn.input)
    return {
        "type": "function_call",
        "id": f"fc_{number}",
        "call_id": f"call_{number}",
        "name": turn.tool,
        "arguments": words,
    }


def _responses_whole(turn: Turn, number: int, told: Told = SCRIPTED) -> Json:
    thoughts: list[Json] = [{"type": "reasoning", "id": "rs_1", "summary": []}] if told.has_thoughts else []
    return {
        "id": f"resp_{number}",
        "object": "response",
        "created_at": 0,
        "model": told.model,
        "status": "incomplete" if told.is_cut else "completed",
        "output": [*thoughts, _responses_item(turn, number)],
        "usage": {
            "input_tokens": told.tokens.input,
            "input_tokens_details": {"cached_tokens": told.tokens.cached},
            "output_tokens": told.tokens.output,
            "output_tokens_details": {"reasoning_tokens": told.tokens.reasoning},
            "total_tokens": told.tokens.input + told.tokens.output,
        },
    }


def _responses_stream(turn: Turn, number: int) -> Iterable[Json]:
    whole = _responses_whole(turn, number)
    yield {"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}
    item = _responses_item(turn, number)
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}


def _chat_message(turn: Turn, number: int) -> Json:
    if isinstance(turn, str):
        return {"role": "assistant", "content": turn}
    function = {"name": turn.tool, "arguments": json.dumps(turn.input)}
    call = {"index": 0, "id": f"call_{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _chat_whole(turn: Turn, number: int, told: Told = SCRIPTED) -> Json:
    reason = "length" if told.is_cut else "stop" if isinstance(turn, str) else "tool_calls"
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": told.model,
        "choices": [{"index": 0, "finish_reason": reason, "message": _chat_message(turn, number)}],
        "usage": {
            "prompt_tokens": told.tokens.input,
            "completion_tokens": told.tokens.output,
            "total_tokens": told.tokens.input + told.tokens.output,
            "prompt_tokens_details": {"cached_tokens": told.tokens.cached},
            "completion_tokens_details": {"reasoning_tokens": told.tokens.reasoning},
        },
    }


def _chat_stream(turn: Turn, number: int) -> Iterable[Json]:
    whole = _chat_whole(turn, number)
    (choice,) = whole["choices"]
    part = {"index": 0, "delta": choice["message"], "finish_reason": None}
    end: Json = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    yield {**head, "choices": [part]}
    yield {**head, "choices": [end]}
    yield {**head, "choices": [], "usage": whole["usage"]}


def _gemini_results(body: Json) -> int:
    return sum("functionResponse" in part for content in body["contents"] for part in content["parts"])


def _gemini_whole(turn: Turn, number: int, told: Told = SCRIPTED) -> Json:
    del number
    thoughts: list[Json] = [{"text": "a thought", "thought": True}] if told.has_thoughts else []
    part = {"text": turn} if isinstance(turn, str) else {"functionCall": {"name": turn.tool, "args": turn.input}}
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [*thoughts, part]},
                "finishReason": "MAX_TOKENS" if told.is_cut else "STOP",
                "index": 0,
            }
        ],
        "modelVersion": told.model,
        "usageMetadata": {
            "promptTokenCount": told.tokens.input,
            "candidatesTokenCount": told.tokens.output - told.tokens.reasoning,
            "thoughtsTokenCount": told.tokens.reasoning,
            "cachedContentTokenCount": told.tokens.cached,
            "totalTokenCount": told.tokens.input + told.tokens.output,
        },
    }


def _named(body: Json) -> list[str]:
    return [str(tool.get("name", tool.get("type"))) for tool in body.get("tools", [])]


def _gemini_tools(body: Json) -> list[str]:
    return [name for tool in body.get("tools", []) for name in tool]


TOOL_DIALECTS: dict[str, ToolDialect] = {
    "/anthropic/v1/messages": ToolDialect(_anthropic_results, _named, _anthropic_whole, _anthropic_stream),
    "/openai/v1/responses": ToolDialect(
        lambda body: _count(body["input"], "type", {"function_call_output", "custom_tool_call_output"}),
        _named,
        _responses_whole,
        _responses_stream,
    ),
    "/openai/v1/chat/completions": ToolDialect(
        lambda body: _count(body["messages"], "role", {"tool"}),
        _named,
        _chat_whole,
        _chat_stream,
        has_event_names=False,
    ),
    "/google/v1beta/models/": ToolDialect(
        _gemini_results,
        _gemini_tools,
        _gemini_whole,
        lambda turn, number: [_gemini_whole(turn, number)],
        has_event_names=False,
    ),
}
"""By the path, or its beginning, that calls are sent to."""
