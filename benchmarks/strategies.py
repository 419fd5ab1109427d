"""How fast strategies decide.

    python benchmarks/strategies.py [--steps 1000]

Each strategy grows a history of its own, on made-up scores, to that many steps, and then decides on what comes next,
for the history and each of those that were up to a hundred steps shorter. Nobody has looked into these histories
before, as in a run; what a strategy needs of them is worked out for each decision.
"""

import argparse
import time
from dataclasses import dataclass, replace
from random import Random

from rich.console import Console
from rich.table import Table

from fmlbench.agents.catalogue import AGENTS, agent_spec, build_agent
from fmlbench.agents.search_agent import SearchAgent
from fmlbench.core.agents import Session, Strategy
from fmlbench.core.steps import History, Move, Proposal
from fmlbench.testing.histories import CRASH, Result
from fmlbench.testing.sessions import Files, RecordedSession
from fmlbench.testing.surroundings import bare_surroundings

AIM = 1000
SECONDS = 2.0
PREFIXES = 100
DOUBLES = {"noop", "oracle", "scripted"}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--steps", type=int, default=1000, help="how long the history is")
    steps: int = arguments.parse_args().steps
    table = Table("strategy", "steps", "decisions per CPU second", "aim")
    for name in sorted(AGENTS.keys() - DOUBLES):
        strategy, history = grown(name, steps)
        table.add_row(name, str(len(history.proposed)), f"{rate(strategy, history):,.0f}", f"> {AIM:,}")
    Console().print(table)


@dataclass(frozen=True)
class Wording:
    """A proposer that adds a word to a file."""

    def propose(self, move: Move, session: Session, rng: Random) -> Proposal:
        words = session.code_of(move.parents[0])["words.py"].split()
        words.insert(rng.randrange(len(words) + 1), f"word{rng.randrange(1000)}")
        return Proposal(move=move, files={"words.py": " ".join(words)}, idea="a word more")


def grown(name: str, steps: int) -> tuple[Strategy, History]:
    """A strategy, and the history it makes of scores that grow slowly, with a failure now and then."""
    # Ideas run out before a thousand steps are taken; this bench wants them not to.
    settings = {"ideas": str(steps)} if "ideas" in AGENTS[name].settings else {}
    built = build_agent(agent_spec(name, settings), bare_surroundings())
    assert isinstance(built, SearchAgent)
    session = RecordedSession({"words.py": "first"}, result, steps=steps)
    SearchAgent(built.strategy, Wording(), built.observer).run(session)
    return built.strategy, session.history


def result(files: Files) -> Result:
    rng = Random(files["words.py"])
    return CRASH if rng.random() < 0.2 else 0.5 + 0.001 * rng.random() * len(files["words.py"].split()) ** 0.5


def rate(strategy: Strategy, history: History) -> float:
    """Decisions per second of CPU time, since machines are shared."""
    count, spent = 0, 0.0
    while spent < SECONDS:
        length = len(history) - count % min(PREFIXES, len(history))
        notes = tuple(note for note in history.notes if note.step < length)
        fresh = replace(history, steps=history.steps[:length], notes=notes)
        started = time.process_time()
        strategy.next_move(fresh, Random(count))
        spent += time.process_time() - started
        count += 1
    return count / spent


if __name__ == "__main__":
    main()
