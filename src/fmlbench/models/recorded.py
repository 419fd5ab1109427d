"""Log every call, and answer repeated requests from the log."""

from dataclasses import dataclass

from fmlbench.core.text import to_valid_utf8
from fmlbench.models.chat import ChatModel, Reply, Request
from fmlbench.models.exchanges import Exchange, ExchangeBook


@dataclass(frozen=True)
class Recorded:
    """A model whose replies are logged, so that a resumed run repeats no call."""

    model: ChatModel
    book: ExchangeBook

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer from the log, or call the model and log its reply."""
        logged = self.book.find(request)
        if logged is not None:
            return logged
        reply = self.model.complete(request)
        reply = reply.model_copy(update={"text": to_valid_utf8(reply.text)})
        self.book.add(Exchange(model=self.name, request=request, reply=reply))
        return reply
