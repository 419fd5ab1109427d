"""Models that are Python objects, behind the same gateway: requests and replies are JSON of our own records."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from fmlbench.core.text import to_valid_utf8
from fmlbench.models.chat import ChatModel, Reply, Request, Tokens
from fmlbench.models.dialect import Answer, Dialect
from fmlbench.models.json_body import Body, count_at, object_at
from fmlbench.models.upstream import Incoming, Outgoing

_KEY = "place"
_PATH = "/complete"
_COUNTS = tuple(Tokens.model_fields)


@dataclass(frozen=True)
class InProcess:
    """An endpoint that answers with a model in this process."""

    model: ChatModel

    def send(self, outgoing: Outgoing) -> Incoming:
        """The model's reply."""
        asked = {**json.loads(outgoing.body), _KEY: outgoing.key}
        asked.pop("model", None)
        reply = self.model.complete(Request.model_validate(asked))
        return Incoming(200, {"content-type": "application/json"}, iter([json.dumps(write_reply(reply)).encode()]))


def write_reply(reply: Reply) -> Body:
    """The body of an answer."""
    return {
        "text": to_valid_utf8(reply.text),
        "served_by": reply.served_by,
        "is_complete": reply.is_complete,
        "tokens": reply.tokens.model_dump(),
    }


def _tokens(objects: Iterable[Body]) -> Tokens | None:
    for each in objects:
        if object_at(each, "tokens"):
            return Tokens(**{name: count_at(each, "tokens", name) for name in _COUNTS})
    return None


def _read(body: Body) -> Answer:
    return Answer(text=body["text"], served_by=body["served_by"], is_complete=body["is_complete"])


def _refusal(status: int, reason: str) -> Body:
    return {"error": {"code": status, "message": reason}}


def _keep(body: Body) -> None:
    """No model in this process has tools."""
    del body


IN_PROCESS = Dialect(
    name="in process",
    path=_PATH,
    build=lambda request: request.model_dump(mode="json", exclude={_KEY}),
    read=_read,
    tokens=_tokens,
    calls=re.compile(_PATH),
    clean=_keep,
    most_output=lambda body: count_at(body, "max_output_tokens"),
    refusal=_refusal,
)
