"""Open the proxy of a run."""

import os
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.errors import BadRequest
from fmlbench.core.usage import Usage
from fmlbench.models.call_log import CallLog
from fmlbench.models.gateway import Gateway
from fmlbench.models.meter import Caps, Meter, require_price
from fmlbench.models.names import ModelName, read_name
from fmlbench.models.prices import Pricing, free
from fmlbench.models.providers import Provider, all_providers
from fmlbench.models.proxy.relay import Relay
from fmlbench.models.proxy.server import serve
from fmlbench.models.replay import open_replay
from fmlbench.models.upstream import Endpoint

CALLS = "calls.jsonl"


@dataclass(frozen=True)
class ProxyStats:
    """Statistics of the proxy, during and after the run."""

    relay: Relay

    @property
    def refusals(self) -> list[str]:
        """Short descriptions of rejected requests."""
        return self.relay.refusals

    def usage(self, since_call: int = 0) -> Usage:
        """The usage of all calls after the first ``since_call``."""
        return self.relay.gateway.log.usage(since_call)

    def trouble(self) -> str:
        """Why the last call failed; empty if it did not."""
        return self.relay.gateway.log.failure

    def has_answered(self) -> bool:
        """Whether any call since the program's start got an answer."""
        return self.relay.gateway.log.has_answers

    def end(self) -> str:
        """Why no more calls are allowed; empty if they are."""
        return self.relay.gateway.end()

    def summary(self) -> str:
        """The usage of all calls as text."""
        usage = self.usage()
        price = "at an unknown price" if usage.dollars is None else f"${usage.dollars:.4f}"
        return f"{usage.calls} calls, {usage.input_tokens} tokens read, {usage.output_tokens} written, {price}"


@dataclass(frozen=True)
class ModelAccess:
    """A program's access to a language model, with its caps."""

    name: ModelName
    caps: Caps
    replayed: Path | None = None
    """The log whose answers are replayed instead of calling the model."""

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables of the program."""
        return {**program_provider(self.name).environment, "FML_MODEL": self.name.model}

    def require(self, environment: Mapping[str, str] | None = None) -> None:
        """Check the key, and that a cap in dollars can be enforced; sends nothing."""
        if self.replayed is None:
            program_provider(self.name).upstream(self.name, os.environ if environment is None else environment)
            if self.caps.dollars is not None:
                require_price(str(self.name), self._pricing())

    @contextmanager
    def opened(self, listening: socket.socket, folder: Path) -> Generator[ProxyStats]:
        """Serve the model on a socket, and log all calls in a folder."""
        self.require()
        provider = program_provider(self.name)
        with CallLog(folder / CALLS) as log:
            meter = Meter(self.caps, self._pricing(), lambda: log.spent)
            gateway = Gateway(self._endpoint(folder / CALLS), meter, log)
            relay = Relay(self.name.model, provider.dialects, provider.prefix, gateway)
            with serve(relay, listening):
                yield ProxyStats(relay)

    def _pricing(self) -> Pricing:
        return free if self.replayed else program_provider(self.name).pricing(self.name)

    def _endpoint(self, log: Path) -> Endpoint:
        if self.replayed:
            return open_replay(self.replayed, done=log)
        return program_provider(self.name).upstream(self.name, os.environ)


def program_provider(name: ModelName) -> Provider:
    """The provider of a program's model."""
    providers = all_providers()
    if name.provider not in providers:
        raise BadRequest(
            f"Programs cannot use models of '{name.provider}'.", hint=f"They can use those of {', '.join(providers)}."
        )
    return providers[name.provider]


def model_access(model: str, caps: Caps, replayed: Path | None = None) -> ModelAccess:
    """Access to a model by its name."""
    name = read_name(model)
    program_provider(name)
    return ModelAccess(name, caps, replayed)
