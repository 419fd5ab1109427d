from fmlbench.core.run import AgentSpec, Budget, Isolation, RunSpec, agent_names


def mcts(**facts: object) -> AgentSpec:
    return AgentSpec(name="mcts", strategy="mcts", proposer="mutate").model_copy(update=facts)


def test_an_agent_alone_is_called_by_its_name():
    assert agent_names([mcts(settings={"exploration": 1})] * 2) == ["mcts", "mcts"]


def test_different_models_give_different_names():
    one, other = mcts(model="openai/gpt-5"), mcts(model="google/gemini-2.5-pro")
    assert agent_names([one, other]) == ["mcts-gpt-5", "mcts-gemini-2.5-pro"]


def test_agents_with_the_same_name_get_their_differing_settings_appended():
    agents = [mcts(settings={"exploration": 1, "width": 3}), mcts(settings={"exploration": 2, "width": 3})]
    assert agent_names(agents) == ["mcts:exploration=1", "mcts:exploration=2"]


def test_a_setting_that_only_one_agent_has_is_appended():
    assert agent_names([mcts(), mcts(settings={"width": 3})]) == ["mcts:width=", "mcts:width=3"]


def test_the_same_model_of_another_provider_is_another_agent():
    agents = [mcts(model="openai/gpt-5"), mcts(model="proxy/gpt-5")]
    assert agent_names(agents) == ["mcts-gpt-5:model=openai/gpt-5", "mcts-gpt-5:model=proxy/gpt-5"]


def test_an_agent_that_replays_responses_keeps_its_name():
    assert agent_names([mcts(), mcts(replay="somewhere")]) == ["mcts", "mcts"]


def test_two_versions_of_a_file_are_two_agents():
    agents = [mcts(file="a1b2c3d4" * 8), mcts(file="e5f6a7b8" * 8)]
    assert agent_names(agents) == ["mcts:file=a1b2c3d4", "mcts:file=e5f6a7b8"]


def run_of(agent: AgentSpec) -> RunSpec:
    return RunSpec(
        task="toy",
        task_digest="0" * 64,
        track="cpu",
        agent=agent,
        seed=1,
        budget=Budget(steps=2),
        isolation=Isolation.NONE,
    )


def test_a_run_id_does_not_change_between_versions():
    # Run folders are found by this id, so a change here would separate every run from its record.
    assert run_of(mcts(settings={"width": 3})).run_id == "toy.cpu.mcts.s1.dedd4f9e"
    assert '"file"' not in run_of(mcts()).model_dump_json()


def test_another_version_of_a_file_makes_another_run():
    one, other = run_of(mcts(file="a" * 64)), run_of(mcts(file="b" * 64))
    assert len({one.run_id, other.run_id, run_of(mcts()).run_id}) == 3
    assert RunSpec.model_validate_json(one.model_dump_json()) == one


def test_a_smoke_test_has_a_run_id_of_its_own():
    run = run_of(mcts())
    smoke = run.model_copy(update={"smoke": True})
    assert smoke.run_id.startswith("toy.cpu-smoke.mcts.s1.")
    assert smoke.run_id.rpartition(".")[2] != run.run_id.rpartition(".")[2]
