import subprocess
import sys


def test_the_price_list_is_not_imported_before_it_is_needed():
    program = (
        "import sys\n"
        "from pathlib import Path\n"
        "from fmlbench.models.connection import open_model\n"
        "from fmlbench.agents.registry import agent_spec\n"
        "open_model('scripted/tinker', Path('none')), agent_spec('greedy', {}, 'openai/gpt-5')\n"
        "sys.exit('genai_prices' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], timeout=60, check=False).returncode == 0
