"""Models behind the Chat Completions API, which most servers support: OpenRouter, Ollama, vLLM, llama.cpp."""

from dataclasses import dataclass
from functools import cached_property

import openai
from openai.types import CompletionUsage
from openai.types.chat import ChatCompletionMessageParam

from fmlbench.models.chat import Reply, Request, Tokens
from fmlbench.models.providers.access import Access, lost, reading_answer


@dataclass(frozen=True)
class OpenAIChat:
    """A model on an OpenAI-compatible server."""

    name: str
    model: str
    access: Access

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        try:
            with reading_answer():
                completion = self._client.chat.completions.create(
                    model=self.model,
                    messages=_messages(request),
                    max_tokens=request.max_output_tokens,
                    temperature=openai.omit if request.temperature is None else request.temperature,
                )
                choice = completion.choices[0]
                return Reply(
                    text=choice.message.content or "",
                    tokens=_tokens(completion.usage),
                    served_by=completion.model or "",
                    is_complete=choice.finish_reason != "length",
                )
        except openai.APIStatusError as error:
            raise self.access.refused(error.status_code, error.message, error.response.headers) from error
        except openai.APIConnectionError as error:
            raise lost(error) from error

    @cached_property
    def _client(self) -> openai.OpenAI:
        return open_client(self.access)


def open_client(access: Access) -> openai.OpenAI:
    """A client without retries: the caller counts every attempt."""
    return openai.OpenAI(api_key=access.key, base_url=access.base_url, timeout=access.seconds, max_retries=0)


def _messages(request: Request) -> list[ChatCompletionMessageParam]:
    said: list[ChatCompletionMessageParam] = [{"role": "system", "content": request.system}]
    for message in request.messages:
        if message.role == "user":
            said.append({"role": "user", "content": message.text})
        else:
            said.append({"role": "assistant", "content": message.text})
    return said


def _tokens(usage: CompletionUsage | None) -> Tokens:
    if usage is None:
        return Tokens()
    read, written = usage.prompt_tokens_details, usage.completion_tokens_details
    return Tokens(
        input=usage.prompt_tokens,
        output=usage.completion_tokens,
        cached=(read.cached_tokens or 0) if read else 0,
        reasoning=(written.reasoning_tokens or 0) if written else 0,
    )
