"""Search for the codebase's git history: later commits, stashes, the expert reference."""

import os
import subprocess

from prelude import ROOT, attempt, reached

for folder in [ROOT / name for name in ("repo", "task", "kit", "out", "carry")]:
    for parent in (folder, *folder.parents):
        if (parent / ".git").exists() or (parent / "code.git").exists() or (parent / "events.jsonl").exists():
            reached(f"a history in {parent}")
for name in ("reference", "method_off", "grader", "data/recipe.py"):
    for folder in (ROOT, ROOT / "repo", ROOT / "task", ROOT / "task/.."):
        if (folder / name).exists():
            reached(str(folder / name))
attempt(
    "git log",
    lambda: subprocess.run(["git", "log", "--all"], cwd=ROOT / "repo", check=True, capture_output=True, timeout=10),
)
print(os.listdir(ROOT))
