"""All providers."""

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.chat import ChatModel
from fmlbench.models.names import SERVER, ModelName
from fmlbench.models.prices import Pricing, free, listed, unknown
from fmlbench.models.providers.access import SECONDS, SLOW_SECONDS, Access


@dataclass(frozen=True)
class Provider:
    """A provider of models and how to connect to it."""

    name: str
    description: str
    connect: Callable[[ModelName, Access], ChatModel]
    package: str
    """The Python package that must be installed."""
    extra: str
    """The extra of fmlbench that installs it."""
    pricing: Callable[[ModelName], Pricing]
    keys: tuple[str, ...] = ()
    """Environment variables for the key; the first that is set is used."""
    needs_key: bool = True
    base_variable: str = ""
    base_url: str | None = None
    call_seconds: float = SECONDS

    @property
    def is_installed(self) -> bool:
        """Whether its client can be imported."""
        try:
            return importlib.util.find_spec(self.package) is not None
        except ModuleNotFoundError:
            return False

    def key_in(self, environment: Mapping[str, str]) -> str:
        """The user's key, or empty; stripped, because variables read from files may end with a newline."""
        return next((key for name in self.keys if (key := environment.get(name, "").strip())), "")

    def base_url_in(self, environment: Mapping[str, str]) -> str | None:
        """The provider's URL; None for the client's default."""
        return environment.get(self.base_variable) or self.base_url

    def open(self, name: ModelName, environment: Mapping[str, str]) -> ChatModel:
        """Connect to a model, or raise ModelUnavailable with the missing requirement."""
        if not self.is_installed:
            raise ModelUnavailable(
                f"Models of {self.name} need a package that is not installed.",
                hint=f"pip install 'fmlbench[{self.extra}]'",
            )
        key = self.key_in(environment)
        if self.needs_key and not key:
            raise ModelUnavailable(f"There is no key for {self.name}.", hint=f"export {self.keys[0]}=...")
        return self.connect(
            name,
            Access(
                # Clients insist on a key even where the server does not.
                key=key or "none",
                key_variable=self.keys[0] if self.keys else "the key",
                base_url=name.base_url or self.base_url_in(environment),
                seconds=self.call_seconds,
            ),
        )


def _responses(name: ModelName, access: Access) -> ChatModel:
    from fmlbench.models.providers.openai_responses import OpenAIResponses  # noqa: PLC0415

    return OpenAIResponses(str(name), name.model, access)


def _chat(name: ModelName, access: Access) -> ChatModel:
    from fmlbench.models.providers.openai_chat import OpenAIChat  # noqa: PLC0415

    return OpenAIChat(str(name), name.model, access)


def _anthropic(name: ModelName, access: Access) -> ChatModel:
    from fmlbench.models.providers.anthropic_messages import AnthropicMessages  # noqa: PLC0415

    return AnthropicMessages(str(name), name.model, access)


def _google(name: ModelName, access: Access) -> ChatModel:
    from fmlbench.models.providers.google_gemini import GoogleGemini  # noqa: PLC0415

    return GoogleGemini(str(name), name.model, access)


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            name="openai",
            description="OpenAI's models, through the Responses API",
            connect=_responses,
            package="openai",
            extra="openai",
            pricing=listed,
            keys=("OPENAI_API_KEY",),
            base_variable="OPENAI_BASE_URL",
        ),
        Provider(
            name="anthropic",
            description="Anthropic's models",
            connect=_anthropic,
            package="anthropic",
            extra="anthropic",
            pricing=listed,
            keys=("ANTHROPIC_API_KEY",),
            base_variable="ANTHROPIC_BASE_URL",
        ),
        Provider(
            name="google",
            description="Google's models, through the Gemini API",
            connect=_google,
            package="google.genai",
            extra="google",
            pricing=listed,
            keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            base_variable="GOOGLE_GEMINI_BASE_URL",
        ),
        Provider(
            name="openrouter",
            description="many providers' models behind one key; names like openrouter/qwen/qwen3-coder",
            connect=_chat,
            package="openai",
            extra="openai",
            pricing=listed,
            keys=("OPENROUTER_API_KEY",),
            base_variable="OPENROUTER_BASE_URL",
            base_url="https://openrouter.ai/api/v1",
        ),
        Provider(
            name="ollama",
            description="models that Ollama serves on this machine",
            connect=_chat,
            package="openai",
            extra="openai",
            pricing=lambda _: free,
            needs_key=False,
            base_variable="OLLAMA_BASE_URL",
            base_url="http://127.0.0.1:11434/v1",
            call_seconds=SLOW_SECONDS,
        ),
        Provider(
            name="vllm",
            description="a model that vLLM serves",
            connect=_chat,
            package="openai",
            extra="openai",
            pricing=lambda _: unknown,
            keys=("VLLM_API_KEY",),
            needs_key=False,
            base_variable="VLLM_BASE_URL",
            base_url="http://127.0.0.1:8000/v1",
            call_seconds=SLOW_SECONDS,
        ),
        Provider(
            name=SERVER,
            description="any OpenAI-compatible server, by its address: http://host:port/v1#model",
            connect=_chat,
            package="openai",
            extra="openai",
            pricing=lambda _: unknown,
            keys=("FMLBENCH_SERVER_KEY",),
            needs_key=False,
            call_seconds=SLOW_SECONDS,
        ),
    )
}
