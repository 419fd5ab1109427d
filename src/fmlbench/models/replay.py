"""Answer with the logged answers of another run, at no cost."""

import threading
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.call_log import LoggedCall, read_calls
from fmlbench.models.chat import CallKey
from fmlbench.models.upstream import Incoming, Outgoing


class Replay:
    """A log in the provider's place.

    Answers to search agents are found by their key. The request may differ slightly from the original, because scores
    differ in the last digits between machines. Programs have no keys, and write the time and random numbers into
    requests: the n-th request to an endpoint gets the n-th answer.
    """

    def __init__(self, calls: Iterable[LoggedCall]) -> None:
        self._lock = threading.Lock()
        self._by_key: dict[CallKey, LoggedCall] = {}
        self._left: dict[str, list[LoggedCall]] = {}
        for call in calls:
            if call.is_answered and call.key:
                self._by_key[call.key] = call
            elif call.is_answered:
                self._left.setdefault(_endpoint(call.path), []).append(call)

    def send(self, outgoing: Outgoing) -> Incoming:
        """The logged answer; raises NoMoreCalls where the log ends."""
        call = self._keyed(outgoing.key) if outgoing.key else self.next_at(outgoing.path)
        return Incoming(200, {"content-type": call.content_type}, iter([call.answer.encode()]), call.digest)

    def _keyed(self, key: CallKey) -> LoggedCall:
        if key not in self._by_key:
            raise NoMoreCalls(f"the replayed run has no answer for step {key.step}, {key.purpose}, turn {key.turn}")
        return self._by_key[key]

    def next_at(self, path: str) -> LoggedCall:
        """The next unused answer of an endpoint."""
        with self._lock:
            left = self._left.get(_endpoint(path))
            if not left:
                raise NoMoreCalls("the replayed run holds no further answer")
            return left.pop(0)


def open_replay(path: Path, done: Path) -> Replay:
    """The log of a run, without the answers that an interrupted replay has used already."""
    replay = Replay(read_calls(path))
    for call in read_calls(done):
        if call.status == 200 and not call.key:
            replay.next_at(call.path)
    return replay


def _endpoint(path: str) -> str:
    """A path without its query and the name of the model."""
    return urlsplit(path).path.rpartition(":")[2].rpartition("/")[2]
