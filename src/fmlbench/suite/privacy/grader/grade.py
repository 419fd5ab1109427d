"""Audit networks for membership: how well can one tell who was trained on from who was not?

    grade.py ROOT    ROOT/labels/*.npy, ROOT/answers.npy -> ROOT/out/grade.json

Every network is the target once, while all others serve as references. The score is the worst attack's distance of the
AUC from a coin's.
"""

import json
import sys
from pathlib import Path

import numpy as np

# The grader runs isolated, where Python leaves a script's own folder out.
sys.path.insert(0, str(Path(__file__).parent))

from attacks import AUDITS, auc
from networks import Unusable, unpack
from signals import Signals


def grade(answers, labels):
    """Return score, metrics and standard errors; ``answers`` holds a packed network in each row."""
    try:
        networks = [unpack(row) for row in answers]
    except Unusable as problem:
        return {"score": 0.0, "refused": str(problem)}
    right = np.stack(
        [network(labels["accuracy_vectors"]).argmax(axis=1) == labels["accuracy_labels"] for network in networks]
    )
    signals = Signals.of(networks, labels)
    gaps = {name: gaps_of(attack, signals, labels["members"]) for name, attack in AUDITS.items()}
    worst = max(gaps, key=lambda name: gaps[name].mean())
    return {
        "score": float(gaps[worst].mean()),
        "metrics": {
            "auc_gap": float(gaps[worst].mean()),
            "accuracy": float(right.mean()),
            **{f"{name}_gap": float(gap.mean()) for name, gap in gaps.items()},
        },
        "standard_errors": {"auc_gap": float(gaps[worst].std(ddof=1) / np.sqrt(len(gaps[worst])))},
    }


def gaps_of(attack, signals, members):
    """An attack's distance from a coin's AUC on every network in turn.

    Each counts by itself: a network that gives members away by a larger loss must not make up for one that gives
    them away by a smaller loss.
    """
    return np.array(
        [abs(auc(attack(signals, members, target), members[target]) - 0.5) for target in range(len(members))]
    )


def main(root):
    """Grade what lies in ``root``."""
    labels = {path.stem: np.load(path, allow_pickle=False) for path in (root / "labels").glob("*.npy")}
    answers = np.load(root / "answers.npy", allow_pickle=False)
    (root / "out" / "grade.json").write_text(json.dumps(grade(answers, labels)), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
