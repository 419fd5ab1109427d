from fmlbench.agents.script import ScriptedStep
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.strategies.scripted import Scripted
from fmlbench.core.agents import Strategy
from fmlbench.testing.strategies import StrategyContract


class TestGreedy(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Greedy()


class TestRandomSearch(StrategyContract):
    def make_strategy(self) -> Strategy:
        return RandomSearch()


class TestRepeat(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Repeat()


class TestRepeatOnce(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Repeat(times=1)


class TestScripted(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Scripted((ScriptedStep(idea="a"), ScriptedStep(idea="b", parents=(1,)), ScriptedStep(idea="c")))
