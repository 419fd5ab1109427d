"""Train tinylearn, then let it answer."""

import sys

import numpy as np
from stagekit import Stage
from tinylearn import training


def train(stage):
    data = stage.data("train")
    print(f"training on {len(data['inputs'])} rows")
    model = training.fit(
        np.asarray(data["inputs"]), np.asarray(data["labels"]), int(stage.settings["classes"]), stage.seed
    )
    np.savez(stage.carry / "model.npz", **model)
    fitted = training.predict(model, np.asarray(data["inputs"]))
    print(f"training accuracy {np.mean(fitted == data['labels']):.4f}")


def sit_exam(stage):
    with np.load(stage.carry / "model.npz", allow_pickle=False) as stored:
        model = {name: stored[name] for name in stored.files}
    stage.answer_all(lambda questions: training.predict(model, np.asarray(questions["inputs"])).astype(np.int64))


if __name__ == "__main__":
    here = Stage(sys.argv[-1])
    train(here) if here.name == "train" else sit_exam(here)
