"""How providers want to be asked, and how they answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fmlbench.models.chat import Tokens
from fmlbench.models.dialect import Dialect
from fmlbench.models.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.dialects.google_gemini import GOOGLE_GEMINI
from fmlbench.models.dialects.openai_chat import OPENAI_CHAT
from fmlbench.models.dialects.openai_responses import OPENAI_RESPONSES
from fmlbench.testing.models.tool_wire import TOOL_DIALECTS, Told, WholeAnswer

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


class BadCall(Exception):
    """What a provider would answer with status 400."""


@dataclass(frozen=True)
class ServerDialect:
    """One provider's API, as its server sees it."""

    name: str
    dialect: Dialect
    read: Callable[[Json, str, str], ReceivedRequest]
    """From a request's body, path and key."""
    whole: WholeAnswer

    @property
    def key_header(self) -> str:
        """The header that carries a key."""
        return self.dialect.key_header("")[0]

    def write(self, asked: ReceivedRequest, text: str, tokens: Tokens) -> Json:
        """The body of an answer."""
        is_cut = asked.max_tokens is not None and tokens.output > asked.max_tokens
        return self.whole(text, 1, Told(asked.model, tokens, is_cut, has_thoughts=True))

    def refuse(self, status: int, reason: str) -> Json:
        """The body of an error."""
        return self.dialect.refusal(status, reason)


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


def _read_chat(body: Json, _path: str, key: str) -> ReceivedRequest:
    call = _checked(_ChatRequest, body)
    system = "\n".join(each.content for each in call.messages if each.role == "system")
    said = tuple((each.role, each.content) for each in call.messages if each.role != "system")
    return ReceivedRequest("chat", call.model, key, system, said, call.max_tokens, call.temperature)


def _read_responses(body: Json, _path: str, key: str) -> ReceivedRequest:
    call = _checked(_Responses, body)
    said = tuple((each.role, each.content) for each in call.input)
    return ReceivedRequest(
        "responses", call.model, key, call.instructions, said, call.max_output_tokens, call.temperature
    )


def _read_gemini(body: Json, path: str, key: str) -> ReceivedRequest:
    call = _checked(_Gemini, body)
    model = path.rsplit("/", 1)[-1].partition(":")[0]
    roles = {"user": "user", "model": "assistant"}
    said = tuple((roles[each.role], "".join(part.text for part in each.parts)) for each in call.contents)
    system = "".join(part.text for part in call.systemInstruction.parts) if call.systemInstruction else ""
    config = call.generationConfig
    return ReceivedRequest("gemini", model, key, system, said, config.maxOutputTokens, config.temperature)


def _checked(kind: type[Call], body: Json) -> Call:
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        raise BadCall(str(error)) from error


_GEMINI = ServerDialect("gemini", GOOGLE_GEMINI, _read_gemini, TOOL_DIALECTS["/google/v1beta/models/"].whole)

DIALECTS: Mapping[str, ServerDialect] = {
    "/anthropic/v1/messages": ServerDialect(
        "anthropic", ANTHROPIC_MESSAGES, _read_messages, TOOL_DIALECTS["/anthropic/v1/messages"].whole
    ),
    "/openai/v1/chat/completions": ServerDialect(
        "chat", OPENAI_CHAT, _read_chat, TOOL_DIALECTS["/openai/v1/chat/completions"].whole
    ),
    "/openai/v1/responses": ServerDialect(
        "responses", OPENAI_RESPONSES, _read_responses, TOOL_DIALECTS["/openai/v1/responses"].whole
    ),
    "/google/v1/models/": _GEMINI,
    "/google/v1beta/models/": _GEMINI,
}
"""By the path, or its beginning, that calls are sent to."""
