"""Google's models, through the Gemini API."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx2
from google import genai
from google.genai import errors
from google.genai.types import (
    Content,
    FinishReason,
    GenerateContentConfig,
    GenerateContentResponse,
    GenerateContentResponseUsageMetadata,
    HttpOptions,
    HttpRetryOptions,
    Part,
)

from fmlbench.models.chat import Reply, Request, Tokens
from fmlbench.models.providers.access import Access, lost, reading_answer

_ROLES = {"user": "user", "assistant": "model"}


@dataclass(frozen=True)
class GoogleGemini:
    """A model of Google's."""

    name: str
    model: str
    access: Access

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        try:
            with reading_answer():
                response = self._client.models.generate_content(  # pyright: ignore[reportUnknownMemberType] - it names PIL
                    model=self.model,
                    contents=[
                        Content(role=_ROLES[message.role], parts=[Part(text=message.text)])
                        for message in request.messages
                    ],
                    config=GenerateContentConfig(
                        system_instruction=request.system,
                        max_output_tokens=request.max_output_tokens,
                        temperature=request.temperature,
                    ),
                )
                return _reply(response)
        except errors.APIError as error:
            raise self.access.refused(error.code, error.message or str(error), _headers(error)) from error
        except httpx2.HTTPError as error:
            raise lost(error) from error

    @cached_property
    def _client(self) -> genai.Client:
        """A client without retries: the caller counts every attempt."""
        options = HttpOptions(
            base_url=self.access.base_url,
            timeout=int(self.access.seconds * 1000),
            retry_options=HttpRetryOptions(attempts=1),
        )
        return genai.Client(api_key=self.access.key, http_options=options)


def _headers(error: errors.APIError) -> dict[str, str]:
    """The headers of a response; its type depends on the installed HTTP client."""
    response: Any = getattr(error, "response", None)
    return dict(response.headers) if response is not None else {}


def _reply(response: GenerateContentResponse) -> Reply:
    feedback = response.prompt_feedback
    if not response.candidates and feedback and feedback.block_reason:
        # Not a failure: a blocked prompt would be blocked again.
        said = f"(No answer: the provider blocked the prompt, {feedback.block_reason.value}.)"
        return Reply(text=said, tokens=_tokens(response.usage_metadata), served_by=response.model_version or "")
    (candidate, *_) = response.candidates or []
    parts = (candidate.content.parts if candidate.content else None) or []
    return Reply(
        text="".join(part.text for part in parts if part.text and not part.thought),
        tokens=_tokens(response.usage_metadata),
        served_by=response.model_version or "",
        is_complete=candidate.finish_reason is not FinishReason.MAX_TOKENS,
    )


def _tokens(usage: GenerateContentResponseUsageMetadata | None) -> Tokens:
    """Google does not include reasoning tokens in its output tokens."""
    if usage is None:
        return Tokens()
    thought = usage.thoughts_token_count or 0
    return Tokens(
        input=usage.prompt_token_count or 0,
        output=(usage.candidates_token_count or 0) + thought,
        cached=usage.cached_content_token_count or 0,
        reasoning=thought,
    )
