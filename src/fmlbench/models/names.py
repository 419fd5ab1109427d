"""Names of models: ``provider/model``, or ``URL#model`` for other servers."""

from dataclasses import dataclass

from fmlbench.core.errors import ModelUnavailable

SERVER = "server"
"""The provider of models that are named by a URL."""


@dataclass(frozen=True)
class ModelName:
    """A parsed model name."""

    provider: str
    model: str
    base_url: str = ""
    """The server's URL, if the name contains one."""

    def __str__(self) -> str:
        return f"{self.base_url}#{self.model}" if self.base_url else f"{self.provider}/{self.model}"


def read_name(name: str) -> ModelName:
    """Parse a model's name; does not check that the model exists."""
    if name.startswith(("http://", "https://")):
        base_url, _, model = name.partition("#")
        if not model:
            raise ModelUnavailable(
                f"'{name}' names a server, but not its model.", hint="Append the model after a #: http://host/v1#model."
            )
        return ModelName(SERVER, model, base_url.rstrip("/"))
    provider, _, model = name.partition("/")
    if not provider or not model:
        raise ModelUnavailable(
            f"'{name}' is not the name of a model.",
            hint="Write provider/model, like openai/gpt-5; 'fmlbench models' lists the providers.",
        )
    return ModelName(provider, model)
