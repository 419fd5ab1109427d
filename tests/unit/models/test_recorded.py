from dataclasses import dataclass, field
from pathlib import Path

import pytest

from fmlbench.core.agents import NoMoreCalls
from fmlbench.models.chat import CallKey, ChatModel, Message, Reply, Request, Tokens
from fmlbench.models.exchanges import ExchangeBook, read_exchanges
from fmlbench.models.metering import Spending, UnconfirmedCall
from fmlbench.models.recorded import Recorded
from fmlbench.models.replay import Replayed


def request(step: int, text: str = "hello", turn: int = 0) -> Request:
    return Request(
        place=CallKey(step=step, purpose="propose", turn=turn),
        system="s",
        messages=(Message(role="user", text=text),),
        max_output_tokens=10,
    )


@dataclass
class Numbering:
    name: str = "test/numbering"
    asked: list[Request] = field(default_factory=list[Request])

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply(text=f"answer {len(self.asked)}", tokens=Tokens(input=10, output=5), dollars=0.25, seconds=3.0)


def test_everything_is_an_instance_of_the_protocol(tmp_path: Path):
    with ExchangeBook(tmp_path / "log") as book:
        assert isinstance(Recorded(Numbering(), book), ChatModel)
    assert isinstance(Replayed("x", {}), ChatModel)


def test_a_resumed_run_asks_nothing_twice(tmp_path: Path):
    model = Numbering()
    with ExchangeBook(tmp_path / "log") as book:
        first = Recorded(model, book).complete(request(1))
    with ExchangeBook(tmp_path / "log") as book:
        resumed = Recorded(model, book)
        assert resumed.complete(request(1)) == first
        assert len(model.asked) == 1
        assert resumed.complete(request(2)).text == "answer 2"
        assert book.spent == Spending(tokens=30, dollars=0.5)


def test_another_question_at_the_same_place_is_asked(tmp_path: Path):
    model = Numbering()
    with ExchangeBook(tmp_path / "log") as book:
        recorded = Recorded(model, book)
        assert recorded.complete(request(1)).text == "answer 1"
        assert recorded.complete(request(1, "something else")).text == "answer 2"
        assert recorded.complete(request(1, turn=1)).text == "answer 3"


def test_a_torn_line_is_asked_again(tmp_path: Path):
    model = Numbering()
    path = tmp_path / "log"
    with ExchangeBook(path) as book:
        Recorded(model, book).complete(request(1))
        Recorded(model, book).complete(request(2))
    path.write_bytes(path.read_bytes()[:-20])
    with ExchangeBook(path) as book:
        assert Recorded(model, book).complete(request(1)).text == "answer 1"
        assert Recorded(model, book).complete(request(2)).text == "answer 3"


def test_a_record_answers_by_place_and_says_what_it_was_asked_then(tmp_path: Path):
    with ExchangeBook(tmp_path / "log") as book:
        Recorded(Numbering(), book).complete(request(1, "the score was 0.5000"))
    replayed = Replayed("test/numbering", read_exchanges(tmp_path / "log"))
    same = replayed.complete(request(1, "the score was 0.5000"))
    assert (same.text, same.replays, same.seconds) == ("answer 1", request(1, "the score was 0.5000").digest, 0.0)
    other = replayed.complete(request(1, "the score was 0.5001"))
    assert (other.text, other.replays) == ("answer 1", same.replays)
    with pytest.raises(NoMoreCalls, match="no answer for step 2, propose, turn 0"):
        replayed.complete(request(2))


def test_halves_of_characters_are_storable(tmp_path: Path):
    @dataclass
    class Broken:
        name: str = "test/broken"

        def complete(self, request: Request) -> Reply:
            return Reply(text="half \ud800")

    with ExchangeBook(tmp_path / "log") as book:
        assert Recorded(Broken(), book).complete(request(1)).text == "half ?"
    assert read_exchanges(tmp_path / "log")[request(1).place].reply.text == "half ?"


def test_a_call_without_an_answer_counts_after_a_resume_and_answers_nothing(tmp_path: Path):
    lost = UnconfirmedCall(
        model="test/numbering", place=request(1).place, reason="x", most=Tokens(input=7, output=10), dollars=0.5
    )
    with ExchangeBook(tmp_path / "log") as book:
        book.lose(lost)
        assert not book.has_answers
    with ExchangeBook(tmp_path / "log") as book:
        assert book.spent == Spending(tokens=17, dollars=0.5)
        assert Recorded(Numbering(), book).complete(request(1)).text == "answer 1"
        assert book.has_answers
        assert book.spent == Spending(tokens=32, dollars=0.75)
    assert list(read_exchanges(tmp_path / "log")) == [request(1).place]
