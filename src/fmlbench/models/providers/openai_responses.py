"""OpenAI's models, through its Responses API, which some of them require."""

from dataclasses import dataclass
from functools import cached_property

import openai
from openai.types.responses import EasyInputMessageParam, Response, ResponseUsage

from fmlbench.models.chat import Reply, Request, Tokens
from fmlbench.models.providers.access import Access, lost, reading_answer
from fmlbench.models.providers.openai_chat import open_client


@dataclass(frozen=True)
class OpenAIResponses:
    """A model of OpenAI's."""

    name: str
    model: str
    access: Access

    def complete(self, request: Request) -> Reply:
        """Answer, or raise CallFailed."""
        try:
            with reading_answer():
                response = self._client.responses.create(
                    model=self.model,
                    instructions=request.system,
                    input=[
                        EasyInputMessageParam(role=message.role, content=message.text) for message in request.messages
                    ],
                    max_output_tokens=request.max_output_tokens,
                    temperature=openai.omit if request.temperature is None else request.temperature,
                    store=False,
                )
                return _reply(response)
        except openai.APIStatusError as error:
            raise self.access.refused(error.status_code, error.message, error.response.headers) from error
        except openai.APIConnectionError as error:
            raise lost(error) from error

    @cached_property
    def _client(self) -> openai.OpenAI:
        return open_client(self.access)


def _reply(response: Response) -> Reply:
    if response.status not in {"completed", "incomplete"}:
        raise ValueError(f"its status is {response.status}: {response.error}")
    return Reply(
        text=response.output_text,
        tokens=_tokens(response.usage),
        served_by=response.model,
        is_complete=response.status == "completed",
    )


def _tokens(usage: ResponseUsage | None) -> Tokens:
    if usage is None:
        return Tokens()
    return Tokens(
        input=usage.input_tokens,
        output=usage.output_tokens,
        cached=usage.input_tokens_details.cached_tokens,
        reasoning=usage.output_tokens_details.reasoning_tokens,
    )
