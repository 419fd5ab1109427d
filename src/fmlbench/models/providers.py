"""All providers: their addresses, keys, prices and APIs.

A provider is one entry: here, or in another package as an entry point of the group ``fmlbench.providers``.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points

from fmlbench.core.errors import ModelUnavailable
from fmlbench.models.dialect import Dialect
from fmlbench.models.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.dialects.google_gemini import GOOGLE_GEMINI
from fmlbench.models.dialects.openai_chat import OPENAI_CHAT
from fmlbench.models.dialects.openai_responses import OPENAI_RESPONSES
from fmlbench.models.names import SERVER, ModelName
from fmlbench.models.prices import Pricing, free, listed, unknown
from fmlbench.models.upstream import SILENCE_SECONDS, Upstream

ENTRY_POINTS = "fmlbench.providers"
SECONDS = 600.0
"""Timeout of a search agent's call."""
SLOW_SECONDS = 3600.0
"""The same for a model on the user's machine."""
NO_KEY = "the-proxy-has-it"
"""The placeholder key of programs, which insist on one."""

_OPENAI_VARIABLES = {"OPENAI_BASE_URL": "{model}/v1", "OPENAI_API_BASE": "{model}/v1", "OPENAI_API_KEY": NO_KEY}


@dataclass(frozen=True)
class Provider:
    """A provider of models and how to connect to it; the defaults are for servers compatible with OpenAI's API."""

    name: str
    description: str
    base_url: str
    base_variable: str = ""
    """The environment variable that replaces the address."""
    keys: tuple[str, ...] = ()
    """Environment variables for the key; the first that is set is used."""
    needs_key: bool = True
    pricing: Callable[[ModelName], Pricing] = lambda _: unknown
    call_seconds: float = SECONDS
    dialects: tuple[Dialect, ...] = (OPENAI_CHAT, OPENAI_RESPONSES)
    """The APIs that programs may use; search agents use the first."""
    prefix: str = "/v1"
    """The beginning of the APIs' paths that is part of the address."""
    environment: Mapping[str, str] = field(default_factory=lambda: _OPENAI_VARIABLES)
    """The environment variables of programs; ``{model}`` is the proxy's address in the sandbox."""

    def key_in(self, environment: Mapping[str, str]) -> str:
        """The user's key, or empty; stripped, because variables read from files may end with a newline."""
        return next((key for name in self.keys if (key := environment.get(name, "").strip())), "")

    def base_url_in(self, environment: Mapping[str, str]) -> str:
        """The provider's URL."""
        return environment.get(self.base_variable) or self.base_url

    def upstream(
        self, name: ModelName, environment: Mapping[str, str], silence_seconds: float = SILENCE_SECONDS
    ) -> Upstream:
        """The provider with the user's key; raises ModelUnavailable if there is none."""
        key = self.key_in(environment)
        if self.needs_key and not key:
            raise ModelUnavailable(f"There is no key for {self.name}.", hint=f"export {self.keys[0]}=...")
        base_url = name.base_url or self.base_url_in(environment)
        return Upstream(base_url, self.dialects[0].key_header(key or "none"), silence_seconds)


_OWN = (
    Provider(
        name="openai",
        description="OpenAI's models, through the Responses API",
        base_url="https://api.openai.com/v1",
        base_variable="OPENAI_BASE_URL",
        keys=("OPENAI_API_KEY",),
        pricing=listed,
        dialects=(OPENAI_RESPONSES, OPENAI_CHAT),
    ),
    Provider(
        name="anthropic",
        description="Anthropic's models",
        base_url="https://api.anthropic.com",
        base_variable="ANTHROPIC_BASE_URL",
        keys=("ANTHROPIC_API_KEY",),
        pricing=listed,
        dialects=(ANTHROPIC_MESSAGES,),
        prefix="",
        environment={"ANTHROPIC_BASE_URL": "{model}", "ANTHROPIC_API_KEY": NO_KEY},
    ),
    Provider(
        name="google",
        description="Google's models, through the Gemini API",
        base_url="https://generativelanguage.googleapis.com",
        base_variable="GOOGLE_GEMINI_BASE_URL",
        keys=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        pricing=listed,
        dialects=(GOOGLE_GEMINI,),
        prefix="",
        environment={"GOOGLE_GEMINI_BASE_URL": "{model}", "GEMINI_API_KEY": NO_KEY},
    ),
    Provider(
        name="openrouter",
        description="many providers' models behind one key; names like openrouter/qwen/qwen3-coder",
        base_url="https://openrouter.ai/api/v1",
        base_variable="OPENROUTER_BASE_URL",
        keys=("OPENROUTER_API_KEY",),
        pricing=listed,
    ),
    Provider(
        name="ollama",
        description="models that Ollama serves on this machine",
        base_url="http://127.0.0.1:11434/v1",
        base_variable="OLLAMA_BASE_URL",
        needs_key=False,
        pricing=lambda _: free,
        call_seconds=SLOW_SECONDS,
    ),
    Provider(
        name="vllm",
        description="a model that vLLM serves",
        base_url="http://127.0.0.1:8000/v1",
        base_variable="VLLM_BASE_URL",
        keys=("VLLM_API_KEY",),
        needs_key=False,
        call_seconds=SLOW_SECONDS,
    ),
    Provider(
        name=SERVER,
        description="any OpenAI-compatible server, by its address: http://host:port/v1#model",
        base_url="",
        keys=("FMLBENCH_SERVER_KEY",),
        needs_key=False,
        call_seconds=SLOW_SECONDS,
    ),
)


@cache
def all_providers() -> dict[str, Provider]:
    """All providers by name, with those of other packages."""
    others: tuple[Provider, ...] = tuple(point.load() for point in entry_points(group=ENTRY_POINTS))
    return {provider.name: provider for provider in (*others, *_OWN)}
