"""Google's Gemini API, which the Gemini CLI speaks."""

import re
from collections.abc import Iterable, Sequence

from fmlbench.models.chat import Request, Tokens
from fmlbench.models.dialect import Answer, Dialect, temperature_of
from fmlbench.models.json_body import Body, count_at, drop, object_at, objects_of
from fmlbench.models.request_filter import refuse_addresses


def _paths(verbs: str) -> re.Pattern[str]:
    return re.compile(rf"(?P<before>/v1(?:beta)?/models/)[\w.-]+(?P<after>:(?:{verbs}))")


_CALLS, _FREE = _paths("generateContent|streamGenerateContent"), _paths("countTokens")
_FUNCTIONS = ("functionDeclarations", "function_declarations")
_ROLES = {"user": "user", "assistant": "model"}
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


def _build(request: Request) -> Body:
    return {
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": [{"role": _ROLES[message.role], "parts": [{"text": message.text}]} for message in request.messages],
        "generationConfig": {"maxOutputTokens": request.max_output_tokens, **temperature_of(request)},
    }


def _read(body: Body) -> Answer:
    served_by = body.get("modelVersion") or ""
    if _is_blocked([body]):
        # Not a failure: a blocked prompt would be blocked again.
        reason = body["promptFeedback"]["blockReason"]
        text = f"(No answer: the provider blocked the prompt, {reason}.)"
        return Answer(text=text, served_by=served_by)
    candidate = body["candidates"][0]
    parts = objects_of(object_at(candidate, "content").get("parts"))
    text = "".join(part.get("text") or "" for part in parts if not part.get("thought"))
    return Answer(text=text, served_by=served_by, is_complete=candidate.get("finishReason") != "MAX_TOKENS")


def _is_blocked(objects: Sequence[Body]) -> bool:
    has_candidates = any(each.get("candidates") for each in objects)
    return not has_candidates and any(object_at(each, "promptFeedback").get("blockReason") for each in objects)


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
    path="/v1beta/models/model:generateContent",
    build=_build,
    read=_read,
    tokens=_tokens,
    is_blocked=_is_blocked,
    calls=_CALLS,
    free=_FREE,
    clean=_clean,
    most_output=_most_output,
    refusal=_refusal,
    key_header=lambda key: ("x-goog-api-key", key),
    name_model=_name_model,
)
