"""A model that replays prepared replies, as a replayed run would."""

import json
from collections.abc import Mapping

from fmlbench.models.call_log import CallLog, LoggedCall
from fmlbench.models.chat import CallKey, Reply
from fmlbench.models.client import ModelClient, open_client
from fmlbench.models.connection import Connection
from fmlbench.models.in_process import IN_PROCESS, write_reply
from fmlbench.models.prices import free
from fmlbench.models.replay import Replay


def replay_of(replies: Mapping[CallKey, Reply], model: str = "test/replay") -> ModelClient:
    """A model that answers each call with the reply of its key, and raises NoMoreCalls for other keys."""
    replay = Replay(
        LoggedCall(key=key, path=IN_PROCESS.path, request="", status=200, answer=json.dumps(write_reply(reply)))
        for key, reply in replies.items()
    )
    return open_client(Connection(model, model, IN_PROCESS, replay, free), CallLog())
