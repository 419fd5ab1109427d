"""Anthropic's models, through the Messages API."""

from dataclasses import dataclass
from functools import cached_property

import anthropic
from anthropic.types import MessageParam, Usage

from fmlbench.models.chat import Reply, Request, Tokens
from fmlbench.models.providers.access import Access, lost, reading_answer


@dataclass(frozen=True)
class AnthropicMessages:
    """A model of Anthropic's."""

    name: str
    model: str
    access: Access

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        try:
            with reading_answer():
                message = self._client.messages.create(
                    model=self.model,
                    system=request.system,
                    messages=_messages(request),
                    max_tokens=request.max_output_tokens,
                    # The client has no parameter for it, but the API accepts it for some models.
                    extra_body={} if request.temperature is None else {"temperature": request.temperature},
                )
                return Reply(
                    text="".join(block.text for block in message.content if block.type == "text"),
                    tokens=_tokens(message.usage),
                    served_by=message.model,
                    is_complete=message.stop_reason != "max_tokens",
                )
        except anthropic.APIStatusError as error:
            raise self.access.refused(error.status_code, error.message, error.response.headers) from error
        except anthropic.APIConnectionError as error:
            raise lost(error) from error

    @cached_property
    def _client(self) -> anthropic.Anthropic:
        """A client without retries: the caller counts every attempt."""
        access = self.access
        return anthropic.Anthropic(api_key=access.key, base_url=access.base_url, timeout=access.seconds, max_retries=0)


def _messages(request: Request) -> list[MessageParam]:
    said: list[MessageParam] = []
    for message in request.messages:
        if message.role == "user":
            said.append({"role": "user", "content": message.text})
        else:
            said.append({"role": "assistant", "content": message.text})
    return said


def _tokens(usage: Usage) -> Tokens:
    """Anthropic does not include cached tokens in its input tokens."""
    cached, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
    return Tokens(
        input=usage.input_tokens + cached + written, output=usage.output_tokens, cached=cached, cache_written=written
    )
