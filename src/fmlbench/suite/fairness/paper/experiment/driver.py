"""Train the candidate's models on both sources, or let them decide about an exam's rows, as AIF360's datasets.

The models pass from training to the exam as the candidate's own objects, whatever they are made of: they are loaded in
the same sandbox as the code that made them, so there is nothing to protect.
"""

import os
import pickle
import random
import sys
from importlib import import_module

import numpy as np
import pandas as pd
from stagekit import Stage

MODELS = "models.pickle"
SOURCES = ("compas", "adult")
FACTS = {
    # Both as in AIF360's preprocessed data: the names of the columns in their order, and which label is the good one.
    "compas": {
        "label": "two_year_recid",
        "favorable": 0.0,
        "numbers": {"sex": 0, "race": 1},
        "categories": {
            "age_cat": (2, ("25 to 45", "Greater than 45", "Less than 25")),
            "priors_count": (3, ("0", "1 to 3", "More than 3")),
            "c_charge_degree": (4, ("F", "M")),
        },
    },
    "adult": {
        "label": "Income Binary",
        "favorable": 1.0,
        "numbers": {"race": 1, "sex": 0},
        "categories": {
            "Age (decade)": (2, ("10", "20", "30", "40", "50", "60", ">=70")),
            "Education Years": (3, ("6", "7", "8", "9", "10", "11", "12", "<6", ">12")),
        },
    },
}


def main(root):
    """Do the stage that ``root`` says."""
    stage = Stage(root)
    begin(stage)
    {"train": train, "exam": sit_exam}[stage.name](stage)


def begin(stage):
    """Load TensorFlow quietly, pin its threads and seed all dice; candidate code is imported only after this."""
    # TensorFlow reads these when it is imported. oneDNN would choose kernels, and so last digits, by the processor.
    os.environ |= {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    tensorflow = import_module("tensorflow")
    tensorflow.get_logger().setLevel("ERROR")
    tensorflow.config.threading.set_intra_op_parallelism_threads(stage.threads)
    tensorflow.config.threading.set_inter_op_parallelism_threads(stage.threads)
    tensorflow.compat.v1.disable_eager_execution()
    random.seed(stage.seed)
    np.random.seed(stage.seed % 2**32)
    tensorflow.compat.v1.set_random_seed(stage.seed % 2**31)


def train(stage):
    """Train one model after the other, each on rows of its own, and leave them for the exam."""
    candidate = import_module("odds.training")
    data = stage.data("train")
    models = {}
    for source in SOURCES:
        models[source] = []
        for rows, labels in zip(data[f"{source}_rows"], data[f"{source}_labels"], strict=True):
            models[source].append(candidate.train(as_dataset(source, rows, labels), stage.settings["epochs"]))
    (stage.carry / MODELS).write_bytes(pickle.dumps(models))


def sit_exam(stage):
    """Let every model decide about every row of its source."""
    decide = import_module("odds.inference").decide
    models = pickle.loads((stage.carry / MODELS).read_bytes())

    def respond(questions):
        sources = np.asarray(questions["sources"])
        answers = np.zeros((len(sources), len(models[SOURCES[0]])), dtype=np.int64)
        for number, source in enumerate(SOURCES):
            asked = np.flatnonzero(sources == number)
            if len(asked) == 0:
                continue
            # Labels are not known here; a dataset must have some.
            dataset = as_dataset(source, questions["rows"][asked], np.zeros(len(asked)))
            for column, model in enumerate(models[source]):
                answers[asked, column] = np.asarray(decide(model, dataset)).reshape(-1).astype(np.int64)
        return answers

    stage.answer_all(respond)


def as_dataset(source, rows, labels):
    """Whole numbers become a BinaryLabelDataset with sex protected, as AIF360 would have loaded it."""
    facts, rows = FACTS[source], np.asarray(rows, dtype=np.int64)
    columns = {name: rows[:, column] for name, column in facts["numbers"].items()}
    for name, (column, values) in facts["categories"].items():
        columns |= {f"{name}={value}": rows[:, column] == number for number, value in enumerate(values)}
    return import_module("aif360.datasets").BinaryLabelDataset(
        df=pd.DataFrame({**columns, facts["label"]: np.array(labels)}),
        label_names=[facts["label"]],
        protected_attribute_names=["sex"],
        privileged_protected_attributes=[np.array([1.0])],
        unprivileged_protected_attributes=[np.array([0.0])],
        favorable_label=facts["favorable"],
        unfavorable_label=1.0 - facts["favorable"],
    )


if __name__ == "__main__":
    main(sys.argv[1])
