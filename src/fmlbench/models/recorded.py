"""Write down every exchange, and answer from what is written where the same thing is asked again."""

from dataclasses import dataclass

from fmlbench.core.text import to_valid_utf8
from fmlbench.models.chat import ChatModel, Reply, Request
from fmlbench.models.exchanges import Exchange, ExchangeBook


@dataclass(frozen=True)
class Recorded:
    """A model whose answers survive an interruption: a resumed run asks nothing twice."""

    model: ChatModel
    book: ExchangeBook

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def complete(self, request: Request) -> Reply:
        """Answer from the book, or ask and write the answer down."""
        kept = self.book.find(request)
        if kept is not None:
            return kept
        reply = self.model.complete(request)
        reply = reply.model_copy(update={"text": to_valid_utf8(reply.text)})
        self.book.add(Exchange(model=self.name, request=request, reply=reply))
        return reply
