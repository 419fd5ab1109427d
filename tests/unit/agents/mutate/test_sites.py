from fmlbench.agents.proposers.mutate.sites import Site, definitions, sites_in

NOTHING: frozenset[str] = frozenset()


def numbers(text: str) -> list[Site]:
    return [site for site in sites_in("research.py", text, NOTHING) if site.family == "numbers"]


def test_an_idea_says_where_what_and_how():
    text = "x = 1\n\ndef train(learning_rate=0.01):\n    pass\n"
    ideas = [site.idea for site in numbers(text)]
    assert "train: learning_rate 0.01 -> 0.03 in research.py:3" in ideas


def test_everything_else_in_the_file_stays_as_it_was():
    text = "# -*- notes: ümläut -*-\nrate   =  0.5  # why: ½\n\n\n\nname = 'ñ'\n"
    site = next(site for site in numbers(text) if site.becomes == "0.25")
    assert site.apply(text) == text.replace("0.5", "0.25")


def test_foreign_line_ends_are_kept():
    text = "a = 1\r\nrate = 0.5\r\n"
    site = next(site for site in numbers(text) if site.becomes == "0.25")
    assert site.apply(text) == "a = 1\r\nrate = 0.25\r\n"
    assert site.line == 2


def test_a_byte_order_mark_never_shifts_a_change():
    assert numbers("\ufeffrate = 0.5\n") == []


def test_code_that_does_not_parse_offers_nothing():
    assert sites_in("old.py", "print 'hello'\nrate = 0.5\n", NOTHING) == ()


def test_a_sum_too_long_to_walk_offers_nothing_rather_than_crashing():
    assert sites_in("long.py", "x = " + " + ".join(["1"] * 1000), NOTHING) == ()


def test_an_empty_file_offers_nothing():
    assert sites_in("empty.py", "", NOTHING) == ()


def test_definitions_are_found_wherever_they_stand():
    files = {"a.py": "def one(): ...\nclass Two:\n    async def x(self): ...\n    def three(self): ...\n"}
    assert {"one", "Two", "three"} <= definitions(files)


def test_equal_files_are_looked_at_once():
    text = "rate = 0.125\n"
    assert sites_in("a.py", text, NOTHING) is sites_in("a.py", text, NOTHING)
