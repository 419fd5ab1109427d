"""Open the proxy of a run."""

import os
import socket
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fmlbench.core.usage import Usage
from fmlbench.models.chat import Tokens
from fmlbench.models.metering import Caps, known_price
from fmlbench.models.names import ModelName, read_name
from fmlbench.models.prices import Pricing, free
from fmlbench.models.providers.catalogue import PROVIDERS
from fmlbench.models.proxy.calls import Books
from fmlbench.models.proxy.meter import Meter
from fmlbench.models.proxy.relay import Relay
from fmlbench.models.proxy.replay import read_recording
from fmlbench.models.proxy.routes import route_to, upstream_of
from fmlbench.models.proxy.server import serve
from fmlbench.models.proxy.upstream import Line
from fmlbench.models.proxy.wire_book import WireBook

EXCHANGES = "exchanges.jsonl"


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
        return self.relay.books.book.usage(since_call)

    def trouble(self) -> str:
        """Why the last call failed; empty if it did not."""
        return self.relay.books.book.failure

    def has_answered(self) -> bool:
        """Whether any call since the program's start got an answer."""
        return self.relay.books.book.has_answers

    def end(self) -> str:
        """Why no more calls are allowed; empty if they are."""
        return self.relay.meter.end(self.relay.books.book.spent)

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
        return {**route_to(self.name).environment, "FML_MODEL": self.name.model}

    def require(self, environment: Mapping[str, str] | None = None) -> None:
        """Check the key, and that a cap in dollars can be enforced; sends nothing."""
        if self.replayed is None:
            upstream_of(self.name, os.environ if environment is None else environment)
            if self.caps.dollars is not None:
                known_price(str(self.name), self._pricing(), Tokens(input=1, output=1))

    @contextmanager
    def opened(self, listening: socket.socket, folder: Path) -> Generator[ProxyStats]:
        """Serve the model on a socket, and log all calls in a folder."""
        self.require()
        route = route_to(self.name)
        with WireBook(folder / EXCHANGES) as book:
            price = self._pricing()
            relay = Relay(
                model=self.name.model,
                dialects=route.dialects,
                prefix=route.prefix,
                line=self._line(folder / EXCHANGES),
                meter=Meter(self.caps, price, lambda: book.spent),
                books=Books(price, book),
            )
            with serve(relay, listening):
                yield ProxyStats(relay)

    def _pricing(self) -> Pricing:
        return free if self.replayed else PROVIDERS[self.name.provider].pricing(self.name)

    def _line(self, record: Path) -> Line:
        if self.replayed:
            return read_recording(self.replayed, done=record)
        return upstream_of(self.name, os.environ)


def model_access(model: str, caps: Caps, replayed: Path | None = None) -> ModelAccess:
    """Access to a model by its name."""
    name = read_name(model)
    route_to(name)
    return ModelAccess(name, caps, replayed)
