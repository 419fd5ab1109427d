"""The URL and APIs of each provider, and the environment variables that make a program use the proxy."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from fmlbench.core.errors import BadRequest, ModelUnavailable
from fmlbench.models.names import SERVER, ModelName
from fmlbench.models.providers.catalogue import PROVIDERS
from fmlbench.models.proxy.dialect import Dialect
from fmlbench.models.proxy.dialects.anthropic_messages import ANTHROPIC_MESSAGES
from fmlbench.models.proxy.dialects.google_gemini import GOOGLE_GEMINI
from fmlbench.models.proxy.dialects.openai_chat import OPENAI_CHAT
from fmlbench.models.proxy.dialects.openai_responses import OPENAI_RESPONSES
from fmlbench.models.proxy.upstream import Upstream

NO_KEY = "the-proxy-has-it"
"""What programs are given for a key, since they insist on one."""


@dataclass(frozen=True)
class Route:
    """How requests go from a program to a provider."""

    dialects: tuple[Dialect, ...]
    base_url: str = ""
    """Where the provider is reached, unless the user's environment says otherwise."""
    prefix: str = ""
    """What paths begin with inside, and not below the provider's address."""
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    """The environment of a program; ``{model}`` is the proxy's address inside."""


_OPENAI = Route(
    dialects=(OPENAI_RESPONSES, OPENAI_CHAT),
    base_url="https://api.openai.com/v1",
    prefix="/v1",
    environment={"OPENAI_BASE_URL": "{model}/v1", "OPENAI_API_BASE": "{model}/v1", "OPENAI_API_KEY": NO_KEY},
)

ROUTES: dict[str, Route] = {
    "anthropic": Route(
        dialects=(ANTHROPIC_MESSAGES,),
        base_url="https://api.anthropic.com",
        environment={"ANTHROPIC_BASE_URL": "{model}", "ANTHROPIC_API_KEY": NO_KEY},
    ),
    "google": Route(
        dialects=(GOOGLE_GEMINI,),
        base_url="https://generativelanguage.googleapis.com",
        environment={"GOOGLE_GEMINI_BASE_URL": "{model}", "GEMINI_API_KEY": NO_KEY},
    ),
    **dict.fromkeys(("openai", "openrouter", "ollama", "vllm", SERVER), _OPENAI),
}


def route_to(name: ModelName) -> Route:
    """The route to a model's provider."""
    route = ROUTES.get(name.provider)
    if route is None:
        raise BadRequest(
            f"Programs cannot use models of '{name.provider}'.", hint=f"They can use those of {', '.join(ROUTES)}."
        )
    return route


def upstream_of(name: ModelName, environment: Mapping[str, str]) -> Upstream:
    """A model's provider with the user's key, or what is missing for that."""
    route, provider = route_to(name), PROVIDERS[name.provider]
    key = provider.key_in(environment)
    if provider.needs_key and not key:
        raise ModelUnavailable(f"There is no key for {provider.name}.", hint=f"export {provider.keys[0]}=...")
    base_url = name.base_url or provider.base_url_in(environment) or route.base_url
    return Upstream(base_url, route.dialects[0].key_header(key))
