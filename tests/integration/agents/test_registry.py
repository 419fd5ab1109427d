import subprocess
import sys


def test_listing_agents_does_not_load_the_syntax_tree_library():
    program = "import sys, fmlbench.agents.registry; sys.exit('libcst' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
