from fmlbench.agents.script import ScriptedStep
from fmlbench.agents.strategies.adaptive import Adaptive
from fmlbench.agents.strategies.ai_scientist import AIScientist
from fmlbench.agents.strategies.ai_scientist_v2 import AIScientistV2
from fmlbench.agents.strategies.aide import Aide
from fmlbench.agents.strategies.evolve import Evolve
from fmlbench.agents.strategies.greedy import Greedy
from fmlbench.agents.strategies.linear import Linear
from fmlbench.agents.strategies.mcts import MonteCarlo
from fmlbench.agents.strategies.random_search import RandomSearch
from fmlbench.agents.strategies.repeat import Repeat
from fmlbench.agents.strategies.scripted import ScriptedStrategy
from fmlbench.agents.strategies.sketches import Sketching
from fmlbench.core.agents import Strategy
from fmlbench.testing.strategies import StrategyContract


class TestGreedy(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Greedy()


class TestRandomSearch(StrategyContract):
    def make_strategy(self) -> Strategy:
        return RandomSearch()


class TestLinear(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Linear()


class TestAide(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Aide()


class TestMonteCarlo(StrategyContract):
    def make_strategy(self) -> Strategy:
        return MonteCarlo()


class TestAIScientist(StrategyContract):
    def make_strategy(self) -> Strategy:
        return AIScientist()


class TestAIScientistThatRunsOutOfIdeas(StrategyContract):
    def make_strategy(self) -> Strategy:
        return AIScientist(ideas=2, runs=2, tries=1)


class TestAIScientistV2(StrategyContract):
    def make_strategy(self) -> Strategy:
        return AIScientistV2()


class TestEvolve(StrategyContract):
    observer = Sketching()

    def make_strategy(self) -> Strategy:
        return Evolve()


class TestEvolveOnOneIsland(StrategyContract):
    observer = Sketching()

    def make_strategy(self) -> Strategy:
        return Evolve(islands=1, bins=1, archive=1, inspirations=0, migration_interval=1)


class TestAdaptive(StrategyContract):
    observer = Sketching()

    def make_strategy(self) -> Strategy:
        return Adaptive()


class TestAdaptiveThatForksEarly(StrategyContract):
    observer = Sketching()

    def make_strategy(self) -> Strategy:
        return Adaptive(window=3, slope=1.0, branch_steps=5, hint_after=1)


class TestRepeat(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Repeat()


class TestRepeatOnce(StrategyContract):
    def make_strategy(self) -> Strategy:
        return Repeat(times=1)


class TestScripted(StrategyContract):
    def make_strategy(self) -> Strategy:
        return ScriptedStrategy((ScriptedStep(idea="a"), ScriptedStep(idea="b", parents=(1,)), ScriptedStep(idea="c")))
