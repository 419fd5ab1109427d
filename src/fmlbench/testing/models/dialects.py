"""How providers want to be asked, and how they answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Call = TypeVar("Call", bound=BaseModel)
Json = dict[str, Any]


@dataclass(frozen=True)
class ReceivedRequest:
    """A question, whatever the dialect."""

    dialect: str
    model: str
    key: str
    system: str
    messages: tuple[tuple[str, str], ...]
    """Role and text, in turn; roles are named as Anthropic and OpenAI do."""
    max_tokens: int | None
    temperature: float | None


@dataclass(frozen=True)
class Count:
    """The tokens of an answer, each in the provider's own sense turned into ours."""

    input: int
    output: int
    cached: int
    reasoning: int


class BadCall(Exception):
    """What a provider would answer with status 400."""


@dataclass(frozen=True)
class ServerDialect:
    """One provider's way to be asked."""

    name: str
    key_headers: tuple[str, ...]
    read: Callable[[Json, str, str], ReceivedRequest]
    """From a request's body, path and key."""
    write: Callable[[ReceivedRequest, str, Count], Json]
    """The body of an answer."""
    refuse: Callable[[int, str], Json]
    """The body of an error."""


class _Said(BaseModel):
    role: str
    content: str


class _Messages(BaseModel):
    model: str
    max_tokens: int
    messages: list[_Said]
    system: str = ""
    temperature: float | None = None


class _ChatRequest(BaseModel):
    model: str
    messages: list[_Said]
    max_tokens: int | None = None
    temperature: float | None = None


class _Responses(BaseModel):
    model: str
    input: list[_Said]
    instructions: str = ""
    max_output_tokens: int | None = None
    temperature: float | None = None


class _Part(BaseModel):
    text: str


class _Content(BaseModel):
    role: str = "user"
    parts: list[_Part]


class _Generation(BaseModel):
    maxOutputTokens: int | None = None  # noqa: N815 - the dialect's own spelling
    temperature: float | None = None


class _Gemini(BaseModel):
    contents: list[_Content]
    systemInstruction: _Content | None = None  # noqa: N815
    generationConfig: _Generation = _Generation()  # noqa: N815


def _read_messages(body: Json, _path: str, key: str) -> ReceivedRequest:
    call = _checked(_Messages, body)
    said = tuple((each.role, each.content) for each in call.messages)
    if any(not text.strip() for _, text in said):
        raise BadCall("messages: text content blocks must be non-empty")
    return ReceivedRequest("anthropic", call.model, key, call.system, said, call.max_tokens, call.temperature)


def _write_messages(asked: ReceivedRequest, text: str, count: Count) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "max_tokens" if _is_cut(asked, count) else "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": count.input - count.cached,
            "cache_read_input_tokens": count.cached,
            "cache_creation_input_tokens": 0,
            "output_tokens": count.output,
        },
    }


def _read_chat(body: Json, _path: str, key: str) -> ReceivedRequest:
    call = _checked(_ChatRequest, body)
    system = "\n".join(each.content for each in call.messages if each.role == "system")
    said = tuple((each.role, each.content) for each in call.messages if each.role != "system")
    return ReceivedRequest("chat", call.model, key, system, said, call.max_tokens, call.temperature)


def _write_chat(asked: ReceivedRequest, text: str, count: Count) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "finish_reason": "length" if _is_cut(asked, count) else "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {
            "prompt_tokens": count.input,
            "completion_tokens": count.output,
            "total_tokens": count.input + count.output,
            "prompt_tokens_details": {"cached_tokens": count.cached},
            "completion_tokens_details": {"reasoning_tokens": count.reasoning},
        },
    }


def _read_responses(body: Json, _path: str, key: str) -> ReceivedRequest:
    call = _checked(_Responses, body)
    said = tuple((each.role, each.content) for each in call.input)
    return ReceivedRequest(
        "responses", call.model, key, call.instructions, said, call.max_output_tokens, call.temperature
    )


def _write_responses(asked: ReceivedRequest, text: str, count: Count) -> Json:
    content: list[Json] = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": asked.model,
        "status": "incomplete" if _is_cut(asked, count) else "completed",
        "error": None,
        "output": [
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content},
        ],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": count.input,
            "input_tokens_details": {"cached_tokens": count.cached},
            "output_tokens": count.output,
            "output_tokens_details": {"reasoning_tokens": count.reasoning},
            "total_tokens": count.input + count.output,
        },
    }


def _read_gemini(body: Json, path: str, key: str) -> ReceivedRequest:
    call = _checked(_Gemini, body)
    model = path.rsplit("/", 1)[-1].partition(":")[0]
    roles = {"user": "user", "model": "assistant"}
    said = tuple((roles[each.role], "".join(part.text for part in each.parts)) for each in call.contents)
    system = "".join(part.text for part in call.systemInstruction.parts) if call.systemInstruction else ""
    config = call.generationConfig
    return ReceivedRequest("gemini", model, key, system, said, config.maxOutputTokens, config.temperature)


def _write_gemini(asked: ReceivedRequest, text: str, count: Count) -> Json:
    parts = [{"text": "a thought", "thought": True}, {"text": text}]
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": parts},
                "finishReason": "MAX_TOKENS" if _is_cut(asked, count) else "STOP",
                "index": 0,
            }
        ],
        "modelVersion": asked.model,
        "usageMetadata": {
            "promptTokenCount": count.input,
            "candidatesTokenCount": count.output - count.reasoning,
            "thoughtsTokenCount": count.reasoning,
            "cachedContentTokenCount": count.cached,
            "totalTokenCount": count.input + count.output,
        },
    }


def _checked(kind: type[Call], body: Json) -> Call:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise BadCall(str(error)) from error


def _is_cut(asked: ReceivedRequest, count: Count) -> bool:
    return asked.max_tokens is not None and count.output > asked.max_tokens


def _anthropic_error(status: int, message: str) -> Json:
    kinds = {401: "authentication_error", 429: "rate_limit_error", 529: "overloaded_error"}
    return {"type": "error", "error": {"type": kinds.get(status, "api_error"), "message": message}}


def _openai_error(status: int, message: str) -> Json:
    return {"error": {"message": message, "type": "error", "param": None, "code": str(status)}}


def _google_error(status: int, message: str) -> Json:
    return {"error": {"code": status, "message": message, "status": "FAILED"}}


_BEARER = ("authorization",)
_ANTHROPIC = ServerDialect("anthropic", ("x-api-key", *_BEARER), _read_messages, _write_messages, _anthropic_error)
_GEMINI = ServerDialect("gemini", ("x-goog-api-key",), _read_gemini, _write_gemini, _google_error)

DIALECTS: Mapping[str, ServerDialect] = {
    "/anthropic/v1/messages": _ANTHROPIC,
    "/openai/v1/chat/completions": ServerDialect("chat", _BEARER, _read_chat, _write_chat, _openai_error),
    "/openai/v1/responses": ServerDialect("responses", _BEARER, _read_responses, _write_responses, _openai_error),
    "/google/v1/models/": _GEMINI,
    "/google/v1beta/models/": _GEMINI,
}
"""By the path, or its beginning, that calls are sent to."""
