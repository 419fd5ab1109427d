"""What models are called: ``provider/model``, or ``URL#model`` for a server of one's own."""

from dataclasses import dataclass

from fmlbench.core.errors import ModelUnavailable

SERVER = "server"
"""The provider of models that are named by an address."""


@dataclass(frozen=True)
class ModelName:
    """A model's name, taken apart."""

    provider: str
    model: str
    base_url: str = ""
    """The server's address, where the name holds one."""

    def __str__(self) -> str:
        return f"{self.base_url}#{self.model}" if self.base_url else f"{self.provider}/{self.model}"


def read_name(name: str) -> ModelName:
    """Take a model's name apart; whether there is such a model is another question."""
    if name.startswith(("http://", "https://")):
        base_url, _, model = name.partition("#")
        if not model:
            raise ModelUnavailable(
                f"'{name}' names a server, but not its model.", hint="Write the model behind a #: http://host/v1#model."
            )
        return ModelName(SERVER, model, base_url.rstrip("/"))
    provider, _, model = name.partition("/")
    if not provider or not model:
        raise ModelUnavailable(
            f"'{name}' is not the name of a model.",
            hint="Write provider/model, like openai/gpt-5; 'fmlbench models' lists the providers.",
        )
    return ModelName(provider, model)
