"""Google's Gemini API, which the Gemini CLI speaks."""

import re
from collections.abc import Iterable

from fmlbench.models.chat import Tokens
from fmlbench.models.proxy.bodies import Body, count_at, drop, object_at, objects_of
from fmlbench.models.proxy.dialect import Dialect
from fmlbench.models.proxy.request_filter import refuse_addresses


def _paths(verbs: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<before>/v1(?:beta)?/models/)[\w.-]+(?P<after>:(?:{verbs}))")


_CALLS, _FREE = _paths("generateContent|streamGenerateContent"), _paths("countTokens")
_FUNCTIONS = ("functionDeclarations", "function_declarations")
_STATUS = {401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 429: "RESOURCE_EXHAUSTED"}


def _clean(body: Body) -> None:
    for request in (body, object_at(body, "generateContentRequest")):
        functions = [
            {name: tool[name]} for tool in objects_of(request.get("tools")) for name in _FUNCTIONS if tool.get(name)
        ]
        if functions:
            request["tools"] = functions
        else:
            drop(request, "tools", "toolConfig", "tool_config")
        drop(request, "cachedContent", "cached_content", "serviceTier", "service_tier")
        # Google takes either spelling; with one we know how long an answer may be. One answer is enough.
        if "generation_config" in request:
            request["generationConfig"] = request.pop("generation_config")
        drop(object_at(request, "generationConfig"), "candidateCount", "candidate_count")
        for part in ("contents", "systemInstruction", "system_instruction"):
            refuse_addresses(request.get(part))


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    """Thoughts, and what tools put into the prompt, are counted beside the rest, not within."""
    usages = [usage for each in objects if (usage := object_at(each, "usageMetadata"))]
    if not usages:
        return None
    usage = usages[-1]
    thought = count_at(usage, "thoughtsTokenCount")
    return Tokens(
        input=count_at(usage, "promptTokenCount") + count_at(usage, "toolUsePromptTokenCount"),
        output=count_at(usage, "candidatesTokenCount") + thought,
        cached=count_at(usage, "cachedContentTokenCount"),
        reasoning=thought,
    )


def _most_output(body: Body) -> int:
    asked = object_at(body, "generationConfig")
    return count_at(asked, "maxOutputTokens") or count_at(asked, "max_output_tokens")


def _refusal(status: int, reason: str) -> Body:
    word = _STATUS.get(status, "UNAVAILABLE" if status >= 500 else "INVALID_ARGUMENT")
    return {"error": {"code": status, "message": reason, "status": word}}


def _name_model(path: str, body: Body, model: str) -> str:
    """Google's API has the model in the path, and in the body, too, when tokens are counted."""
    if request := object_at(body, "generateContentRequest"):
        request["model"] = f"models/{model}"
    drop(body, "model")
    asked = _CALLS.fullmatch(path) or _FREE.fullmatch(path)
    return f"{asked['before']}{model}{asked['after']}" if asked else path


GOOGLE_GEMINI = Dialect(
    name="Google Gemini",
    calls=_CALLS,
    free=_FREE,
    clean=_clean,
    most_output=_most_output,
    tokens=_tokens,
    refusal=_refusal,
    key_header=lambda key: ("x-goog-api-key", key),
    name_model=_name_model,
)
