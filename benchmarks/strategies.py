"""Measure how fast strategies decide, and how long it takes to write the prompts of their moves.

    python benchmarks/strategies.py [--steps 1000]

Each strategy grows a history with simulated scores to that many steps. It then decides the next move for this history
and for each of its prefixes that is up to a hundred steps shorter. As in a run, no cached property of a history exists
before a decision. Strategies that read sketches of code have no aim. The prompt is that of the next move, with the code
of earlier steps loaded, as from the second step on.
"""

import argparse
import time
from dataclasses import dataclass, replace
from random import Random

from rich.console import Console
from rich.table import Table

from fmlbench.agents.proposers.llm.config import PromptConfig
from fmlbench.agents.proposers.llm.memory import Memory
from fmlbench.agents.proposers.llm.prompt import write_prompt
from fmlbench.agents.registry import AGENTS, MUTATE, agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.core.agents import Session, Strategy
from fmlbench.core.notes import SketchRecorded
from fmlbench.core.steps import History, Move, Proposal
from fmlbench.models.chat import estimate_tokens
from fmlbench.testing.context import bare_context
from fmlbench.testing.histories import CRASH, Result
from fmlbench.testing.sessions import Files, RecordedSession

AIM = 1000
ROUNDS = 5
PREFIXES = 100


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=1000, help="how long the history is")
    steps: int = arguments.parse_args().steps
    table = Table("strategy", "steps", "decisions / CPU s", "aim", "CPU ms / prompt", "tokens / prompt")
    table.columns[0].no_wrap = True
    for name in sorted(entry.name for entry in AGENTS.values() if entry.proposer == MUTATE.name):
        strategy, session = grown(name, steps)
        history = session.history
        has_sketches = any(isinstance(note, SketchRecorded) for note in history.notes)
        aim = "none" if has_sketches else f"> {AIM:,}"
        milliseconds, tokens = prompting(strategy, session)
        decisions = f"{rate(strategy, history):,.0f}"
        table.add_row(name, str(len(history.proposed)), decisions, aim, f"{milliseconds:.1f}", f"{tokens:,}")
    Console().print(table)


@dataclass(frozen=True)
class Wording:
    """A proposer that adds a word to a file."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        words = session.code_of(move.parents[0])["words.py"].split()
        words.insert(rng.randrange(len(words) + 1), f"word{rng.randrange(1000)}")
        return Proposal(move=move, files={"words.py": " ".join(words)}, idea="a word more")


def grown(name: str, steps: int) -> tuple[Strategy, RecordedSession]:
    """A strategy, and a session with the history it makes of scores that grow slowly, with a failure now and then."""
    # Ideas run out before a thousand steps are taken; this bench wants them not to.
    settings = {"ideas": str(steps)} if "ideas" in AGENTS[name].settings else {}
    built = build_agent(agent_spec(name, settings), bare_context())
    assert isinstance(built, SearchAgent)
    session = RecordedSession({"words.py": "first"}, result, steps=steps)
    SearchAgent(built.strategy, Wording(), built.observer).run(session)
    return built.strategy, session


def result(files: Files) -> Result:
    rng = Random(files["words.py"])
    return CRASH if rng.random() < 0.2 else 0.5 + 0.001 * rng.random() * len(files["words.py"].split()) ** 0.5


def rate(strategy: Strategy, history: History) -> float:
    """Decisions per second of CPU time in the best of some rounds, since machines are shared."""
    lengths = range(max(1, len(history) - PREFIXES), len(history) + 1)
    return max(len(lengths) / sum(seconds(strategy, cut(history, length)) for length in lengths) for _ in range(ROUNDS))


def cut(history: History, length: int) -> History:
    """The history as it was when it was shorter, with nothing worked out yet."""
    notes = tuple(note for note in history.notes if note.step < length)
    return replace(history, steps=history.steps[:length], notes=notes)


def seconds(strategy: Strategy, history: History) -> float:
    """What one decision takes."""
    started = time.process_time()
    strategy.next_move(history, Random(len(history)))
    return time.process_time() - started


def prompting(strategy: Strategy, session: RecordedSession) -> tuple[float, int]:
    """What writing the next move's prompt takes in the best of some rounds, and how long the prompt is."""
    # One step from the end, where every strategy still has something to do.
    move = strategy.next_move(cut(session.history, len(session.history) - 1), Random(0))
    assert move is not None
    kept: dict[str, Files] = {}
    taken: list[float] = []
    size = 0
    for _ in range(ROUNDS + 1):
        started = time.process_time()
        prompt = write_prompt(move, session, Memory(session, kept), tokens=PromptConfig().context_tokens)
        taken.append(time.process_time() - started)
        size = len((prompt.system + prompt.user).encode())
    return 1000 * min(taken), estimate_tokens(size)


if __name__ == "__main__":
    main()
